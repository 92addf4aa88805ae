#include "dyn_core/robot/urdf.hpp"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "urdf_chain.hpp"
#include "urdf_document.hpp"
#include "urdf_outline.hpp"

namespace dyn {
namespace {

namespace fs = std::filesystem;

std::string refuse_file(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return fmt::format("'{}' does not exist; check the path", path);
  if (fs::is_directory(status)) {
    return fmt::format("'{}' is a directory; give the URDF file in it", path);
  }
  if (path.ends_with(".xacro")) {
    return fmt::format("'{0}' is a xacro file; expand it first: xacro '{0}' > robot.urdf", path);
  }
  if (fs::is_regular_file(status) && fs::file_size(path, error) > internal::kMaxBytes) {
    return fmt::format(
        "'{}' is {} MB long, more than the {} MB this reader accepts; is it the right "
        "file?",
        path, internal::megabytes(fs::file_size(path, error)), internal::kMaxBytes >> 20);
  }
  return {};
}

// No more than what decides that it is too long: a device may have no end.
std::string read_all(std::istream& file) {
  std::string text;
  std::string block(1 << 16, '\0');
  while (text.size() <= internal::kMaxBytes && file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block, 0, static_cast<std::size_t>(file.gcount()));
  }
  return text;
}

}  // namespace

Result<ChainPtr> parse_urdf(std::string_view xml, const UrdfOptions& options) {
  const auto tree = internal::read_urdf(xml);
  if (!tree) return fail(printable(tree.error().sentence));
  auto description = internal::ChainBuilder(*tree, options).build();
  if (!description) return fail(printable(description.error().sentence));
  return std::make_shared<const Chain>(std::move(*description));
}

Result<std::string> urdf_text(const std::string& path) {
  if (std::string text = refuse_file(path); !text.empty()) {
    return fail(printable(text));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return fail(printable(fmt::format("'{}' cannot be read; check its permissions", path)));
  }
  return read_all(file);
}

Result<ChainPtr> load_urdf(const std::string& path, const UrdfOptions& options) {
  const auto text = urdf_text(path);
  if (!text) return tl::unexpected(text.error());
  auto chain = parse_urdf(*text, options);
  if (!chain) return fail(printable(fmt::format("{}: {}", path, chain.error().sentence)));
  return chain;
}

}  // namespace dyn
