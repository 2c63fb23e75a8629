// Numbers as text: exact for files, short for people.
#pragma once

#include <string>

namespace stepbench::reports {

// Shortest decimal form that reads back as the same double; empty for NaN and infinities, which
// never stand in a file (empty = not measured).
std::string shortest(double x);

// 57 900 -> "57.9 k": three significant digits with a metric prefix (k, M, G, T), for x >= 0.
// Values below 1000 have none: "812", "81.2", "0.812".
std::string with_prefix(double x);

// Three significant digits without a prefix and without trailing zeros: "7.2", "0.005", "1.23e-09".
std::string brief(double x);

// A fraction as a percentage with two significant digits: 0.0137 -> "1.4 %", 0.2 -> "20 %".
std::string percent(double fraction);

// "850 ms", "12 s", "1m12s", "2h05m" for a time of >= 0 seconds.
std::string duration(double seconds);

// "312 kB", "1.4 GB" (powers of 1000).
std::string bytes(double n);

}  // namespace stepbench::reports
