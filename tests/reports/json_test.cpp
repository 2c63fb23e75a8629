#include "reports/json.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stepbench::reports {
namespace {

TEST(Json, StringsAreEscaped) {
  EXPECT_EQ(json_string("plain"), "\"plain\"");
  EXPECT_EQ(json_string("a\"b\\c\n\t\x01"), "\"a\\\"b\\\\c\\n\\t\\u0001\"");
  EXPECT_EQ(json_string("Ω世😀"), "\"Ω世😀\"");
}

TEST(Json, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_EQ(json_string("a\xff z"), "\"a\\ufffd z\"");
  EXPECT_EQ(json_string("\xc0\xaf"), "\"\\ufffd\\ufffd\"");             // overlong slash
  EXPECT_EQ(json_string("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");  // surrogate
  EXPECT_EQ(json_string("\xe4\xb8"), "\"\\ufffd\\ufffd\"");             // cut off
}

TEST(Json, ObjectsAndLists) {
  JsonWriter j;
  j.begin_object();
  j.field("name", "x").field("n", 3).field("f", 0.1).field("yes", true);
  j.list("list", std::vector<double>{1, 2.5, std::nan("")});
  j.list("empty", std::vector<int>{});
  j.key("inner").begin_object().end_object();
  j.key("deep").begin_object().field("a", -1).end_object();
  j.end_object();
  EXPECT_EQ(j.take(),
            "{\n"
            "  \"name\": \"x\",\n"
            "  \"n\": 3,\n"
            "  \"f\": 0.1,\n"
            "  \"yes\": true,\n"
            "  \"list\": [1, 2.5, null],\n"
            "  \"empty\": [],\n"
            "  \"inner\": {},\n"
            "  \"deep\": {\n"
            "    \"a\": -1\n"
            "  }\n"
            "}\n");
}

}  // namespace
}  // namespace stepbench::reports
