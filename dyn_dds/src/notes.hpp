// Notes: what happens, in sentences, for whoever looks at the terminal.
#pragma once

#include <cstdio>
#include <deque>
#include <mutex>
#include <string>

#include "fields.hpp"

namespace dyn_dds {

/// Takes notes from any thread; no more than five a second, the others are left out.
class Notes {
 public:
  /// `kept`: for a dashboard that asks for latest(); else they are printed on stderr at once.
  explicit Notes(bool kept) : kept_(kept) {}

  void add(const std::string& sentence) {
    const std::scoped_lock lock(mutex_);
    const double now = steady_seconds();
    if (now - second_ >= 1.0) {
      second_ = now;
      count_ = 0;
    }
    if (++count_ > 5) return;
    if (!kept_) std::fprintf(stderr, "dyn_serve: %s\n", sentence.c_str());
    latest_.push_back(sentence);
    if (latest_.size() > 3) latest_.pop_front();
  }
  /// The latest three, oldest first.
  [[nodiscard]] std::deque<std::string> latest() const {
    const std::scoped_lock lock(mutex_);
    return latest_;
  }

 private:
  bool kept_;
  mutable std::mutex mutex_;
  std::deque<std::string> latest_;
  double second_ = 0.0;  // when the present second began
  int count_ = 0;        // of notes in it
};

}  // namespace dyn_dds
