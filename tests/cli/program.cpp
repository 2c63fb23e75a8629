#include "tests/cli/program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#ifndef SB_PROGRAM
#define SB_PROGRAM ""
#endif

namespace stepbench::cli::testing {
namespace fs = std::filesystem;
namespace {

std::string slurp(const fs::path& p) {
  std::ifstream in(p, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void redirect(int fd, const fs::path& path, int flags) {
  const int file = ::open(path.c_str(), flags, 0644);
  if (file < 0 || ::dup2(file, fd) < 0) ::_exit(126);
}

}  // namespace

RunningProgram::RunningProgram(const std::vector<std::string>& args, const fs::path& folder) {
  static int number = 0;
  ++number;
  out_ = folder / (".stdout" + std::to_string(number));
  err_ = folder / (".stderr" + std::to_string(number));
  std::vector<char*> argv;
  for (const std::string& a : args) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) {
    redirect(0, "/dev/null", O_RDONLY);
    redirect(1, out_, O_WRONLY | O_CREAT | O_TRUNC);
    redirect(2, err_, O_WRONLY | O_CREAT | O_TRUNC);
    if (::chdir(folder.c_str()) != 0) ::_exit(126);
    ::setenv("SB", SB_PROGRAM, 1);
    ::unsetenv("STEPBENCH_WORLDS");
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
}

bool RunningProgram::running() {
  if (!ended_) ended_ = ::waitpid(pid_, &status_, WNOHANG) == pid_;
  return !ended_;
}

ProgramResult RunningProgram::wait() {
  if (!ended_) ::waitpid(pid_, &status_, 0);
  ended_ = true;
  ProgramResult r;
  if (WIFEXITED(status_)) r.exit_code = WEXITSTATUS(status_);
  if (WIFSIGNALED(status_)) r.signal = WTERMSIG(status_);
  r.out = slurp(out_);
  r.err = slurp(err_);
  return r;
}

void ProgramTest::SetUp() {
  if (!fs::exists(SB_PROGRAM)) GTEST_SKIP() << "the program is not built";
  folder_ =
      fs::temp_directory_path() / ("sb_cli_" + std::to_string(::getpid()) + "_" +
                                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
  fs::remove_all(folder_);
  fs::create_directories(folder_);
}

void ProgramTest::TearDown() {
  if (!folder_.empty()) fs::remove_all(folder_);
}

ProgramResult ProgramTest::run(const std::vector<std::string>& args) const {
  std::vector<std::string> all = {SB_PROGRAM};
  all.insert(all.end(), args.begin(), args.end());
  return RunningProgram(all, folder_).wait();
}

ProgramResult ProgramTest::shell(const std::string& command) const {
  return RunningProgram({"bash", "-c", "set -o pipefail; " + command}, folder_).wait();
}

std::string ProgramTest::write(const std::string& name, const std::string& text) const {
  std::ofstream(folder_ / name) << text;
  return (folder_ / name).string();
}

std::string ProgramTest::read(const std::string& name) const { return slurp(folder_ / name); }

std::string ProgramTest::box_scene() const {
  return write("box.xml", R"(<mujoco model="box">
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body pos="0 0 0.3">
      <freejoint/>
      <geom type="box" size="0.1 0.1 0.1"/>
      <body pos="0 0 0.1">
        <joint name="wrist" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0.2 0 0.1" size="0.03"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="wrist" ctrlrange="-1 1" ctrllimited="true"/></actuator>
</mujoco>
)");
}

std::vector<std::string> quick(std::vector<std::string> args) {
  for (const char* a : {"--engine", "stepbench", "--precision", "f64", "--threads", "1", "--worlds",
                        "1,2", "--min-reps", "2", "--max-noise", "100%", "--max-time", "0.2"}) {
    args.emplace_back(a);
  }
  return args;
}

}  // namespace stepbench::cli::testing
