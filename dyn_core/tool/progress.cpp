#include "progress.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace dyn::tool {
namespace {

volatile std::sig_atomic_t interrupt_requested = 0;

void note_interrupt(int /*signal*/) { interrupt_requested = 1; }

constexpr auto kBetweenUpdates = std::chrono::milliseconds(80);
constexpr int kBarWidth = 32;

}  // namespace

Progress::Progress(std::string title, bool wanted)
    : title_(std::move(title)),
      terminal_(wanted && isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      shown_(start_) {}

Progress::~Progress() {
  if (terminal_ && shown_ != start_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::show(double fraction) {
  if (!terminal_) return;
  const Clock::time_point now = Clock::now();
  if (now - shown_ < kBetweenUpdates) return;
  shown_ = now;
  fraction = std::clamp(fraction, 0.0, 1.0);
  const int done = static_cast<int>(fraction * kBarWidth);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::string bar;
  for (int i = 0; i < kBarWidth; ++i) bar += i < done ? "█" : "░";
  fmt::print(stderr, "\r\x1b[K{} {} {:3.0f} %", title_, bar, 100.0 * fraction);
  if (fraction > 0.02) fmt::print(stderr, ", {:.0f} s left", seconds / fraction - seconds);
  std::fflush(stderr);
}

InterruptGuard::InterruptGuard() : before_(SIG_DFL) {
  interrupt_requested = 0;
  before_ = std::signal(SIGINT, note_interrupt);
}

InterruptGuard::~InterruptGuard() { std::signal(SIGINT, before_); }

bool InterruptGuard::requested() { return interrupt_requested != 0; }

}  // namespace dyn::tool
