#include "dyn_core/base/names.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dyn {
namespace {

std::string_view group_of(std::string_view name) {
  const std::size_t dot = name.find('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::string nearest(std::string_view name, std::span<const std::string> candidates) {
  constexpr std::size_t kLongest = 200;  // nobody means more, and it would take long
  std::size_t least = std::min(name.size(), kLongest) / 3 + 1;
  std::string found;
  for (const std::string& candidate : candidates) {
    if (std::max(name.size(), candidate.size()) > kLongest) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= least) continue;
    least = distance;
    found = candidate;
  }
  return found;
}

std::string quoted_list(std::span<const std::string> names, std::size_t most) {
  const std::string shown =
      fmt::format("'{}'", fmt::join(names.first(std::min(names.size(), most)), "', '"));
  return names.size() <= most ? shown : fmt::format("{} and {} more", shown, names.size() - most);
}

std::vector<std::string> mistaken_parameters(std::span<const std::string> given,
                                             std::span<const std::string> declared) {
  std::vector<std::string> sentences;
  for (const std::string& name : given) {
    if (std::ranges::find(declared, name) != declared.end()) continue;
    const std::string meant = nearest(name, declared);
    const std::string_view group = group_of(name);
    const bool in_group = !group.empty() && std::ranges::any_of(declared, [&](const auto& other) {
      return group_of(other) == group;
    });
    if (meant.empty() && !in_group) continue;
    sentences.push_back(
        fmt::format("there is no parameter '{}', so it changes nothing{}", name,
                    meant.empty() ? std::string() : fmt::format("; did you mean '{}'?", meant)));
  }
  return sentences;
}

}  // namespace dyn
