// Where `dyn` writes: sentences on stderr, results on stdout or in files.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace dyn::tool {

/// Puts `text` on stderr. What cannot be written there is lost: nothing depends on it.
void put_on_stderr(std::string_view text);

/// One sentence on stderr, after "dyn: ".
template <class... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
  put_on_stderr("dyn: " + fmt::format(format, std::forward<Values>(values)...) + "\n");
}

/// Occupies standard streams that are closed: a file opened later must not become one of them.
void occupy_closed_streams();

/// The exit status of a command that ends with `status`: not 0 where stdout did not take everything, and
/// then a sentence unless the reader has gone. `cause` is the error of a write that has failed before.
[[nodiscard]] int status_after_writing(int status, std::error_code cause);

/// A file for the option that names it. Nothing stands at the path before finish(); a file that was there is
/// kept until then. "-" is stdout; devices and pipes are written as they are.
class OutputFile {
 public:
  /// Throws a Failure if nothing can be written there.
  OutputFile(const char* option, const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  /// All that was written is in the file. Both throw a Failure where that cannot be.
  void finish();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_stdout() const { return file_ == stdout; }

 private:
  [[noreturn]] void fail() const;
  void open_beside(const std::string& target);

  const char* option_;
  std::string path_;
  std::string target_, temporary_;  // empty where written directly
  std::FILE* file_ = nullptr;
};

}  // namespace dyn::tool
