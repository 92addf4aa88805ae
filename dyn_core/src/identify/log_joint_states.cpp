#include "identify/log_joint_states.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "dyn_core/base/printable.hpp"

namespace dyn {
namespace {

/// Numbers of one kind in a message, perhaps of the other byte order.
template <class Number>
Number number_at(const char* data, bool swapped) {
  std::array<char, sizeof(Number)> bytes;
  std::memcpy(bytes.data(), data, bytes.size());
  if (swapped) std::ranges::reverse(bytes);
  return std::bit_cast<Number>(bytes);
}

/// Common Data Representation: values at multiples of their size after the four bytes that say which byte
/// order it is.
class Cdr {
 public:
  explicit Cdr(std::string_view message) {
    ok_ = message.size() >= 4 && message[0] == 0 && (message[1] == 0 || message[1] == 1);
    if (!ok_) return;
    swapped_ = (message[1] == 1) != (std::endian::native == std::endian::little);
    data_ = message.substr(4);
  }

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool swapped() const { return swapped_; }

  template <class Number>
  Number number() {
    const std::string_view bytes = take(sizeof(Number), 1, sizeof(Number));
    return bytes.empty() ? Number{} : number_at<Number>(bytes.data(), swapped_);
  }
  // Without the zero at its end.
  std::string_view string() {
    const auto size = number<std::uint32_t>();
    const std::string_view text = take(1, size, 1);
    return text.substr(0, text.empty() ? 0 : text.size() - 1);
  }
  std::string_view doubles() {
    const auto count = number<std::uint32_t>();
    return count > 0 ? take(sizeof(double), count, sizeof(double)) : std::string_view();
  }
  void strings(std::vector<std::string_view>& out) {
    constexpr std::uint32_t kMost = 4096;
    const auto count = number<std::uint32_t>();
    ok_ = ok_ && count <= kMost;
    out.clear();
    for (std::uint32_t i = 0; i < count && ok_; ++i) out.push_back(string());
  }

 private:
  std::string_view take(std::size_t alignment, std::size_t count, std::size_t size) {
    const std::size_t begin = (at_ + alignment - 1) / alignment * alignment;
    ok_ = ok_ && begin <= data_.size() && count <= (data_.size() - begin) / size;
    if (!ok_) return {};
    at_ = begin + count * size;
    return data_.substr(begin, count * size);
  }

  std::string_view data_;
  std::size_t at_ = 0;
  bool ok_ = false, swapped_ = false;
};

constexpr std::string_view kType = "sensor_msgs/msg/JointState";

}  // namespace

Result<bool> JointStates::offer(std::string_view topic, std::string_view type,
                                std::string_view encoding) {
  std::string_view wanted = rows_.options().topic;
  const bool named = topic == wanted || (topic.starts_with('/') && topic.substr(1) == wanted);
  if (!named && (!wanted.empty() || type != kType)) {
    if (others_.size() < 300) others_ += (others_.empty() ? "" : ", ") + printable(topic, 60);
    return false;
  }
  const std::string shown = printable(topic, 60);
  if (type != kType) {
    return fail(fmt::format("{}: the topic {} is of {}; choose one of {} with --topic",
                            rows_.path(), shown, printable(type, 60), kType));
  }
  if (encoding != "cdr") {
    return fail(
        fmt::format("{}: the topic {} is encoded in {}, which is not read; record it with ROS 2, "
                    "which writes CDR",
                    rows_.path(), shown, printable(encoding, 20)));
  }
  if (!rows_.topic.empty() && rows_.topic != topic) {
    return fail(fmt::format("{}: there are joint states on {} and on {}; choose by --topic",
                            rows_.path(), printable(rows_.topic, 60), shown));
  }
  rows_.topic = topic;
  return true;
}

Result<void> JointStates::message(std::string_view bytes, std::uint64_t received) {
  Cdr cdr(bytes);
  const auto sec = cdr.number<std::int32_t>();
  const auto nanosec = cdr.number<std::uint32_t>();
  cdr.string();
  cdr.strings(names_);
  std::array<std::string_view, 3> values;
  for (std::string_view& kind : values) kind = cdr.doubles();
  const std::size_t size = names_.size() * sizeof(double);
  const auto fits = [&](const auto& kind) { return kind.empty() || kind.size() == size; };
  if (!cdr.ok() || !std::ranges::all_of(values, fits)) {
    ++rows_.malformed;
    return {};
  }
  if (!std::ranges::equal(names_, known_)) {
    known_.assign(names_.begin(), names_.end());
    matched_ = rows_.name_columns(names_);
  }
  if (!matched_ || values[0].empty()) {
    ++rows_.incomplete;
    return {};
  }
  if (values[2].empty()) {
    ++rows_.without_effort;
    return {};
  }
  const std::int64_t stamp = std::int64_t{sec} * 1'000'000'000 + nanosec;
  if (!rows_.origin) rows_.origin = {stamp, received};
  const auto [first_stamp, first_received] = *rows_.origin;
  const auto since =
      static_cast<std::int64_t>(received - first_received);  // also of an earlier one
  return rows_.add(
      1e-9 * static_cast<double>(stamp - first_stamp), 1e-9 * static_cast<double>(since),
      !values[1].empty(), [&](std::size_t kind, std::size_t joint) {
        return number_at<double>(values[kind].data() + joint * sizeof(double), cdr.swapped());
      });
}

Result<void> JointStates::finish() const {
  if (!rows_.topic.empty() || rows_.damaged) return {};
  const std::string& wanted = rows_.options().topic;
  return fail(
      fmt::format("{}: there is no topic {}; it has {}{}", rows_.path(),
                  wanted.empty() ? "of " + std::string(kType) : "'" + printable(wanted, 60) + "'",
                  others_.empty() ? "none" : others_,
                  wanted.empty() ? "; record /joint_states" : "; choose one of them with --topic"));
}

}  // namespace dyn
