#include "notes.hpp"

#include <cstdio>

#include <dds/dds.h>
#include <dyn_core/base/printable.hpp>
#include <fmt/format.h>

#include "fields.hpp"

namespace dyn_dds {
namespace {

constexpr std::size_t kLongest = 400;  // bytes

}  // namespace

Notes::~Notes() { dds_set_log_sink(nullptr, nullptr); }

void Notes::add(std::string_view sentence) noexcept { add(sentence, own_); }

void Notes::take_log() noexcept {
  dds_set_log_sink(
      [](void* notes, const dds_log_data_t* data) {
        auto& self = *static_cast<Notes*>(notes);
        self.add({data->message, data->size}, self.log_);
      },
      this);
}

void Notes::keep() noexcept {
  const std::scoped_lock lock(mutex_);
  kept_ = true;
}

// Where memory is out, a note is lost, no more.
void Notes::add(std::string_view sentence, Limit& limit) noexcept try {
  const std::scoped_lock lock(mutex_);
  const double now = steady_seconds();
  ++limit.count;
  const bool begins = now - limit.start >= limit.period;
  if (!begins && limit.count > limit.most) return;
  const long left_out = begins ? limit.count - 1 - limit.most : 0;
  if (begins) {
    limit.start = now;
    limit.count = 1;
  }
  std::string line =
      dyn::printable(sentence.substr(0, sentence.find_last_not_of('\n') + 1), kLongest);
  if (&limit == &log_) line = "Cyclone DDS: " + line;
  if (left_out > 0) line += fmt::format(" ({} more were left out before)", left_out);
  if (!kept_) std::fprintf(stderr, "dyn_serve: %s\n", line.c_str());
  latest_.push_back(std::move(line));
  if (latest_.size() > 3) latest_.pop_front();
} catch (...) {
}

std::deque<std::string> Notes::latest() const {
  const std::scoped_lock lock(mutex_);
  return latest_;
}

}  // namespace dyn_dds
