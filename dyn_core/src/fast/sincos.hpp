// Sine and cosine of angles beyond those of lane_math.inc: they go to the C library.
#pragma once

#include "lanes.hpp"
#include "simd.hpp"

namespace dyn::fast::DYN_SIMD_TARGET {

/// From here on the reduction of an angle needs more than sincos() does.
inline constexpr double kFarAngle = 1e5;

DYN_INLINE bool any_beyond(V x, double limit) {
  const Bits beyond = (x > limit) | (x < -limit);
#if DYN_SIMD_LANES == 8
  return __builtin_ia32_cmpq512_mask(beyond, Bits{}, 4, 0xff) != 0;
#elif DYN_SIMD_LANES == 4
  return __builtin_ia32_movmskpd256(number(beyond)) != 0;
#else
  return (beyond[0] | beyond[1]) != 0;
#endif
}

[[gnu::noinline]] inline SinCos sincos_by_library(V x) {
  SinCos out{};
  for (int l = 0; l < kWidth; ++l) {
    double sine = 0.0, cosine = 0.0;
    sincos_far(x[l], sine, cosine);
    out.sine[l] = sine;
    out.cosine[l] = cosine;
  }
  return out;
}

}  // namespace dyn::fast::DYN_SIMD_TARGET
