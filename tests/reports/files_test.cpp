#include "reports/files.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

namespace stepbench::reports {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    dir_ =
        fs::temp_directory_path() / ("sb_files_" + std::to_string(::getpid()) + "_" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }
  fs::path dir_;
};

TEST_F(Files, AppendGoesOnWhereTheFileEnded) {
  const fs::path p = dir_ / "a.csv";
  { AppendFile(p).append("one\n"); }
  { AppendFile(p).append("two\n"); }
  EXPECT_EQ(read_file(p), "one\ntwo\n");
}

TEST_F(Files, ReplaceLeavesNoTemporaryFile) {
  const fs::path p = dir_ / "s.csv";
  replace_file(p, "first, and longer\n");
  replace_file(p, "second\n");
  EXPECT_EQ(read_file(p), "second\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(dir_), fs::directory_iterator{}), 1);
}

TEST_F(Files, DevicesAndLinksAreNotReplaced) {
  replace_file("/dev/null", "x");
  EXPECT_FALSE(fs::is_regular_file("/dev/null"));
  replace_file(dir_ / "target", "old\n");
  fs::create_symlink("target", dir_ / "link");
  replace_file(dir_ / "link", "new\n");
  EXPECT_TRUE(fs::is_symlink(dir_ / "link"));
  EXPECT_EQ(read_file(dir_ / "target"), "new\n");
}

TEST_F(Files, ErrorsNameTheFile) {
  EXPECT_THROW(AppendFile(dir_ / "no" / "such.csv"), FileError);
  EXPECT_THROW(replace_file(dir_ / "no" / "such.csv", "x"), FileError);
  EXPECT_THROW(FolderLock(dir_ / "no"), FileError);
  try {
    read_file(dir_ / "missing");
    FAIL();
  } catch (const FileError& e) {
    EXPECT_NE(std::string(e.what()).find("missing: No such file"), std::string::npos) << e.what();
  }
}

TEST_F(Files, FullDiskIsReported) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  AppendFile f("/dev/full");
  EXPECT_THROW(f.append("x\n"), FileError);
}

TEST_F(Files, ClosedPipeIsNotAnError) {
  ::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  AppendFile f = AppendFile::on_descriptor(ends[1], "pipe");
  f.append("x\n");
  EXPECT_TRUE(f.closed());
  f.append("y\n");
  ::close(ends[1]);
}

TEST_F(Files, SecondRunOnTheSameFolderIsRefused) {
  const FolderLock held(dir_);
  try {
    FolderLock second(dir_);
    FAIL();
  } catch (const FileError& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("another run (process " + std::to_string(::getpid()) + ")"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("--out"), std::string::npos) << text;
  }
}

TEST_F(Files, LockOfAKilledProcessDoesNotBlock) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const FolderLock held(dir_);
    if (::write(ready[1], "x", 1) != 1) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  char c;
  ASSERT_EQ(::read(ready[0], &c, 1), 1);
  EXPECT_THROW(FolderLock{dir_}, FileError);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_NO_THROW(FolderLock{dir_});
  ::close(ready[0]);
  ::close(ready[1]);
}

}  // namespace
}  // namespace stepbench::reports
