// Seeded random numbers and random chains: for complexity tables, benchmarks and tests.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "dyn_core/base/export.hpp"
#include "dyn_core/robot/chain.hpp"

namespace dyn {

/// SplitMix64: the same numbers everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(next() >> 11) * 0x1.0p-53;
  }
  /// Of the standard normal distribution, by Box and Muller.
  double normal() {
    const double u = 1.0 - uniform(0.0, 1.0);
    const double turn = uniform(0.0, 2.0 * std::numbers::pi);
    return std::sqrt(-2.0 * std::log(u)) * std::cos(turn);
  }
  bool chance(double probability) { return uniform(0.0, 1.0) < probability; }
  Vec3d vector(double size) {
    const double x = uniform(-size, size), y = uniform(-size, size), z = uniform(-size, size);
    return {x, y, z};
  }
  VecXd vector(Index n, double size) {
    VecXd v(n);
    for (double& x : v) x = uniform(-size, size);
    return v;
  }

 private:
  std::uint64_t state_;
};

/// A physical rigid body of about the size of a robot link.
DYN_CORE_EXPORT [[nodiscard]] RigidBody random_body(Random& random);

struct ChainKind {
  double prismatic = 0.0;     ///< share of prismatic joints
  double hayati = 0.0;        ///< share of rows with the extra angle
  bool right_angles = false;  ///< twists of 0 and ±90°, offsets along x only
};

/// A chain of n joints with general twists and full inertia tensors.
DYN_CORE_EXPORT [[nodiscard]] ChainPtr random_chain(Index n, std::uint64_t seed,
                                                    ChainKind kind = {});

}  // namespace dyn
