#include "engine/batch/choose.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "engine/collide/pairs.h"
#include "engine/contact/registry.h"
#include "engine/model/model.h"

namespace stepbench::batch {

bool cpu_runs(Isa isa) {
  switch (isa) {
#if defined(__x86_64__)
    case Isa::kBaseline:
      return true;
    case Isa::kAvx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case Isa::kAvx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("fma");
#elif defined(__aarch64__)
    case Isa::kNeon:
      return true;
#endif
    default:
      return false;
  }
}

namespace {

// f(kernel) for each kernel of a precision that this machine can run, narrowest first.
template <class F>
void for_each_kernel(Precision p, F f) {
  const auto visit = [&](auto list) {
    for (const auto& k : list) {
      if (cpu_runs(k.isa)) f(k.isa, k.layout, k.lanes);
    }
  };
  if (p == Precision::kF32) {
    visit(kernels<float>());
  } else {
    visit(kernels<double>());
  }
}

}  // namespace

std::vector<Isa> available_isas() {
  std::vector<Isa> list;
  for_each_kernel(Precision::kF64, [&](Isa isa, Layout, int) {
    if (list.empty() || list.back() != isa) list.push_back(isa);
  });
  return list;
}

std::vector<int> available_lanes(Isa isa, Precision p) {
  std::vector<int> list;
  for_each_kernel(p, [&](Isa i, Layout layout, int lanes) {
    if (i == isa && layout == Layout::kPacked) list.push_back(lanes);
  });
  std::sort(list.begin(), list.end());
  return list;
}

void random_uniforms(std::uint64_t seed, std::uint64_t world, std::uint64_t step,
                     std::uint32_t stream, std::span<double> out) {
  static const RandomKernel widest = [] {
    RandomKernel best{};
    for (const RandomKernel& k : random_kernels()) {
      if (cpu_runs(k.isa)) best = k;
    }
    return best;
  }();
  widest.uniforms(seed, world, step, stream, int(out.size()), out.data());
}

namespace {

// Dofs of bodies that have a free joint and carry no other.
int free_body_dofs(const model::Model& m) {
  std::vector<int> dofs(size_t(m.ntree), 0);
  for (int t : m.dof_treeid) ++dofs[size_t(t)];
  int sum = 0;
  for (size_t j = 0; j < size_t(m.njnt); ++j) {
    if (m.jnt_type[j] != model::kJntFree) continue;
    if (dofs[size_t(m.dof_treeid[size_t(m.jnt_dofadr[j])])] == 6) sum += 6;
  }
  return sum;
}

}  // namespace

Layout auto_layout(const model::Model& m) {
  const bool small = m.nv <= kMaxPackedDofs && free_body_dofs(m) <= kMaxPackedFreeDofs &&
                     collide::count_pairs_bound(m) <= kMaxStaticPairs;
  return small ? Layout::kPacked : Layout::kSingle;
}

BatchOptions resolve(const model::Model& m, BatchOptions o) {
  if (o.threads < 1) throw std::invalid_argument("threads must be at least 1");
  const std::vector<std::string> models = contact_model_names();
  if (std::find(models.begin(), models.end(), o.contact) == models.end()) {
    throw std::invalid_argument(
        fmt::format("no contact model '{}'; choose one of {}", o.contact, fmt::join(models, ", ")));
  }
  if (const std::string why = contact::unsupported_reason(m, o.contact); !why.empty()) {
    throw std::invalid_argument(why);
  }
  if (o.layout == Layout::kAuto) o.layout = auto_layout(m);
  if (o.layout == Layout::kPacked && m.nv > kMaxPackedDofs) {
    throw std::invalid_argument(fmt::format(
        "layout packed holds worlds of up to {} dofs and this model has {}; use --layout single",
        kMaxPackedDofs, m.nv));
  }

  const std::vector<Isa> isas = available_isas();
  if (o.isa == Isa::kAuto) o.isa = isas.back();
  if (std::find(isas.begin(), isas.end(), o.isa) == isas.end()) {
    std::vector<std::string_view> names;
    for (Isa i : isas) names.push_back(to_string(i));
    throw std::invalid_argument(fmt::format("this machine has no {}; it runs {}", to_string(o.isa),
                                            fmt::join(names, ", ")));
  }
  if (o.layout == Layout::kSingle) {
    if (o.lanes > 1) throw std::invalid_argument("layout single runs one lane; drop --lanes");
    o.lanes = 1;
    o.sort = false;
    return o;
  }
  const std::vector<int> widths = available_lanes(o.isa, o.precision);
  if (o.lanes == 0) o.lanes = widths.back();
  if (std::find(widths.begin(), widths.end(), o.lanes) == widths.end()) {
    throw std::invalid_argument(fmt::format("{} {} is built for {} lanes, not {}", to_string(o.isa),
                                            to_string(o.precision), fmt::join(widths, ", "),
                                            o.lanes));
  }
  if (o.lanes == 1) o.sort = false;
  return o;
}

template <class Real>
const Kernel<Real>& find_kernel(const BatchOptions& o) {
  for (const Kernel<Real>& k : kernels<Real>()) {
    if (k.isa == o.isa && k.layout == o.layout && k.lanes == o.lanes) return k;
  }
  throw std::logic_error("no kernel for resolved options");
}
template const Kernel<float>& find_kernel<float>(const BatchOptions&);
template const Kernel<double>& find_kernel<double>(const BatchOptions&);

}  // namespace stepbench::batch
