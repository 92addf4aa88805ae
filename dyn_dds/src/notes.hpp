// Notes: what happens, in sentences, for whoever looks at the terminal.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <string_view>

namespace dyn_dds {

/// Takes notes from any thread, a few in a time, the others are left out. They may contain text from the
/// network: they become printable, one line each, and short.
class Notes {
 public:
  Notes() = default;
  ~Notes();
  Notes(const Notes&) = delete;
  Notes& operator=(const Notes&) = delete;

  /// No more than five a second.
  void add(std::string_view sentence) noexcept;
  /// Takes what Cyclone DDS has to say from now on, one sentence in ten seconds.
  void take_log() noexcept;
  /// From now on they are not printed on stderr, but kept for a dashboard that asks for latest().
  void keep() noexcept;
  /// The latest three, oldest first.
  [[nodiscard]] std::deque<std::string> latest() const;

 private:
  struct Limit {
    int most;             // in a period
    double period;        // s
    double start = -1e9;  // of the present one
    long count = 0;       // in it
  };
  void add(std::string_view sentence, Limit& limit) noexcept;

  mutable std::mutex mutex_;
  bool kept_ = false;
  std::deque<std::string> latest_;
  Limit own_{.most = 5, .period = 1.0}, log_{.most = 1, .period = 10.0};
};

}  // namespace dyn_dds
