#include "dyn_core/identify/log.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "dyn_core/base/printable.hpp"
#include "identify/log_rows.hpp"

namespace dyn {
namespace {

namespace fs = std::filesystem;

Result<void> read_log_file(const std::string& path, LogRows& rows) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    return fail(fmt::format("{}: there is no such file; give a CSV file, a rosbag2 file or folder",
                            printable(path)));
  }
  if (!fs::is_regular_file(status)) {
    return fail(fmt::format("{}: it is no file; give a CSV file, a rosbag2 file or folder",
                            printable(path)));
  }
  FileBytes bytes(path);
  if (!bytes.is_open())
    return fail(fmt::format("{}: it may not be read; change its permissions", printable(path)));
  std::array<char, 16> magic{};
  const std::string_view begin(magic.data(), bytes.read(magic.data(), magic.size()));
  bytes = FileBytes(path);
  if (begin.starts_with("SQLite format 3")) return read_db3(path, rows);
  if (begin.starts_with("\x89MCAP0\r\n")) return read_mcap(bytes, rows);
  if (begin.starts_with("\x28\xb5\x2f\xfd")) {
    return fail(fmt::format("{}: it is compressed as a whole; unpack it by zstd -d first",
                            printable(path)));
  }
  return read_csv(bytes, rows);
}

// The files that metadata.yaml lists, in its order; names only, so that it leads to no other folder.
std::vector<std::string> listed_files(const std::string& folder) {
  std::vector<std::string> files;
  FileBytes bytes(folder + "/metadata.yaml");
  if (!bytes.is_open()) return files;
  Lines lines(bytes);
  bool list = false;
  for (std::string_view line; lines.next(line);) {
    const std::size_t text = line.find_first_not_of(" \t");
    if (text == std::string_view::npos) continue;
    line.remove_prefix(text);
    if (list && line.starts_with("- ")) {
      std::string_view name = line.substr(2);
      if (name.size() > 1 && (name[0] == '"' || name[0] == '\''))
        name = name.substr(1, name.size() - 2);
      files.push_back(fs::path(name).filename());
    } else {
      list = line.starts_with("relative_file_paths:");
    }
  }
  return files;
}

std::vector<std::string> bag_files(const std::string& folder) {
  std::vector<std::string> files = listed_files(folder);
  if (!files.empty()) return files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string extension = entry.path().extension();
    if (extension == ".db3" || extension == ".mcap") files.push_back(entry.path().filename());
  }
  // log_2 before log_10.
  std::ranges::sort(files, {},
                    [](const std::string& name) { return std::pair(name.size(), name); });
  return files;
}

}  // namespace

Result<Log> read_log(const std::string& path, const Chain& chain, const LogOptions& options) {
  if (!options.joints.empty() && static_cast<Index>(options.joints.size()) != chain.dof()) {
    return fail(fmt::format("{} names of joints for a chain of {}; give one for each",
                            options.joints.size(), chain.dof()));
  }
  LogRows rows(chain, options, printable(path));
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const Result<void> read = read_log_file(path, rows);
    if (!read) return tl::unexpected(read.error());
    return rows.finish();
  }
  const std::vector<std::string> files = bag_files(path);
  if (files.empty()) {
    return fail(fmt::format(
        "{}: no rosbag2 file is in this folder; give the folder that ros2 bag record has made",
        printable(path)));
  }
  for (const std::string& file : files) {
    const Result<void> read = read_log_file((fs::path(path) / file).string(), rows);
    if (!read) return tl::unexpected(read.error());
  }
  return rows.finish();
}

}  // namespace dyn
