// The two errors of this folder.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace stepbench::bench {

// The user asked for something impossible; what() is one line for a person (exit code 2).
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A cell cannot run or cannot go on; becomes its row's status and status_detail.
class CellError : public std::runtime_error {
 public:
  // status: one of the constants of records.h
  CellError(std::string status, const std::string& detail)
      : std::runtime_error(detail), status_(std::move(status)) {}
  const std::string& status() const noexcept { return status_; }

 private:
  std::string status_;
};

}  // namespace stepbench::bench
