// What the items of Kang's paper share: the arms on which its equations are tried, and how far two things
// are apart.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "dyn_core/math/dual.hpp"
#include "dyn_core/papers/kang/as_printed_modified.hpp"
#include "dyn_core/papers/kang/inertia_power.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "paper.hpp"

namespace dyn::tool {

// The paper's sections, one file each.
void kang_abstract(PaperItems& items);    ///< abstract and 1: the rivals and the saving
void kang_links(PaperItems& items);       ///< 2
void kang_appendix(PaperItems& items);    ///< at the end of the paper
void kang_properties(PaperItems& items);  ///< 3
void kang_bodies(PaperItems& items);      ///< 4.1, (11)-(22)
void kang_elements(PaperItems& items);    ///< 4.1, (23)-(29)
void kang_steps(PaperItems& items);       ///< 4.2
void kang_tip_speed(PaperItems& items);   ///< 5, what P* is for

using KangArray = std::vector<MatXd>;

/// One state of an arm.
struct KangState {
  KangState(const ChainPtr& chain, std::uint64_t seed)
      : model(chain), n(model.size()), poses(static_cast<std::size_t>(n)) {
    Random random(seed);
    q = random.vector(n, 3.0);
    qd = random.vector(n, 2.0);
    qdd = random.vector(n, 2.0);
    joint_poses<double>(model, q, poses);
  }
  /// The same in motion: φ̇ are the rates, or `along`.
  [[nodiscard]] std::vector<JointPose<Dual>> moving(const VecXd& along) const {
    VecX<Dual> at(n);
    for (Index i = 0; i < n; ++i) at[i] = Dual(q[i], along[i]);
    std::vector<JointPose<Dual>> out(poses.size());
    joint_poses<Dual>(model, at, out);
    return out;
  }
  Model model;
  Index n;
  VecXd q, qd, qdd;
  std::vector<JointPose<double>> poses;
};

/// The largest of what `check` says of revolute arms and of arms with slides too.
template <class Check>
[[nodiscard]] double kang_worst(Check check) {
  double worst = 0.0;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    for (const Index n : {3, 6}) {
      for (const double slides : {0.0, 0.4}) {
        const KangState state(random_chain(n, seed, {.prismatic = slides}), seed);
        worst = std::max(worst, check(state));
      }
    }
  }
  return worst;
}

/// The same of one algorithm that is up to date: `check(algorithm, state)`.
template <class Algorithm, class Check>
[[nodiscard]] double kang_worst_of(Check check) {
  return kang_worst([&](const KangState& state) {
    Algorithm algorithm(state.model);
    algorithm.update(state.model, state.poses);
    return check(algorithm, state);
  });
}

constexpr double kKangSmall = 1e-3;  ///< of what is of the size of 1

/// The largest difference beside the largest element; what is all small counts as of size 1e-3.
template <class A, class B>
[[nodiscard]] double kang_apart(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  const double size = std::max({a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff(), kKangSmall});
  return (a - b).cwiseAbs().maxCoeff() / size;
}
[[nodiscard]] double kang_apart(const KangArray& a, const KangArray& b);

template <class Derived>
[[nodiscard]] auto kang_rates(const Eigen::MatrixBase<Derived>& m) {
  return m.unaryExpr([](const Dual& x) { return x.rate; }).eval();
}

/// The part of P* that is symmetric in j and k.
[[nodiscard]] KangArray kang_symmetric(KangArray P);
/// The Christoffel symbols of the mass matrix by exact derivatives.
[[nodiscard]] KangArray kang_christoffel(const KangState& state);
[[nodiscard]] MatXd kang_mass_matrix(const KangState& state);
/// Torques of motion without gravity, by Newton and Euler.
[[nodiscard]] VecXd kang_torque(const KangState& state, const VecXd& qd, const VecXd& qdd);

/// A misprint: how far both forms are from what they should be.
void kang_misprint(PaperItems& items, std::string item, std::string printed,
                   const std::string& right, double printed_off, double right_off,
                   std::string note = {});

}  // namespace dyn::tool
