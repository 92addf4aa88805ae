// Copyright 2026 The dyn developers
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

// Fields: how ROS 2's C++ messages hold text and arrays, for dyn_core's inspect/messages.hpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dyn_msgs {

/// Allocates only where a text or an array must grow.
struct Fields {
  static void text(std::string_view from, std::string& to) { to = from; }
  template <class Element>
  static std::span<Element> resize(std::vector<Element>& sequence, std::size_t size) {
    sequence.resize(size);
    return sequence;
  }
  [[nodiscard]] static std::span<const double> numbers(const std::vector<double>& sequence) {
    return sequence;
  }
  [[nodiscard]] static const std::vector<std::string>& names(
      const std::vector<std::string>& sequence) {
    return sequence;
  }
};

inline constexpr Fields kFields{};

}  // namespace dyn_msgs
