// Vectors of doubles for the fast kernels, on the vector extensions of g++ and clang.
//
// The kernels are compiled once per instruction set, by target_*.cpp, which say how many lanes a vector
// has and in which namespace everything stands. Nothing here may include a header with inline functions:
// the linker could keep the copy of one that was compiled for a newer processor.
#pragma once

#if !defined(DYN_SIMD_TARGET) || !defined(DYN_SIMD_LANES)
#define DYN_SIMD_TARGET baseline
#define DYN_SIMD_LANES 2
#endif

#if DYN_SIMD_LANES > 2
#include <immintrin.h>
#endif

// In front of a loop of at most eight rounds: one copy of its body for each. clang does so by itself.
#ifdef __clang__
#define DYN_UNROLL
#else
#define DYN_UNROLL _Pragma("GCC unroll 8")
#endif
#define DYN_INLINE inline __attribute__((always_inline))
// A pass over all joints: one copy of it, however many queries it is part of.
#define DYN_PASS static inline __attribute__((noinline))

namespace dyn::fast::DYN_SIMD_TARGET {

#include "lane_math.inc"

// ---- between the lanes --------------------------------------------------------------------------
// Lane l of raised<K>(x) is lane l-K of x, of lowered<K>(x) lane l+K; zero where there is none.
// every(x, l): lane l of x in all lanes; l is known where the compiler unrolls the loop.
#if DYN_SIMD_LANES == 8

template <int K>
DYN_INLINE V raised(V x) {
  return __builtin_shufflevector(V{}, x, 8 - K, 9 - K, 10 - K, 11 - K, 12 - K, 13 - K, 14 - K,
                                 15 - K);
}
template <int K>
DYN_INLINE V lowered(V x) {
  return __builtin_shufflevector(x, V{}, K, 1 + K, 2 + K, 3 + K, 4 + K, 5 + K, 6 + K, 7 + K);
}
DYN_INLINE Bits lane_number() { return Bits{0, 1, 2, 3, 4, 5, 6, 7}; }
DYN_INLINE V every(V x, int l) {
  return _mm512_maskz_permutexvar_pd(0xff, _mm512_set1_epi64(l), x);
}
#elif DYN_SIMD_LANES == 4
template <int K>
DYN_INLINE V raised(V x) {
  return __builtin_shufflevector(V{}, x, 4 - K, 5 - K, 6 - K, 7 - K);
}
template <int K>
DYN_INLINE V lowered(V x) {
  return __builtin_shufflevector(x, V{}, K, 1 + K, 2 + K, 3 + K);
}
DYN_INLINE Bits lane_number() { return Bits{0, 1, 2, 3}; }
DYN_INLINE V every(V x, int l) {
  switch (l) {
    case 0:
      return __builtin_shufflevector(x, x, 0, 0, 0, 0);
    case 1:
      return __builtin_shufflevector(x, x, 1, 1, 1, 1);
    case 2:
      return __builtin_shufflevector(x, x, 2, 2, 2, 2);
    default:
      return __builtin_shufflevector(x, x, 3, 3, 3, 3);
  }
}
#else
template <int K>
DYN_INLINE V raised(V x) {
  return __builtin_shufflevector(V{}, x, 1, 2);
}
template <int K>
DYN_INLINE V lowered(V x) {
  return __builtin_shufflevector(x, V{}, 1, 2);
}
DYN_INLINE Bits lane_number() { return Bits{0, 1}; }
DYN_INLINE V every(V x, int l) {
  return l == 0 ? __builtin_shufflevector(x, x, 0, 0) : __builtin_shufflevector(x, x, 1, 1);
}
#endif

/// Sums over the lanes up to each lane, on top of `carry`, which becomes the total.
DYN_INLINE V prefix_sum(V x, V& carry) {
  x += raised<1>(x);
  if constexpr (kWidth > 2) x += raised<2>(x);
  if constexpr (kWidth > 4) x += raised<4>(x);
  const V before = carry;
  carry += every(x, kWidth - 1);
  return x + before;
}
/// The same from each lane to the last.
DYN_INLINE V suffix_sum(V x, V& carry) {
  x += lowered<1>(x);
  if constexpr (kWidth > 2) x += lowered<2>(x);
  if constexpr (kWidth > 4) x += lowered<4>(x);
  const V before = carry;
  carry += every(x, 0);
  return x + before;
}

// ---- the first few lanes --------------------------------------------------------------------------
/// The first `count` numbers, zeros after them; `count` may be beyond either end.
DYN_INLINE V load_first(const double* p, int count) {
  if (count >= kWidth) return load_unaligned(p);
#if DYN_SIMD_LANES == 8
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>(count > 0 ? (1 << count) - 1 : 0), p);
#elif DYN_SIMD_LANES == 4
  return _mm256_maskload_pd(p, reinterpret_cast<__m256i>(Bits{0, 1, 2, 3} < count));
#else
  V x{};
  if (count == 1) x[0] = p[0];
  return x;
#endif
}
/// Writes the first `count` lanes, 0 < count < kWidth, and nothing else.
DYN_INLINE void store_first(double* p, V x, int count) {
#if DYN_SIMD_LANES == 8
  _mm512_mask_storeu_pd(p, static_cast<__mmask8>((1 << count) - 1), x);
#elif DYN_SIMD_LANES == 4
  if (count > 1) __builtin_memcpy(p, &x, 16);
  if (count != 2) p[count - 1] = count == 1 ? x[0] : x[2];
#else
  (void)count;
  p[0] = x[0];
#endif
}

