#include "bench/check_compare.h"

namespace stepbench::bench {

FieldCheck& Comparison::find(const std::string& field, double tolerance) {
  for (auto& f : part_.fields) {
    if (f.field == field) return f;
  }
  FieldCheck f;
  f.field = field;
  f.tolerance = tolerance;
  part_.fields.push_back(f);
  return part_.fields.back();
}

void Comparison::update(FieldCheck& f, double difference, std::int64_t index, double ours,
                        double theirs, const std::string& where, std::int64_t step) {
  if (difference > f.tolerance) {
    f.pass = false;
    if (step >= 0 && (f.first_step < 0 || step < f.first_step)) f.first_step = step;
  }
  if (difference > f.largest || f.index < 0) {
    f.largest = difference;
    f.index = index;
    f.ours = ours;
    f.theirs = theirs;
    f.where = where;
  }
}

void Comparison::add_equal(const std::string& field, std::int64_t ours, std::int64_t theirs,
                           const std::string& where, std::int64_t index) {
  update(find(field, 0), ours == theirs ? 0 : HUGE_VAL, index, double(ours), double(theirs), where,
         -1);
}

bool CheckPart::pass() const {
  return std::all_of(fields.begin(), fields.end(), [](const FieldCheck& f) { return f.pass; });
}

const FieldCheck* CheckPart::worst() const {
  const FieldCheck* worst = nullptr;
  const auto severity = [](const FieldCheck& f) {
    return f.tolerance > 0 ? f.largest / f.tolerance : f.pass ? 0 : HUGE_VAL;
  };
  for (const auto& f : fields) {
    if (worst == nullptr || severity(f) > severity(*worst)) worst = &f;
  }
  return worst;
}

bool CheckReport::pass() const {
  return std::all_of(parts.begin(), parts.end(), [](const CheckPart& p) { return p.pass(); });
}

}  // namespace stepbench::bench
