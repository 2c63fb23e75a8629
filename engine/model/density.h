// Contact density as an axis: `--density n`.
//
// A scene with a <replicate> inside a frame named "density" takes n as the count of the outermost
// such replicate; several side by side share n evenly, so that n is the number of bodies also in a
// scene of several shapes (scenes/pile.xml). Any other scene gets n free bodies, equal shares of
// spheres, capsules and boxes of about equal volume, dropped in a column over it. Sizes,
// orientations and places come from a fixed seed: the same scene and level give the same bodies,
// bit for bit.
#pragma once

#include "engine/model/spec.h"

namespace stepbench::model {

enum class DensityWay {
  kFile,       // no level was asked for
  kReplicate,  // count of the scene's own replicate
  kColumn      // free bodies were added
};

// How the level of this scene came about.
inline DensityWay density_way(const Spec& spec) {
  if (!spec.density) return DensityWay::kFile;
  return spec.density_replicate ? DensityWay::kReplicate : DensityWay::kColumn;
}

// Add n free bodies in a column over the scene (n >= 0; called by the reader). Keyframes with a
// qpos are extended by the bodies' poses.
void add_column(Spec& spec, int n);

}  // namespace stepbench::model
