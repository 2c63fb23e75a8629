// Hashes of text, for identifiers: cells, plans, scenes, environments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stepbench::bench {

// SHA-256 (FIPS 180-4), 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

// First 16 digits of it: what identifiers use.
std::string short_digest(std::string_view bytes);

// 0x and 16 hexadecimal digits: how state hashes are written everywhere. The prefix keeps readers
// of CSV from taking a hash of digits alone for a number.
std::string hex64(std::uint64_t v);

// One number for a batch: order-independent combination of the worlds' hashes, each bound to its
// world's number, so that swapped worlds differ. Add `world_term` of every world, modulo 2^64.
std::uint64_t world_term(std::int64_t world, std::uint64_t hash);

}  // namespace stepbench::bench
