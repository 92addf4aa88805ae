// One thing for each link, under a paper's own subscripts 1 … n.
#pragma once

#include <vector>

#include "dyn_core/math/types.hpp"

namespace dyn {

/// Slots 0 and n+1 are the ends of the chain: the base, and the body that is not there.
template <class T>
class OfLinks {
 public:
  OfLinks(Index n, const T& all) : items_(static_cast<std::size_t>(n) + 2, all) {}
  T& operator[](Index i) { return items_[static_cast<std::size_t>(i)]; }
  const T& operator[](Index i) const { return items_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<T> items_;
};

}  // namespace dyn
