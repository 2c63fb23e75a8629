// Runs the built program as a user would: a process with arguments, an exit code and two streams of
// text.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace stepbench::cli::testing {

struct ProgramResult {
  int exit_code = -1;  // -1: ended by `signal`
  int signal = 0;
  std::string out, err;
};

// A program that runs. Standard output and standard error go to files, so that neither can block
// it.
class RunningProgram {
 public:
  RunningProgram(const std::vector<std::string>& args, const std::filesystem::path& folder);
  void send(int signal) const { ::kill(pid_, signal); }
  bool running();
  ProgramResult wait();

 private:
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
  std::filesystem::path out_, err_;
};

// Tests that start the program, each in an empty folder of its own.
class ProgramTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // `args` without the program's name.
  ProgramResult run(const std::vector<std::string>& args) const;
  // A command line for the shell, where $SB stands for the program.
  ProgramResult shell(const std::string& command) const;
  // Writes a file into the folder; returns its path.
  std::string write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;
  // A scene of one box that falls onto a plane, with a motor; fast to simulate.
  std::string box_scene() const;

  std::filesystem::path folder_;
};

// Options that make a run as short as can be, in f64 with this engine alone.
std::vector<std::string> quick(std::vector<std::string> args);

}  // namespace stepbench::cli::testing
