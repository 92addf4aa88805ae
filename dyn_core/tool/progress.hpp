// Long work: a progress bar on a terminal, and Ctrl-C as a question instead of an end.
#pragma once

#include <chrono>
#include <exception>
#include <string>

namespace dyn::tool {

/// A line on stderr that says how far the work is. Where stderr is no terminal: a sentence after ten
/// seconds, and then ever more rarely.
class Progress {
 public:
  explicit Progress(std::string title, bool wanted = true);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `fraction` of the work is done, 0 to 1. Cheap to call often.
  void show(double fraction);

 private:
  using Clock = std::chrono::steady_clock;

  std::string title_;
  bool wanted_, terminal_;
  Clock::duration pause_;
  Clock::time_point start_, shown_;
};

/// While one of these lives, Ctrl-C only makes requested() true.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static bool requested();

 private:
  using Handler = void (*)(int);
  Handler before_;
};

/// Ends the command with exit status 130 after it has put its results away.
class Interrupted : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "stopped by Ctrl-C"; }
};

}  // namespace dyn::tool
