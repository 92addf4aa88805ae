#include "progress.hpp"

#include <algorithm>
#include <csignal>

#include <unistd.h>

#include "output.hpp"

namespace dyn::tool {
namespace {

volatile std::sig_atomic_t interrupt_requested = 0;

void note_interrupt(int /*signal*/) { interrupt_requested = 1; }

constexpr auto kBetweenUpdates = std::chrono::milliseconds(80);
constexpr auto kFirstWord = std::chrono::seconds(10);  // where there is no terminal
constexpr int kBarWidth = 32;

}  // namespace

Progress::Progress(std::string title, bool wanted)
    : title_(std::move(title)),
      wanted_(wanted),
      terminal_(isatty(STDERR_FILENO) == 1),
      pause_(terminal_ ? kBetweenUpdates : kFirstWord),
      start_(Clock::now()),
      shown_(start_) {}

Progress::~Progress() {
  if (terminal_ && shown_ != start_) put_on_stderr("\r\x1b[K");
}

void Progress::show(double fraction) {
  if (!wanted_) return;
  const Clock::time_point now = Clock::now();
  if (now - shown_ < pause_) return;
  shown_ = now;
  fraction = std::clamp(fraction, 0.0, 1.0);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string left =
      fraction > 0.02 ? fmt::format(", {:.0f} s left", seconds / fraction - seconds) : "";
  if (!terminal_) {
    pause_ *= 2;
    say("{}: {:.0f} % in {:.0f} s{}", title_, 100.0 * fraction, seconds, left);
    return;
  }
  const int done = static_cast<int>(fraction * kBarWidth);
  std::string bar;
  for (int i = 0; i < kBarWidth; ++i) bar += i < done ? "█" : "░";
  put_on_stderr(fmt::format("\r\x1b[K{} {} {:3.0f} %{}", title_, bar, 100.0 * fraction, left));
}

InterruptGuard::InterruptGuard() : before_(SIG_DFL) {
  interrupt_requested = 0;
  before_ = std::signal(SIGINT, note_interrupt);
}

InterruptGuard::~InterruptGuard() { std::signal(SIGINT, before_); }

bool InterruptGuard::requested() { return interrupt_requested != 0; }

}  // namespace dyn::tool
