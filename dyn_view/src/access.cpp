#include "access.hpp"

#include <algorithm>
#include <random>

#include <fmt/format.h>

namespace dyn::view {
namespace {

// "[::1]:8080" and "localhost:8080" without the port.
std::string_view name_of(std::string_view host) {
  const std::size_t bracket = host.rfind(']'), colon = host.rfind(':');
  if (colon == std::string_view::npos) return host;
  if (bracket != std::string_view::npos && colon < bracket) return host;
  return host.substr(0, colon);
}

std::string_view token_in(std::string_view target) {
  constexpr std::string_view kName = "token=";
  const std::size_t query = target.find('?');
  if (query == std::string_view::npos) return {};
  std::string_view rest = target.substr(query + 1);
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find('&'));
    if (item.starts_with(kName)) return item.substr(kName.size());
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
  }
  return {};
}

// In a time that tells nothing of where they differ.
bool same(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i] ^ b[i]));
  }
  return difference == 0;
}

}  // namespace

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

std::string objection_to(const Visit& visit, const Door& door) {
  const std::string_view name = name_of(visit.host);
  const bool here = name == "127.0.0.1" || name == "localhost" || name == "[::1]" ||
                    (!name.empty() && name == door.name);
  if (door.loopback && !here) {
    return "this page is for this machine only: open it by the address that was printed at the "
           "start";
  }
  if (!visit.origin.empty() && visit.origin != fmt::format("http://{}", visit.host)) {
    return "a request of a foreign origin is refused";
  }
  if (!door.token.empty() && !same(token_in(visit.target), door.token)) {
    return "the token is missing or wrong: open the address that was printed at the start";
  }
  return {};
}

std::string new_token() {
  std::random_device random("/dev/urandom");
  std::string token;
  for (int k = 0; k < 4; ++k) token += fmt::format("{:08x}", random());
  return token;
}

}  // namespace dyn::view
