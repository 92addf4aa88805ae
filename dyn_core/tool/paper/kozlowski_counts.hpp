// What the recursions of Kozłowski's Tab. 2 execute as they run, one by one and in both columns.
#pragma once

#include <array>
#include <functional>
#include <numbers>
#include <utility>

#include "dyn_core/papers/kozlowski_1995/diagonalized.hpp"
#include "dyn_core/papers/kozlowski_1995/printed.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "measure.hpp"

namespace dyn::tool::kozlowski_paper {

using kozlowski::Line, kozlowski::LineCount;

// Column 1 is counted by every operation executed; column 2 as the paper customises, by what is not zero
// in the whole class of arms.
inline constexpr std::array<CountingRule, 2> kRuleOfColumn = {CountingRule::kGeneral,
                                                              CountingRule::kCustomised};

// Column 2 in its dearer case: all axes at right angles to the next.
inline ChainPtr arm_of_column(std::size_t column, Index n) {
  if (column == 0) return random_chain(n, 5);
  ChainDescription arm = random_chain(n, 5, {.right_angles = true})->description();
  for (std::size_t i = 1; i < arm.dh.size(); ++i) {
    arm.dh[i].alpha = (i % 2 == 0 ? -0.5 : 0.5) * std::numbers::pi;
  }
  return std::make_shared<const Chain>(std::move(arm));
}

// What the recursions execute, one by one.
struct Stages {
  OperationCount P, G, V_plus, V, z, b, lambda, root, xi, epsilon, kappa, y_nu, y_xi, nu_rate,
      xi_rate, components, inverse_dynamics;

  [[nodiscard]] OperationCount common() const { return P + G + V_plus + V + z + b + lambda; }
  [[nodiscard]] OperationCount normalized_part() const {
    return root + xi + epsilon + y_nu + nu_rate;
  }
  [[nodiscard]] OperationCount unnormalized_part() const {
    return root + xi + kappa + y_xi + xi_rate;
  }
};

class CountedRecursions : private DiagonalizedDynamics<Counted> {
  using Base = DiagonalizedDynamics<Counted>;

 public:
  CountedRecursions(std::size_t column, Index n)
      : Base(Model(arm_of_column(column, n))),
        arm_(arm_of_column(column, n)),
        rule_(kRuleOfColumn[column]),
        out_(n) {}

  [[nodiscard]] Stages stages() {
    Stages s;
    inertias(s);
    velocities_and_forces(s);
    equations(s);
    const auto rnea = find(inverse_dynamics_algorithms<Counted>(), "rnea")->make(arm_.model);
    s.inverse_dynamics = count([&] {
      rnea->inverse_dynamics(arm_.model, arm_.joints(false), arm_.model.gravity(), arm_.rates,
                             arm_.accelerations, out_);
    });
    return s;
  }

 private:
  template <class Work>
  OperationCount count(Work work) const {
    return CountedArm::count(rule_, work);
  }

  void inertias(Stages& s) {
    Udut<Counted> udut(arm_.model);
    s.P = count([&] { (void)udut.factorise(arm_.model, arm_.joints(false)); });
    for (Index i = 1; i < size(); ++i) {
      ArticulatedLink<Counted> link = udut.link(i);
      s.G = s.G + count([&] { link.divide(); });
    }
    s.P = s.P - s.G;
    s.root = count([&] { (void)update(arm_.model, arm_.joints(false)); }) - s.P - s.G;
  }

  void velocities_and_forces(Stages& s) {
    s.V = count([&] { velocities(arm_.rates); });
    Counted xi;
    s.xi = count([&] { xi = arm_.rates[1] + udut().alpha_01() * arm_.rates[0]; });
    for (Index i = 2; i < size(); ++i) {
      s.xi = s.xi + count([&] { xi = arm_.rates[i] + G_transposed_times(i, at(i).V); });
      s.V_plus = s.V_plus + shift_of(i, [](const auto& step, auto& V) { step.motion_to_child(V); });
      s.z = s.z + shift_of(i, [](const auto& step, auto& z) { step.force_to_parent(z); });
    }
    s.V = s.V - s.xi - s.V_plus;
    s.lambda = count([&] { articulated_rates(); });
    s.b = count([&] { bias_forces(arm_.model, arm_.model.gravity()); });
  }

  // A step from link to link less its two turns: Φ or Φ* alone.
  template <class Step>
  OperationCount shift_of(Index i, Step apply) const {
    const LinkStep<Counted>& step = body(i).step;
    const Counted any = Counted::variable(0.7);
    Screw<Counted> screw{Vec3<Counted>(any, any, any), Vec3<Counted>(any, any, any)},
        turned = screw;
    const OperationCount turns = count([&] {
      step.turn_to_child(turned.ang);
      step.turn_to_child(turned.lin);
    });
    return count([&] { apply(step, screw); }) - turns;
  }

  void equations(Stages& s) {
    s.epsilon = count([&] { torque_to_epsilon(arm_.accelerations, out_); }) - s.z;
    s.kappa = count([&] { torque_to_kappa(arm_.accelerations, out_); }) - s.z;
    s.y_nu = count([&] { normalised(out_); });
    s.y_xi = count([&] { unnormalised(out_); });
    s.nu_rate =
        count([&] { Base::nu_rate(arm_.model, arm_.model.gravity(), arm_.accelerations, out_); }) -
        s.b - s.y_nu - s.epsilon - s.z;
    s.xi_rate =
        count([&] { Base::xi_rate(arm_.model, arm_.model.gravity(), arm_.accelerations, out_); }) -
        s.b - s.y_xi - s.kappa - s.z;
    MatX<Counted> c(size(), size());
    s.components = count([&] { coriolis_factor(c); });
  }

  CountedArm arm_;
  CountingRule rule_;
  VecX<Counted> out_;
};

// The count of a recursion for any N, from three lengths of arm.
using Recursion = std::function<OperationCount(const Stages&)>;

class CountedColumns {
 public:
  CountedColumns() {
    for (std::size_t column = 0; column < 2; ++column) {
      for (std::size_t i = 0; i < kLengths.size(); ++i) {
        stages_[column][i] = CountedRecursions(column, kLengths[i]).stages();
      }
    }
  }
  [[nodiscard]] const Stages& six(std::size_t column) const { return stages_[column][0]; }
  [[nodiscard]] const Stages& nine(std::size_t column) const { return stages_[column][1]; }
  [[nodiscard]] const Stages& twelve(std::size_t column) const { return stages_[column][2]; }

  [[nodiscard]] LineCount line(std::size_t column, const Recursion& recursion) const {
    const PrintedCount at_6 = recursion(six(column)), at_12 = recursion(twelve(column));
    const auto through = [](double six, double twelve) {
      const double slope = (twelve - six) / 6.0;
      return Line{slope, six - 6.0 * slope};
    };
    return {through(at_6.multiplications, at_12.multiplications),
            through(at_6.additions, at_12.additions)};
  }
  /// Whether nine links lie on the line of six and twelve.
  [[nodiscard]] bool linear(std::size_t column, const Recursion& recursion) const {
    return line(column, recursion)(9.0) == PrintedCount(recursion(nine(column)));
  }

 private:
  static constexpr std::array<Index, 3> kLengths = {6, 9, 12};
  std::array<std::array<Stages, 3>, 2> stages_;
};

}  // namespace dyn::tool::kozlowski_paper
