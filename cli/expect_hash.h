// The repeatability gate: hashes that states must have (--expect-hash).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench::cli {

// Either one hash, or hashes by key from a CSV file.
struct ExpectedHashes {
  std::optional<std::string> one;             // 16 hexadecimal digits, lower case
  std::map<std::string, std::string> by_key;  // key column -> hash
};

// `text`: 16 hexadecimal digits (0x before them allowed), or a CSV file that has columns `key` and
// `hash`; rows without a hash are skipped. Throws bench::UsageError.
ExpectedHashes expect_hashes(const std::string& text, const std::string& key,
                             const std::string& hash);

// 0x and 16 hexadecimal digits in lower case (`text` may lack the 0x), or empty where `text` is no
// hash.
std::string as_hash(std::string_view text);

}  // namespace stepbench::cli
