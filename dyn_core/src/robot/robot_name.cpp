#include "dyn_core/robot/robot_name.hpp"

#include <filesystem>

namespace dyn {
namespace {

namespace fs = std::filesystem;

// Looks beside the program and in the folders above it; empty if there is no such robot.
std::string bundled_robot(const std::string& name) {
  std::error_code error;
  if (name.empty() || name.find('/') != std::string::npos) return {};
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (fs::path folder = program.parent_path(); !folder.empty(); folder = folder.parent_path()) {
    for (const char* place : {"share/dyn_core/robots", "dyn_core/robots", "robots"}) {
      const fs::path robot = folder / place / (name + ".urdf");
      if (fs::exists(robot, error)) return robot.string();
    }
    if (folder == folder.root_path()) break;
  }
  return {};
}

std::string file_named(const std::string& name) {
  std::error_code error;
  if (fs::exists(name, error)) return name;
  const std::string bundled = bundled_robot(name);
  return bundled.empty() ? name : bundled;
}

}  // namespace

RobotName robot_named(const std::string& text) {
  std::error_code error;
  const std::size_t second = text.rfind(':');
  if (second == std::string::npos || second == 0 || fs::exists(text, error)) {
    return {file_named(text)};
  }
  const std::size_t first = text.rfind(':', second - 1);
  if (first == std::string::npos || first == 0) return {file_named(text)};
  return {file_named(text.substr(0, first)), text.substr(first + 1, second - first - 1),
          text.substr(second + 1)};
}

}  // namespace dyn
