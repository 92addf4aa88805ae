#include "compiled.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace dyn::generate {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFlags[] = {
    "-std=c++17", "-O2",   "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math", "-w",
    "-shared",    "-fPIC", "-fvisibility=hidden"};
// Long straight-line code gains a tenth by them; clang has none of them.
constexpr const char* kSchedule[] = {"-fschedule-insns", "-fsched-pressure"};

std::string variable(const char* name) {
  const char* const value = secure_getenv(name);
  return value == nullptr ? "" : value;
}

// FNV-1a. Two robots of one hash would be found out by Batch, which compares before it takes code.
std::uint64_t hash(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325ull;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return h;
}

// Ours, of the given type, and nobody else may write to it.
bool is_private(const fs::path& path, mode_t type) {
  struct stat about {};
  return lstat(path.c_str(), &about) == 0 && (about.st_mode & S_IFMT) == type &&
         about.st_uid == geteuid() && (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

Result<fs::path> cache_folder() {
  fs::path above = variable("XDG_CACHE_HOME");
  if (!above.is_absolute()) {
    const std::string home = variable("HOME");
    if (home.empty()) {
      return fail("there is no folder for compiled code: set HOME or XDG_CACHE_HOME");
    }
    above = fs::path(home) / ".cache";
  }
  const fs::path folder = above / "dyn";
  std::error_code error;
  fs::create_directories(above, error);
  if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    return fail(fmt::format("the folder {} for compiled code cannot be made: {}", folder.string(),
                            std::generic_category().message(errno)));
  }
  if (!is_private(folder, S_IFDIR)) {
    return fail(
        fmt::format("compiled code is not taken from {}, which is no folder of yours alone: take "
                    "others' right to write away, or name another by XDG_CACHE_HOME",
                    folder.string()));
  }
  return folder;
}

// A file of its own in the folder, gone with this.
class Temporary {
 public:
  Temporary(const fs::path& folder, const std::string& ending)
      : name_((folder / ("XXXXXX" + ending)).string()) {
    const int file = mkstemps(name_.data(), static_cast<int>(ending.size()));
    made_ = file >= 0;
    if (made_) close(file);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (made_) unlink(name_.c_str());
  }
  [[nodiscard]] bool made() const { return made_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
  bool made_ = false;
};

// Its exit status; nothing where there is no such program.
std::optional<int> run(std::vector<std::string> words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&quiet, stream, "/dev/null", O_WRONLY, 0);
  }
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, arguments.front(), &quiet, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&quiet);
  if (failed != 0) return {};
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return {};
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Written beside the others and moved there whole: whoever looks finds all of it or nothing.
Result<void> compile(const std::string& source, const fs::path& library) {
  const fs::path folder = library.parent_path();
  const Temporary text(folder, ".cpp"), code(folder, ".so");
  if (!text.made() || !code.made() || !(std::ofstream(text.name()) << source).flush()) {
    return fail(fmt::format("no file can be written in {}", folder.string()));
  }
  std::vector<std::string> compilers = {"c++", "g++", "clang++"};
  if (const std::string chosen = variable("CXX"); !chosen.empty()) compilers = {chosen};
  for (const std::string& compiler : compilers) {
    std::vector<std::string> words = {compiler, "-o", code.name(), text.name()};
    words.insert(words.end(), std::begin(kFlags), std::end(kFlags));
    std::vector<std::string> scheduled = words;
    scheduled.insert(scheduled.end(), std::begin(kSchedule), std::end(kSchedule));
    std::optional<int> status = run(scheduled);
    if (!status) continue;
    if (*status != 0) status = run(words);
    if (status != 0) {
      return fail(
          fmt::format("the compiler '{}' does not take the code for this robot: name g++ 12 or "
                      "clang 14 or a newer one by CXX",
                      compiler));
    }
    if (chmod(code.name().c_str(), S_IRWXU) != 0 ||
        rename(code.name().c_str(), library.c_str()) != 0) {
      return fail(fmt::format("{} cannot be written", library.string()));
    }
    return {};
  }
  return fail(
      fmt::format("there is no C++ compiler at hand ({}): install one, name it by CXX, or compile "
                  "what `dyn generate --lanes` writes into the program",
                  fmt::join(compilers, ", ")));
}

}  // namespace

Result<std::shared_ptr<void>> compiled(const std::string& source) {
  const Result<fs::path> folder = cache_folder();
  if (!folder) return tl::unexpected(folder.error());
  const std::string key = fmt::format("{}\n{}", fmt::join(kFlags, " "), source);
  const fs::path library = *folder / fmt::format("{:016x}.so", hash(key));
  std::error_code error;
  if (!fs::exists(fs::symlink_status(library, error))) {
    if (const Result<void> made = compile(source, library); !made) {
      return tl::unexpected(made.error());
    }
  }
  if (!is_private(library, S_IFREG)) {
    return fail(
        fmt::format("compiled code is not taken from {}, which is no file of yours alone: "
                    "remove it",
                    library.string()));
  }
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return fail(fmt::format("the compiled code {} cannot be loaded: remove it", library.string()));
  }
  return std::shared_ptr<void>(handle, [](void* h) { dlclose(h); });
}

}  // namespace dyn::generate
