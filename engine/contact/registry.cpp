#include "engine/contact/registry.h"

#include "engine/contact/model.h"
#include "engine/model/model.h"

namespace stepbench::contact {

const std::vector<ModelInfo>& registry() {
  static const std::vector<ModelInfo> models = {
#define X(Model) {Model::kName, Model::kSummary},
      SB_CONTACT_MODELS(X)
#undef X
  };
  return models;
}

int find_model(std::string_view name) {
  for (std::size_t i = 0; i < registry().size(); ++i) {
    if (name == registry()[i].name) return int(i);
  }
  return -1;
}

std::string unsupported_reason(const model::Model& m, std::string_view contact) {
  if (contact == Comfree::kName) {
    if (m.opt.cone == model::kElliptic) {
      return "contact model 'comfree' has the pyramidal cone only: set --option cone=pyramidal";
    }
    if (m.opt.integrator != model::kEuler && m.opt.integrator != model::kImplicitFast) {
      return "contact model 'comfree' needs the Euler or implicitfast integrator: "
             "set --option integrator=Euler";
    }
  }
  return {};
}

}  // namespace stepbench::contact
