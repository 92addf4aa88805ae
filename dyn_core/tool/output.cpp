#include "output.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.hpp"

namespace dyn::tool {
namespace {

namespace fs = std::filesystem;

// What a new file at `path` may be read and written by: as the file that is there, or as usual.
mode_t permissions_at(const std::string& path) {
  struct stat known {};
  if (stat(path.c_str(), &known) == 0) return known.st_mode & 0777;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

void put_on_stderr(std::string_view text) {
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
  (void)std::fflush(stderr);
}

void occupy_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    // The wrong way round: whoever uses the stream still gets an error.
    (void)open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

int status_after_writing(int status, std::error_code cause) {
  if (std::fflush(stdout) != 0) cause = {errno, std::generic_category()};
  if (std::ferror(stdout) == 0) return status;
  if (cause != std::errc::broken_pipe) {
    say("standard output could not be written: {}", cause ? cause.message() : "an error");
  }
  return status == 0 ? 1 : status;
}

OutputFile::OutputFile(const char* option, const std::string& path) : option_(option), path_(path) {
  std::error_code error;
  const fs::file_status known = fs::status(path, error);
  if (path == "-") {
    file_ = stdout;
  } else if (path.empty() || (fs::exists(known) && !fs::is_regular_file(known))) {
    file_ = std::fopen(path.c_str(), "w");
  } else {
    // Through a symbolic link: the link stays.
    const fs::path target = fs::weakly_canonical(path, error);
    open_beside(error ? path : target.string());
  }
  if (file_ == nullptr) fail();
}

void OutputFile::open_beside(const std::string& target) {
  if (fs::exists(target) && access(target.c_str(), W_OK) != 0) return;
  std::string name = target + ".XXXXXX";
  const int file = mkstemp(name.data());
  if (file < 0) return;
  target_ = target;
  temporary_ = name;
  (void)fchmod(file, permissions_at(target));
  file_ = fdopen(file, "w");
}

OutputFile::~OutputFile() {
  if (file_ != nullptr && !is_stdout()) (void)std::fclose(file_);
  if (!temporary_.empty()) (void)unlink(temporary_.c_str());
}

void OutputFile::fail() const {
  throw Failure(
      fmt::format("{}: '{}' cannot be written: {}", option_, path_, std::strerror(errno)));
}

void OutputFile::write(std::string_view text) {
  if (is_stdout()) {
    fmt::print("{}", text);
  } else if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) {
    fail();
  }
}

void OutputFile::finish() {
  if (is_stdout()) return;
  std::FILE* const file = std::exchange(file_, nullptr);
  const bool whole = std::fflush(file) == 0 && std::ferror(file) == 0;
  if (std::fclose(file) != 0 || !whole) fail();
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail();
  temporary_.clear();
}

}  // namespace dyn::tool
