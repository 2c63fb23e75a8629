// Files that survive a kill: appending whole lines, replacing a file in one step, locking a folder.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace stepbench::reports {

// Something about a file or folder that the user must change; the message is for a person.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Owns a file descriptor.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int fd) : fd_(fd) {}
  ~FileHandle();
  FileHandle(FileHandle&& other) noexcept;
  FileHandle& operator=(FileHandle&& other) noexcept;
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

// A file that grows line by line. Each append is one write, so that a kill cuts off at most the
// last line.
class AppendFile {
 public:
  // Opens (or creates) `path` for appending. Throws FileError where that fails.
  explicit AppendFile(const std::filesystem::path& path);
  // Appends to a stream that is open already, such as standard output (descriptor 1), without
  // closing it.
  static AppendFile on_descriptor(int fd, std::string name);

  // Throws FileError (disk full, ...). A closed pipe is not an error: `closed()` then says true,
  // and further text is dropped.
  void append(std::string_view text);
  bool closed() const { return closed_; }

 private:
  AppendFile() = default;
  FileHandle file_;
  int fd_ = -1;
  std::string name_;
  bool closed_ = false;
};

// Replace `path` by `text` in one step (temporary file beside it, then rename): a reader sees the
// old text or the new one, never half of it. What is not
// a regular file (/dev/null, a pipe) is written to instead. `durable`: wait
// until the disk has it, so that even a power failure leaves one of both. Throws FileError.
void replace_file(const std::filesystem::path& path, std::string_view text, bool durable = true);

// Whole text of a file. Throws FileError.
std::string read_file(const std::filesystem::path& path);

// An exclusive lock on a folder. The kernel drops it with the process, so a kill leaves nothing
// stale behind.
class FolderLock {
 public:
  // Throws FileError where another process holds the lock, or where the folder cannot be written
  // to.
  explicit FolderLock(const std::filesystem::path& folder);

 private:
  FileHandle file_;
};

}  // namespace stepbench::reports
