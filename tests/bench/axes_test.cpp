#include "bench/axes.h"

#include <gtest/gtest.h>

#include "bench/error.h"

namespace stepbench::bench {
namespace {

using Ints = std::vector<std::int64_t>;

Ints worlds(std::string_view text) { return parse_integers(text, "--worlds", 1, 1 << 30); }

// The message of the UsageError that parsing gives; fails the test where there is none.
template <class F>
std::string error_of(F&& parse) {
  try {
    parse();
  } catch (const UsageError& e) {
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(Axes, ListsAndRanges) {
  EXPECT_EQ(worlds("1,64"), (Ints{1, 64}));
  EXPECT_EQ(worlds(" 1 , 64 "), (Ints{1, 64}));
  EXPECT_EQ(worlds("2^0..2^4"), (Ints{1, 2, 4, 8, 16}));
  EXPECT_EQ(worlds("3^1..3^3"), (Ints{3, 9, 27}));
  EXPECT_EQ(worlds("2^10"), (Ints{1024}));
  EXPECT_EQ(worlds("3..6"), (Ints{3, 4, 5, 6}));
  EXPECT_EQ(worlds("100..500..200"), (Ints{100, 300, 500}));
  EXPECT_EQ(worlds("100..450..200"), (Ints{100, 300}));
  EXPECT_EQ(worlds("2..2^3..3"), (Ints{2, 5, 8}));
}

TEST(Axes, OrderIsKeptAndDuplicatesAreDropped) {
  EXPECT_EQ(worlds("64,1,2..4,64,3"), (Ints{64, 1, 2, 3, 4}));
}

TEST(Axes, ErrorsNameOptionTextAndRemedy) {
  EXPECT_EQ(error_of([] { worlds("0"); }), "--worlds: '0' is below the smallest possible value, 1");
  EXPECT_EQ(error_of([] { worlds("1,x"); }),
            "--worlds: 'x' is not an integer; use N, 2^E, A..B or A..B..STEP");
  for (const char* bad :
       {"", ",", "1,", "-3", "1.5", "8..2", "1..4..0", "1..4..-1", "1..2..3..4", "2^", "^2", "1^3",
        "2^-1", "2^63", "99999999999999999999", "1e3", "2^0..2^40", "..4", "0..4"}) {
    EXPECT_THROW(worlds(bad), UsageError) << bad;
  }
}

TEST(Axes, AHugeRangeIsRefusedBeforeItIsExpanded) {
  EXPECT_THROW(worlds("1..1000000000"), UsageError);
  EXPECT_THROW(parse_integers("1..9000000000000000000", "--worlds", 1, 1 << 20), UsageError);
}

TEST(Axes, ThreadsKnowAll) {
  EXPECT_EQ(parse_threads("1,all", 8), (std::vector<int>{1, 8}));
  EXPECT_EQ(parse_threads("all,8", 8), (std::vector<int>{8}));
  EXPECT_THROW(parse_threads("0", 8), UsageError);
  EXPECT_THROW(parse_threads("most", 8), UsageError);
}

TEST(Axes, TimestepsKnowFile) {
  const auto t = parse_timesteps("file,0.001,2e-3");
  ASSERT_EQ(t.size(), 3u);
  EXPECT_FALSE(t[0].has_value());
  EXPECT_EQ(t[1], 0.001);
  EXPECT_EQ(t[2], 0.002);
  for (const char* bad : {"-1", "0", "inf", "nan", "1x", "11", ""}) {
    EXPECT_THROW(parse_timesteps(bad), UsageError) << bad;
  }
}

TEST(Axes, DensitiesNamesControlsShards) {
  const auto d = parse_densities("none,0,16..64..16");
  ASSERT_EQ(d.size(), 6u);
  EXPECT_FALSE(d[0].has_value());
  EXPECT_EQ(d[1], 0);
  EXPECT_EQ(d[5], 64);
  EXPECT_THROW(parse_densities("-1"), UsageError);

  EXPECT_EQ(parse_names("f32,f64,f32", "--precision", {"f32", "f64"}),
            (std::vector<std::string>{"f32", "f64"}));
  EXPECT_EQ(error_of([] {
              parse_names("f16", "--precision", {"f32", "f64"});
            }),
            "--precision: 'f16' is not known; choose from f32, f64");

  EXPECT_EQ(parse_controls("noise,replay:a.csv"),
            (std::vector<std::string>{"noise", "replay:a.csv"}));
  EXPECT_THROW(parse_controls("replay:"), UsageError);
  EXPECT_THROW(parse_controls("idle"), UsageError);

  EXPECT_EQ(parse_shard("2/3").index, 2);
  EXPECT_EQ(parse_shard("2/3").count, 3);
  for (const char* bad : {"0/3", "4/3", "1", "1/", "/2", "a/b", "1/2/3", "1/0"}) {
    EXPECT_THROW(parse_shard(bad), UsageError) << bad;
  }
}

}  // namespace
}  // namespace stepbench::bench
