// Contact models by name, for the command line and for checks before a run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stepbench::model {
struct Model;
}

namespace stepbench::contact {

struct ModelInfo {
  const char* name;     // "newton"
  const char* summary;  // one short line
};

// Every contact model, in the order of their numbers.
const std::vector<ModelInfo>& registry();

// Number of a contact model; -1: there is none of that name.
int find_model(std::string_view name);

// Why a contact model cannot simulate a model file, in one line for a person; empty if it can.
std::string unsupported_reason(const model::Model& m, std::string_view contact);

}  // namespace stepbench::contact
