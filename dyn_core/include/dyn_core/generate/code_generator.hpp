// Code generation: the dynamics of one robot as straight-line C++ without dependencies, for one state or for
// packets of eight.
#pragma once

#include <string>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/base/status.hpp"
#include "dyn_core/robot/model.hpp"

namespace dyn {

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
/// than kMostGeneratedJoints joints, or nothing left to write.
DYN_CORE_EXPORT [[nodiscard]] Result<GeneratedCode> generate_code(
    const Model& model, const std::string& version, int most_operations = kMostOperations);

/// The same for packets of eight states, compiled for each instruction set of the processor. `file` is the name
/// under which the text is saved: it includes itself.
DYN_CORE_EXPORT [[nodiscard]] Result<GeneratedCode> generate_lanes(
    const Model& model, const std::string& version, const std::string& file,
    int most_operations = kMostOperations);

}  // namespace dyn
