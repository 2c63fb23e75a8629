#include "bench/digest.h"

#include <gtest/gtest.h>

namespace stepbench::bench {
namespace {

TEST(Digest, Sha256OfTheStandardsExamples) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  // Two blocks (FIPS 180-4, example B.2).
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(short_digest("abc"), "ba7816bf8f01cfea");
}

TEST(Digest, HexIsSixteenDigits) { EXPECT_EQ(hex64(0xabcu), "0x0000000000000abc"); }

TEST(Digest, WorldsAreBoundToTheirNumber) {
  EXPECT_NE(world_term(0, 1) + world_term(1, 2), world_term(0, 2) + world_term(1, 1));
  EXPECT_EQ(world_term(0, 1) + world_term(1, 2), world_term(1, 2) + world_term(0, 1));
}

}  // namespace
}  // namespace stepbench::bench
