// The recursions of Kozłowski's Tab. 2 as they run, one by one.
#include "dyn_core/papers/kozlowski_1995/diagonalized.hpp"
#include "dyn_core/study/counted_arm.hpp"
#include "dyn_core/study/steps.hpp"

namespace dyn {
namespace {

class KozlowskiRecursions : private DiagonalizedDynamics<Counted> {
  using Base = DiagonalizedDynamics<Counted>;

 public:
  KozlowskiRecursions(const CountedArm& arm, CountingRule rule)
      : Base(arm.model), arm_(arm), rule_(rule), out_(size()) {}

  [[nodiscard]] KozlowskiSteps steps() {
    KozlowskiSteps s;
    inertias(s);
    velocities_and_forces(s);
    equations(s);
    return s;
  }

 private:
  template <class Work>
  OperationCount count(Work work) const {
    return CountedArm::count(rule_, work);
  }

  void inertias(KozlowskiSteps& s) {
    Udut<Counted> udut(arm_.model);
    s.P = count([&] { (void)udut.factorise(arm_.model, arm_.joints()); });
    for (Index i = 1; i < size(); ++i) {
      ArticulatedLink<Counted> link = udut.link(i);
      s.G = s.G + count([&] { link.divide(); });
    }
    s.P = s.P - s.G;
    s.root = count([&] { (void)update(arm_.model, arm_.joints()); }) - s.P - s.G;
  }

  void velocities_and_forces(KozlowskiSteps& s) {
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

  void equations(KozlowskiSteps& s) {
    s.epsilon = count([&] { torque_to_epsilon(arm_.accelerations, out_); }) - s.z;
    s.kappa = count([&] { torque_to_kappa(arm_.accelerations, out_); }) - s.z;
    s.y_nu = count([&] { normalised(out_); });
    s.y_xi = count([&] { unnormalised(out_); });
    const Vec3d& gravity = arm_.model.gravity();
    s.nu_rate = count([&] { Base::nu_rate(arm_.model, gravity, arm_.accelerations, out_); }) - s.b -
                s.y_nu - s.epsilon - s.z;
    s.xi_rate = count([&] { Base::xi_rate(arm_.model, gravity, arm_.accelerations, out_); }) - s.b -
                s.y_xi - s.kappa - s.z;
  }

  const CountedArm& arm_;
  CountingRule rule_;
  VecX<Counted> out_;
};

}  // namespace

KozlowskiSteps count_kozlowski_steps(const ChainPtr& chain, CountingRule rule) {
  const CountedArm arm(chain);
  return KozlowskiRecursions(arm, rule).steps();
}

}  // namespace dyn
