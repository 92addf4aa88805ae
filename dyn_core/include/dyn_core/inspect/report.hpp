// What is in use and how it fares: the model's report and diagnostics, in words and numbers.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/solver.hpp"

namespace dyn::inspect {

enum class Level { kOk, kWarning, kError };

/// One entry of a diagnostics display.
struct Diagnostic {
  Level level = Level::kOk;
  std::string message;
  std::vector<std::pair<std::string, std::string>> values;
};

/// A moving link with everything it carries, in its URDF frame.
struct LinkReport {
  std::string link, joint;
  std::vector<std::string> carried;
  RigidBody body;
  Level level = Level::kOk;
  std::string text;  ///< what is wrong with the body, empty if nothing
};

struct Report {
  std::string message;  ///< "ok", or why there is no model, or why the last description was refused
  std::string description_hash;
  ChainPtr chain;  ///< null where there is no model; then the rest is empty
  Algorithms algorithms;
  Vec3d gravity = Vec3d::Zero();
  RigidBody payload;
  std::vector<LinkReport> links;
};

DYN_CORE_EXPORT [[nodiscard]] std::vector<LinkReport> report_links(const Chain& chain);

/// FNV-1a, 64 bits, hexadecimal.
DYN_CORE_EXPORT [[nodiscard]] std::string hash_of(std::string_view text);

}  // namespace dyn::inspect
