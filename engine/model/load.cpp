#include "engine/model/load.h"

#include <utility>

namespace stepbench::model {

Scene load_scene(const std::filesystem::path& file, const ReadOptions& options) {
  Spec spec = read_mjcf(file, options);
  std::shared_ptr<const Model> model = compile(spec);
  return {std::move(spec), std::move(model)};
}

std::shared_ptr<const Model> load_model(const std::filesystem::path& file,
                                        const ReadOptions& options) {
  return compile(read_mjcf(file, options));
}

std::shared_ptr<const Model> load_model_string(std::string_view text, const std::string& name,
                                               const ReadOptions& options) {
  return compile(read_mjcf_string(text, name, options));
}

}  // namespace stepbench::model
