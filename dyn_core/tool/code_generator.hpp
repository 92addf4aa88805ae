// Code generation: the dynamics of one robot as straight-line C++ without dependencies.
#pragma once

#include <string>
#include <vector>

#include "dyn_core/base/status.hpp"
#include "dyn_core/robot/model.hpp"

namespace dyn::tool {

struct GeneratedCode {
  std::string text;  ///< of the header file
  std::string name;  ///< namespace of its functions
  /// Sentences: functions that would outgrow the instruction cache.
  std::vector<std::string> left_out;
};

/// Functions of more operations than this, of 12 to 14 bytes each, do not fit into the first-level instruction
/// cache of 32 KB and are slower than the loops they replace.
inline constexpr int kMostOperations = 2500;
inline constexpr Index kMostGeneratedJoints = 64;

/// Mass matrix, inverse dynamics, bias torque and forward dynamics of `model`, with its payload, gravity and
/// armature as constants. A function of more operations than `most_operations` is left out. The error: more
/// than kMostGeneratedJoints joints.
[[nodiscard]] Result<GeneratedCode> generate_code(const Model& model, const std::string& version,
                                                  int most_operations = kMostOperations);

}  // namespace dyn::tool
