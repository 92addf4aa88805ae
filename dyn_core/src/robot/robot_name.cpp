#include "dyn_core/robot/robot_name.hpp"

#include <array>
#include <filesystem>

#include <dlfcn.h>

namespace dyn {
namespace {

namespace fs = std::filesystem;

// This library's file: the program may be one that knows nothing of the suite, such as python.
fs::path library_file() {
  static const char kHere = 0;
  Dl_info info = {};
  std::error_code error;
  if (dladdr(&kHere, &info) == 0) return {};
  return fs::canonical(info.dli_fname, error);
}

// Looks beside the program and the library and in the folders above them; empty if there is no such robot.
std::string bundled_robot(const std::string& name) {
  std::error_code error;
  if (name.empty() || name.find('/') != std::string::npos) return {};
  const std::array<fs::path, 2> files = {fs::read_symlink("/proc/self/exe", error), library_file()};
  for (const fs::path& file : files) {
    for (fs::path folder = file.parent_path(); !folder.empty(); folder = folder.parent_path()) {
      for (const char* place : {"share/dyn_core/robots", "dyn_core/robots", "robots"}) {
        const fs::path robot = folder / place / (name + ".urdf");
        if (fs::exists(robot, error)) return robot.string();
      }
      if (folder == folder.root_path()) break;
    }
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
