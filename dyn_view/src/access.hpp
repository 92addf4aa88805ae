// Access: who may see the page. Internal to dyn_view.
#pragma once

#include <string>
#include <string_view>

namespace dyn::view {

/// What a request says of itself; empty where it says nothing.
struct Visit {
  std::string_view host, origin, target;
};

struct Door {
  bool loopback = true;   ///< it listens there only
  std::string token;      ///< empty: none is asked for
  std::string name = {};  ///< the address where it listens, as a request has it
};

/// Empty, or the sentence of the refusal.
[[nodiscard]] std::string objection_to(const Visit& visit, const Door& door);
/// 128 bits, hexadecimal, that nobody can guess.
[[nodiscard]] std::string new_token();
/// The path of a target, without its query.
[[nodiscard]] std::string_view path_of(std::string_view target);

}  // namespace dyn::view
