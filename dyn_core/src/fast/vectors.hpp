// Vectors of three components.
#pragma once

#include "simd.hpp"

namespace dyn::fast::DYN_SIMD_TARGET {

/// A vector of 3 components; of several joints or states where `T` has lanes.
template <class T>
struct VecOf {
  T x, y, z;

  friend DYN_INLINE VecOf operator+(const VecOf& a, const VecOf& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend DYN_INLINE VecOf operator-(const VecOf& a, const VecOf& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
};
template <class F, class T>
DYN_INLINE VecOf<T> operator*(F f, const VecOf<T>& a) {
  return {f * a.x, f * a.y, f * a.z};
}
template <class T>
DYN_INLINE T dot(const VecOf<T>& a, const VecOf<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
DYN_INLINE VecOf<T> cross(const VecOf<T>& a, const VecOf<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

}  // namespace dyn::fast::DYN_SIMD_TARGET
