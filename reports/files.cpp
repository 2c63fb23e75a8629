#include "reports/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

namespace stepbench::reports {
namespace {

[[noreturn]] void fail(std::string_view what, const std::filesystem::path& path, int error) {
  throw FileError(fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(error)));
}

// Returns 0 or an errno.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

}  // namespace

FileHandle::~FileHandle() {
  if (fd_ >= 0) ::close(fd_);
}

FileHandle::FileHandle(FileHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

AppendFile::AppendFile(const std::filesystem::path& path)
    : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)),
      name_(path.string()) {
  if (file_.get() < 0) fail("write to", path, errno);
  fd_ = file_.get();
}

AppendFile AppendFile::on_descriptor(int fd, std::string name) {
  AppendFile f;
  f.fd_ = fd;
  f.name_ = std::move(name);
  return f;
}

void AppendFile::append(std::string_view text) {
  if (closed_) return;
  const int error = write_all(fd_, text);
  if (error == EPIPE) {
    closed_ = true;
  } else if (error != 0) {
    fail("write to", name_, error);
  }
}

void replace_file(const std::filesystem::path& path, std::string_view text, bool durable) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    // A device or a pipe (/dev/null, /dev/stdout) is written to, never replaced.
    AppendFile(path).append(text);
    return;
  }
  // Through a symbolic link: its target is replaced, not the link.
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, ignored);
  const std::filesystem::path& final = ignored ? path : target;
  std::filesystem::path temporary = final;
  temporary += ".tmp";
  {
    const FileHandle file(
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (file.get() < 0) fail("write to", path, errno);
    if (const int error = write_all(file.get(), text); error != 0) fail("write to", path, error);
    if (durable) ::fsync(file.get());
  }
  if (std::rename(temporary.c_str(), final.c_str()) != 0) fail("replace", path, errno);
}

std::string read_file(const std::filesystem::path& path) {
  const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail("read", path, errno);
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t n = ::read(file.get(), buffer, sizeof buffer);
    if (n == 0) return text;
    if (n < 0) {
      if (errno == EINTR) continue;
      fail("read", path, errno);
    }
    text.append(buffer, static_cast<std::size_t>(n));
  }
}

FolderLock::FolderLock(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / ".lock";
  file_ = FileHandle(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (file_.get() < 0) fail("write to", folder, errno);
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) fail("lock", path, errno);
    char holder[64] = {};
    const ssize_t n = ::pread(file_.get(), holder, sizeof holder - 1, 0);
    const std::string who(holder, n > 0 ? std::strcspn(holder, "\n") : 0);
    throw FileError(
        fmt::format("{} is being written by another run{}; wait for it or choose another --out",
                    folder.string(), who.empty() ? "" : fmt::format(" (process {})", who)));
  }
  // The number is only for the message above; the lock itself is the kernel's.
  const std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(file_.get(), 0) != 0 || ::pwrite(file_.get(), pid.data(), pid.size(), 0) < 0) {
    fail("write to", path, errno);
  }
}

}  // namespace stepbench::reports