/// The first `count` > 0 lanes, or all.
DYN_INLINE void write(V x, int count, double* p) {
  count >= kWidth ? store_unaligned(p, x) : store_first(p, x, count);
}

// ---- tiles ----------------------------------------------------------------------------------------
/// kWidth x kWidth numbers, row by row.
struct Tile {
  V row[kWidth];
};

DYN_INLINE Tile transposed(const Tile& t) {
  Tile r = t;
#if DYN_SIMD_LANES == 8
  for (int i = 0; i < 8; i += 2) {
    r.row[i] = __builtin_shufflevector(t.row[i], t.row[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    r.row[i + 1] = __builtin_shufflevector(t.row[i], t.row[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  Tile q = r;
  for (int i = 0; i < 8; ++i) {
    if ((i & 2) != 0) continue;
    q.row[i] = __builtin_shufflevector(r.row[i], r.row[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    q.row[i + 2] = __builtin_shufflevector(r.row[i], r.row[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (int i = 0; i < 4; ++i) {
    r.row[i] = __builtin_shufflevector(q.row[i], q.row[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    r.row[i + 4] = __builtin_shufflevector(q.row[i], q.row[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
#elif DYN_SIMD_LANES == 4
  for (int i = 0; i < 4; i += 2) {
    r.row[i] = __builtin_shufflevector(t.row[i], t.row[i + 1], 0, 4, 2, 6);
    r.row[i + 1] = __builtin_shufflevector(t.row[i], t.row[i + 1], 1, 5, 3, 7);
  }
  const Tile q = r;
  for (int i = 0; i < 2; ++i) {
    r.row[i] = __builtin_shufflevector(q.row[i], q.row[i + 2], 0, 1, 4, 5);
    r.row[i + 2] = __builtin_shufflevector(q.row[i], q.row[i + 2], 2, 3, 6, 7);
  }
#else
  r.row[0] = __builtin_shufflevector(t.row[0], t.row[1], 0, 2);
  r.row[1] = __builtin_shufflevector(t.row[0], t.row[1], 1, 3);
#endif
  return r;
}

/// `lower` up to the diagonal, beyond it the transpose of `upper`'s lower triangle.
DYN_INLINE Tile joined(const Tile& lower, const Tile& upper) {
  Tile r = transposed(upper);
  for (int i = 0; i < kWidth; ++i) r.row[i] = lane_number() <= i ? lower.row[i] : r.row[i];
  return r;
}

}  // namespace dyn::fast::DYN_SIMD_TARGET
