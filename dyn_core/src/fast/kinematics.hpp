// Frames of all links: axes parallel to the base link frame, origins from the origin of frame 0.
#pragma once

#include "sincos.hpp"
#include "vectors.hpp"

namespace dyn::fast::DYN_SIMD_TARGET {

/// One joint a lane.
using Vec = VecOf<V>;
DYN_INLINE Vec load(const Lanes* p, int l) {
  return {load(p[0] + l), load(p[1] + l), load(p[2] + l)};
}
DYN_INLINE void store(Lanes* p, int l, const Vec& v) {
  store(p[0] + l, v.x), store(p[1] + l, v.y), store(p[2] + l, v.z);
}

/// Where joint i stands: the lanes of kWidth joints from it on.
struct At {
  DYN_INLINE At(const Workspace& w, int i)
      : link(w.links[i / kLanes]), joint(w.state[i / kLanes]), lane(i % kLanes) {}
  const LinkLanes& link;
  JointLanes& joint;
  int lane;
};

struct Pose {
  V c, s, shift;
};

/// Sines and cosines of joint angles, and shifts, from positions.
DYN_INLINE Pose pose_of(const LinkLanes& k, int l, V position) {
  const V angle = load(k.theta + l) + load(k.revolute + l) * position;
  const SinCos t = any_beyond(angle, kFarAngle) ? sincos_by_library(angle) : sincos(angle);
  return {t.cosine, t.sine, load(k.d + l) + load(k.prismatic + l) * position};
}

/// Frames i in frames i-1 of one group of joints, from `q`, or without it from the poses in the work space.
DYN_INLINE void single_steps(const Workspace& w, int i, const double* q) {
  const auto [k, j, l] = At(w, i);
  const Pose p = q != nullptr ? pose_of(k, l, load_first(q + i, w.joints - i))
                              : Pose{load(j.c + l), load(j.s + l), load(j.shift + l)};
  const Vec x = load(k.twist, l), y = load(k.twist + 3, l), z = load(k.twist + 6, l);
  store(j.step, l, p.c * x + p.s * y);
  store(j.step + 3, l, p.c * y - p.s * x);
  store(j.offset, l, Vec{load(k.a + l) + p.shift * z.x, p.shift * z.y, p.shift * z.z});
}

#if DYN_SIMD_LANES >= 4
using Quad = double __attribute__((vector_size(32)));

/// The x, y and z of four columns go to three rows of lanes.
DYN_INLINE void store_columns(Lanes* p, int l, const Quad* column) {
  const Quad low0 = __builtin_shufflevector(column[0], column[1], 0, 4, 2, 6);
  const Quad low1 = __builtin_shufflevector(column[2], column[3], 0, 4, 2, 6);
  const Quad high0 = __builtin_shufflevector(column[0], column[1], 1, 5, 3, 7);
  const Quad high1 = __builtin_shufflevector(column[2], column[3], 1, 5, 3, 7);
  const Quad x = __builtin_shufflevector(low0, low1, 0, 1, 4, 5);
  const Quad y = __builtin_shufflevector(high0, high1, 0, 1, 4, 5);
  const Quad z = __builtin_shufflevector(low0, low1, 2, 3, 6, 7);
  __builtin_memcpy(p[0] + l, &x, sizeof x);
  __builtin_memcpy(p[1] + l, &y, sizeof y);
  __builtin_memcpy(p[2] + l, &z, sizeof z);
}

/// The columns and the origin of the frame reached, each one vector.
struct Frame {
  Quad X, Y, Z, o{};

  explicit Frame(const double* R)
      : X{R[0], R[1], R[2], 0.0}, Y{R[3], R[4], R[5], 0.0}, Z{R[6], R[7], R[8], 0.0} {}

  /// Moves on by the joints of one group.
  DYN_INLINE void move(const At& at) {
    const Lanes *x_step = at.joint.step, *y_step = x_step + 3, *z_step = at.link.twist + 6;
    const Lanes* offset = at.joint.offset;
    for (int first = 0; first < kWidth; first += 4) {
      Quad xs[4], ys[4], zs[4], os[4];
      for (int r = 0; r < 4; ++r) {
        const int l = at.lane + first + r;
        o = o + (X * offset[0][l] + Y * offset[1][l] + Z * offset[2][l]);
        const Quad x = X * x_step[0][l] + Y * x_step[1][l] + Z * x_step[2][l];
        const Quad y = X * y_step[0][l] + Y * y_step[1][l] + Z * y_step[2][l];
        Z = X * z_step[0][l] + Y * z_step[1][l] + Z * z_step[2][l];
        X = x, Y = y;
        xs[r] = X, ys[r] = Y, zs[r] = Z, os[r] = o;
      }
      store_columns(at.joint.frame, at.lane + first, xs);
      store_columns(at.joint.frame + 3, at.lane + first, ys);
      store_columns(at.joint.frame + 6, at.lane + first, zs);
      store_columns(at.joint.origin, at.lane + first, os);
    }
  }
};
#else
struct Frame {
  double R[9], o[3] = {0.0, 0.0, 0.0};

  explicit Frame(const double* base) {
    for (int c = 0; c < 9; ++c) R[c] = base[c];
  }

  DYN_INLINE void move(const At& at) {
    const Lanes *x_step = at.joint.step, *y_step = x_step + 3, *z_step = at.link.twist + 6;
    const Lanes* offset = at.joint.offset;
    for (int l = at.lane; l < at.lane + kWidth; ++l) {
      for (int r = 0; r < 3; ++r) {
        const double X = R[r], Y = R[3 + r], Z = R[6 + r];
        o[r] += X * offset[0][l] + Y * offset[1][l] + Z * offset[2][l];
        R[r] = X * x_step[0][l] + Y * x_step[1][l] + Z * x_step[2][l];
        R[3 + r] = X * y_step[0][l] + Y * y_step[1][l] + Z * y_step[2][l];
        R[6 + r] = X * z_step[0][l] + Y * z_step[1][l] + Z * z_step[2][l];
        at.joint.origin[r][l] = o[r];
        for (int c = 0; c < 9; c += 3) at.joint.frame[c + r][l] = R[c + r];
      }
    }
  }
};
#endif

/// The frames of all links, from `q`, or without it from the poses in the work space.
DYN_PASS void place_links(const Workspace& w, const double* q) {
  for (int i = 0; i < w.joints; i += kWidth) single_steps(w, i, q);
  Frame frame(w.base);
  for (int i = 0; i < w.joints; i += kWidth) frame.move(At(w, i));
}

}  // namespace dyn::fast::DYN_SIMD_TARGET
