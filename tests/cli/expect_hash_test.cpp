#include "cli/expect_hash.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "bench/error.h"

namespace stepbench::cli {
namespace {

class ExpectHash : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::string file(const std::string& text) {
    path_ = std::filesystem::temp_directory_path() / ("sb_hash_" + std::to_string(::getpid()));
    std::ofstream(path_) << text;
    return path_.string();
  }
  std::filesystem::path path_;
};

TEST_F(ExpectHash, OneHash) {
  EXPECT_EQ(expect_hashes("0123456789ABCDEF", "world", "hash").one, "0x0123456789abcdef");
  EXPECT_EQ(expect_hashes("0x0123456789abcdef", "world", "hash").one, "0x0123456789abcdef");
}

TEST_F(ExpectHash, WhatHashPrinted) {
  const auto e = expect_hashes(file("world,hash\n0,0x0000000000000001\n7,0x00000000000000ff\n"),
                               "world", "hash");
  EXPECT_FALSE(e.one.has_value());
  ASSERT_EQ(e.by_key.size(), 2u);
  EXPECT_EQ(e.by_key.at("7"), "0x00000000000000ff");
}

TEST_F(ExpectHash, RowsWithoutAHashAreSkipped) {
  const auto e = expect_hashes(file("cell_id,x,state_hash\na,1,\nb,2,00000000000000ff\n"),
                               "cell_id", "state_hash");
  EXPECT_EQ(e.by_key.size(), 1u);
}

TEST_F(ExpectHash, NonsenseIsAUsageError) {
  EXPECT_THROW(expect_hashes("abc", "world", "hash"), bench::UsageError);
  EXPECT_THROW(expect_hashes("0123456789abcdeg", "world", "hash"), bench::UsageError);
  EXPECT_THROW(expect_hashes(file("a,b\n1,2\n"), "world", "hash"), bench::UsageError);
  EXPECT_THROW(expect_hashes(file("world,hash\n1,zz\n"), "world", "hash"), bench::UsageError);
}

}  // namespace
}  // namespace stepbench::cli
