// The table a person sees: a headline per scene, one aligned line per cell.
//
//   humanoid.xml  nv 27  20 geoms  dt 5 ms  newton pyramidal    AMD EPYC, 2 threads, AVX-512
//   MuJoCo 4.0.0 engine     prec  worlds  world-steps/s      ±  × mujoco  contacts  rows  iters
//   bits mujoco     f64     1024         57.9 k  1.4 %      1.00       7.2    31    2.1  equal
//   stepbench  f32     1024  overflow in 3 worlds at step 812: raise --max-contacts (now 64)
//
// An axis with one value stands in the headline, one with several is a column.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/records.h"

namespace stepbench::reports {

// The rows of all scenes, in order, grouped by scene. `colour`: with terminal colours.
std::string render_table(std::span<const bench::Summary> rows, bool colour);

// Parts of it that other views use.
std::string short_cpu_name(
    const std::string& cpu_model);  // "Intel(R) Xeon(R) ... CPU @ 2.4GHz" -> "Intel Xeon ..."
std::string isa_name(const std::string& isa);   // "avx512" -> "AVX-512"
std::string timestep_text(double seconds);      // 0.005 -> "5 ms"
std::string reason(const bench::Summary& row);  // what stands in place of a speed

}  // namespace stepbench::reports
