// One list of algorithms: the library's entries, then those that programs add. Internal to dyn_core.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "dyn_core/registry.hpp"

namespace dyn {

/// A formula that a paper prints, as an Entry's paper_count.
template <PrintedCount (*Formula)(double)>
[[nodiscard]] PrintedCount printed(Index n, bool /*planar*/) {
  return Formula(static_cast<double>(n));
}
/// The same with another formula for planar arms.
template <PrintedCount (*Formula)(double), PrintedCount (*OfPlanar)(double)>
[[nodiscard]] PrintedCount printed(Index n, bool planar) {
  return (planar ? OfPlanar : Formula)(static_cast<double>(n));
}

/// Entries of which the last is `fast`: all of them for double, all others for the other scalars.
template <class Scalar, class Algorithm, std::size_t Count>
[[nodiscard]] constexpr Entries<Algorithm> offered(const Entry<Algorithm> (&entries)[Count]) {
  return Entries<Algorithm>(entries).first(std::is_same_v<Scalar, double> ? Count : Count - 1);
}

template <class Algorithm>
class RegistryList {
 public:
  explicit RegistryList(Entries<Algorithm> built_in) : entries_(built_in.begin(), built_in.end()) {}

  [[nodiscard]] Entries<Algorithm> entries() const { return entries_; }

  [[nodiscard]] Result<void> add(const Entry<Algorithm>& entry) {
    const std::string name(entry.name);
    if (name.empty() || name == "generated" || find(entries(), name) != nullptr) {
      return fail("an algorithm cannot be registered as '" + name +
                  "': give it a name that none has yet, and not 'generated'");
    }
    if (entry.make == nullptr) {
      return fail("the algorithm '" + name + "' has no function that makes it; give it one");
    }
    entries_.push_back(entry);
    return {};
  }

 private:
  std::vector<Entry<Algorithm>> entries_;
};

}  // namespace dyn
