// Fields: how idlc's C structs hold text and arrays, for dyn_core's inspect/messages.hpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory_resource>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <dyn_core/inspect/messages.hpp>

#include "interfaces.hpp"

namespace dyn_dds {

using Time = builtin_interfaces::msg::Time;

template <class Sequence>
using Element = std::remove_pointer_t<decltype(Sequence::_buffer)>;

/// Strings and sequences live here until they are cleared. Allocates only for more than ever before.
class Fields {
 public:
  Fields() : block_(kBlock), memory_(block_.data(), block_.size()) {}
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  void clear() { memory_.release(); }
  void text(std::string_view from, char*& to) {
    to = make<char>(from.size() + 1);
    from.copy(to, from.size());
  }
  template <class Sequence>
  std::span<Element<Sequence>> resize(Sequence& sequence, std::size_t size) {
    sequence._buffer = make<Element<Sequence>>(size);
    sequence._length = sequence._maximum = static_cast<std::uint32_t>(size);
    sequence._release = false;
    return {sequence._buffer, size};
  }
  template <class Sequence>
  [[nodiscard]] static std::span<const Element<Sequence>> numbers(const Sequence& sequence) {
    return {sequence._buffer, sequence._length};
  }
  template <class Sequence>
  [[nodiscard]] static std::vector<std::string> names(const Sequence& sequence) {
    return {sequence._buffer, sequence._buffer + sequence._length};
  }

 private:
  static constexpr std::size_t kBlock = 1U << 17U;

  // All zero.
  template <class T>
  [[nodiscard]] T* make(std::size_t count) {
    static_assert(std::is_trivial_v<T>);
    return count == 0 ? nullptr : new (memory_.allocate(count * sizeof(T), alignof(T))) T[count]{};
  }

  std::vector<std::byte> block_;
  std::pmr::monotonic_buffer_resource memory_;
};

/// On a clock that does not jump, s.
[[nodiscard]] inline double steady_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

/// The system's clock, `ago` seconds earlier.
[[nodiscard]] inline Time stamp_of_now(double ago = 0.0) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto then = now - std::chrono::nanoseconds(std::llround(ago * 1e9));
  const auto seconds = std::chrono::floor<std::chrono::seconds>(then);
  const auto rest = std::chrono::duration_cast<std::chrono::nanoseconds>(then - seconds);
  return {static_cast<std::int32_t>(seconds.count()), static_cast<std::uint32_t>(rest.count())};
}

}  // namespace dyn_dds
