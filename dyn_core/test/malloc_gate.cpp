#include "malloc_gate.hpp"

#include <cerrno>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define DYN_MALLOC_GATE 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || \
    __has_feature(thread_sanitizer)
#define DYN_MALLOC_GATE 0
#endif
#endif
#ifndef DYN_MALLOC_GATE
#define DYN_MALLOC_GATE 1
#endif

namespace dyn::test {
namespace {

thread_local bool armed = false;
thread_local std::size_t counted = 0;

#if DYN_MALLOC_GATE
void count() noexcept {
  if (armed) ++counted;
}
#endif

}  // namespace

MallocGate::MallocGate() noexcept {
  counted = 0;
  armed = true;
}

MallocGate::~MallocGate() { armed = false; }

std::size_t MallocGate::calls() const noexcept { return counted; }

bool MallocGate::available() noexcept { return DYN_MALLOC_GATE != 0; }

}  // namespace dyn::test

#if DYN_MALLOC_GATE

extern "C" {

// glibc's own functions under their second names.
void* __libc_malloc(std::size_t size);                           // NOLINT
void* __libc_calloc(std::size_t count, std::size_t size);        // NOLINT
void* __libc_realloc(void* block, std::size_t size);             // NOLINT
void* __libc_memalign(std::size_t alignment, std::size_t size);  // NOLINT
void __libc_free(void* block);                                   // NOLINT

void* malloc(std::size_t size) noexcept {
  dyn::test::count();
  return __libc_malloc(size);
}

void* calloc(std::size_t items, std::size_t size) noexcept {
  dyn::test::count();
  return __libc_calloc(items, size);
}

void* realloc(void* block, std::size_t size) noexcept {
  dyn::test::count();
  return __libc_realloc(block, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  dyn::test::count();
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  dyn::test::count();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** block, std::size_t alignment, std::size_t size) noexcept {
  dyn::test::count();
  *block = __libc_memalign(alignment, size);
  return *block == nullptr ? ENOMEM : 0;
}

void free(void* block) noexcept {
  if (block == nullptr) return;
  dyn::test::count();
  __libc_free(block);
}

}  // extern "C"

#endif
