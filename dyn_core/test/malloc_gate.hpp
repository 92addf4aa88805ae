// Counts allocations, in the release build too: the executable's own malloc takes the place of glibc's,
// so that operator new, Eigen and the standard library all pass through it.
#pragma once

#include <cstddef>

namespace dyn::test {

/// While one lives, allocations of this thread are counted. Freeing counts as well: it takes the same
/// locks.
class MallocGate {
 public:
  MallocGate() noexcept;
  ~MallocGate();
  MallocGate(const MallocGate&) = delete;
  MallocGate& operator=(const MallocGate&) = delete;

  /// Calls of malloc, calloc, realloc, free and their like since the gate was made.
  [[nodiscard]] std::size_t calls() const noexcept;
  /// False under a sanitizer, which has a malloc of its own: nothing is counted then.
  [[nodiscard]] static bool available() noexcept;
};

}  // namespace dyn::test
