#include "mesh_file.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "dyn_core/base/names.hpp"
#include "mesh_formats.hpp"

namespace dyn::internal {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostMeshBytes = 64u << 20;

std::vector<std::string> folders_in(const char* variable) {
  std::vector<std::string> folders;
  const char* const value = std::getenv(variable);
  std::string_view rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return folders;
}

// Of package://NAME/REST: as installed, as in a source tree, in the folders given, beside the URDF.
std::vector<fs::path> places_in_package(const std::string& name, const std::string& rest,
                                        const std::string& urdf_folder,
                                        const std::vector<std::string>& given) {
  std::vector<fs::path> places;
  const auto add_in = [&](const fs::path& folder) {
    if (folder.filename() == name) places.push_back(folder / rest);
    places.push_back(folder / name / rest);
  };
  for (const std::string& folder : given) {
    add_in(folder);
    places.push_back(fs::path(folder) / rest);
  }
  for (const std::string& prefix : folders_in("AMENT_PREFIX_PATH")) {
    places.push_back(fs::path(prefix) / "share" / name / rest);
  }
  for (const std::string& folder : folders_in("ROS_PACKAGE_PATH")) add_in(folder);
  std::error_code error;
  for (fs::path folder = fs::absolute(urdf_folder, error); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (folder.filename() == name) places.push_back(folder / rest);
  }
  return places;
}

Result<std::string> bytes_of(const std::string& path, std::uintmax_t& budget) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) return fail("it cannot be read; check its permissions");
  if (size > std::min(kMostMeshBytes, budget)) {
    return fail(fmt::format(
        "it has {} MB, more than the {} MB that are read of one file or are left of those for one "
        "robot; export a coarser one",
        (size >> 20) + 1, std::min(kMostMeshBytes, budget) >> 20));
  }
  budget -= size;
  std::string bytes(size, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  if (static_cast<std::uintmax_t>(file.gcount()) != size) {
    return fail("it cannot be read; check its permissions");
  }
  return bytes;
}

}  // namespace

Result<std::string> find_mesh(const std::string& uri, const std::string& urdf_folder,
                              const std::vector<std::string>& folders) {
  const std::size_t scheme = uri.find("://");
  const std::string path = scheme == std::string::npos ? uri : uri.substr(scheme + 3);
  const std::string name = path.substr(0, path.find('/'));
  std::vector<fs::path> places;
  if (uri.starts_with("package://") || uri.starts_with("model://")) {
    places = places_in_package(name, path.substr(std::min(name.size() + 1, path.size())),
                               urdf_folder, folders);
  } else if (fs::path(path).is_absolute()) {
    places = {path};
  } else {
    places = {fs::path(urdf_folder) / path};
    for (const std::string& folder : folders) places.push_back(fs::path(folder) / path);
  }
  for (const std::string& folder : folders) {
    places.push_back(fs::path(folder) / fs::path(path).filename());
  }
  std::error_code error;
  std::vector<std::string> looked;
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place, error)) return place.string();
    if (std::ranges::find(looked, place.string()) == looked.end()) looked.push_back(place.string());
  }
  return fail(fmt::format(
      "it was not found{}; give the folder that it or its package is in with --mesh-path",
      looked.empty() ? fmt::format(": no folder of package '{}' is known, neither by "
                                   "AMENT_PREFIX_PATH nor by ROS_PACKAGE_PATH",
                                   name)
                     : " at " + quoted_list(looked, 8)));
}

Result<Mesh> read_mesh(const std::string& path, std::uintmax_t& budget) {
  std::string format = fs::path(path).extension().string();
  std::ranges::transform(format, format.begin(), [](unsigned char c) { return std::tolower(c); });
  if (format != ".stl" && format != ".obj" && format != ".dae") {
    return fail("only STL, OBJ and DAE files are read; export it as one of these");
  }
  const auto bytes = bytes_of(path, budget);
  if (!bytes) return tl::unexpected(bytes.error());
  Mesh mesh;
  std::string objection = format == ".stl"   ? read_stl(*bytes, mesh)
                          : format == ".obj" ? read_obj(*bytes, mesh)
                                             : read_dae(*bytes, mesh);
  if (!objection.empty()) return fail(std::move(objection));
  return mesh;
}

}  // namespace dyn::internal
