// Helpers of the reader's tests.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "engine/model/error.h"
#include "engine/model/reader.h"

namespace stepbench::model::testing {

// Scene of what stands inside <mujoco>.
inline Spec read(const std::string& inner, const ReadOptions& options = {}) {
  return read_mjcf_string("<mujoco>" + inner + "</mujoco>", "scene.xml", options);
}

// Message of the error that reading gives; "" where it succeeds.
inline std::string error_of(const std::string& text, const ReadOptions& options = {}) {
  try {
    read_mjcf_string(text, "scene.xml", options);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}
inline std::string error_in(const std::string& inner, const ReadOptions& options = {}) {
  return error_of("<mujoco>" + inner + "</mujoco>", options);
}

template <class A, class B>
void expect_near(const A& actual, const B& expected, double tolerance = 1e-15) {
  ASSERT_EQ(std::size(actual), std::size(expected));
  for (size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_NEAR(actual[i], expected[i], tolerance) << "at " << i;
  }
}

}  // namespace stepbench::model::testing
