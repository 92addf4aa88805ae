// Sine and cosine of a vector of angles: one reduction by π/2 for both, then the polynomials of
// degree 13 and 14 on |r| ≤ π/4. The error is below 2 ulp of 1 (4.4e-16) for |x| ≤ 1e5; lanes beyond
// go to the C library.
#pragma once

#include "lanes.hpp"
#include "simd.hpp"

namespace dyn::fast::DYN_SIMD_TARGET {

struct SinCos {
  V sine, cosine;
};

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

DYN_INLINE SinCos sincos(V x) {
  constexpr double kShift = 0x1.8p52;  // adding it rounds to an integer, kept in the low bits
  const V shifted = x * 0x1.45f306dc9c883p-1 + kShift;
  const V n = shifted - kShift;
  const Bits quadrant = bits(shifted);
  // π/2 in three parts of 33, 33 and 53 bits.
  V r = x - n * 0x1.921fb544p+0;
  r = r - n * 0x1.0b4611a6p-34;
  r = r - n * 0x1.3198a2e037073p-69;
  const V z = r * r;
  const V z2 = z * z;
  const V sine_r = r + (r * z) * ((-0x1.555555555553dp-3 + z * 0x1.111111110eabdp-7) +
                                  z2 * ((-0x1.a01a019aa99b1p-13 + z * 0x1.71de346c5de3bp-19) +
                                        z2 * (-0x1.ae5dadb0e6fc7p-26 + z * 0x1.5d62e02a9359bp-33)));
  const V cosine_r =
      (1.0 - 0.5 * z) + z2 * ((0x1.555555555554cp-5 - z * 0x1.6c16c16c15140p-10) +
                              z2 * ((0x1.a01a019cab74ep-16 - z * 0x1.27e4f80533d75p-22) +
                                    z2 * (0x1.1ee9e89096313p-29 - z * 0x1.8facd1321c920p-37)));
  const Bits swap = (quadrant & 1) != 0;
  const Bits sine_sign = (quadrant & 2) << 62, cosine_sign = ((quadrant + 1) & 2) << 62;
  const V sine = swap ? cosine_r : sine_r, cosine = swap ? sine_r : cosine_r;
  return {number(bits(sine) ^ sine_sign), number(bits(cosine) ^ cosine_sign)};
}

}  // namespace dyn::fast::DYN_SIMD_TARGET
