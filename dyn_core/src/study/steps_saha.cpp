// The steps of Saha's section 3 as they run, one by one and in the order of udut.hpp; those of joints 1 and 2
// that run in another way are what is left of the whole.
#include "dyn_core/papers/saha_2003/udut.hpp"
#include "dyn_core/study/counted_arm.hpp"
#include "dyn_core/study/steps.hpp"

namespace dyn {
namespace {

class SahaRun {
 public:
  SahaRun(const CountedArm& arm, CountingRule rule) : arm_(arm), rule_(rule), udut_(arm.model) {}

  [[nodiscard]] SahaSteps steps() {
    VecX<Counted> x = arm_.accelerations;
    const OperationCount whole = CountedArm::count(rule_, [&] {
      (void)udut_.factorise(arm_.model, arm_.joints());
      udut_.solve(arm_.accelerations, x);
    });
    decomposition();
    x = arm_.accelerations;
    step_a(x);
    add(steps_.B, [&] { x.array() /= udut_.pivots().array(); });
    step_c(x);
    steps_.first_two = whole - steps_.sum();
    return steps_;
  }

 private:
  template <class Work>
  void add(OperationCount& to, Work work) const {
    to = to + CountedArm::count(rule_, work);
  }

  void decomposition() {
    const Index tip = udut_.size() - 1;
    for (Index i = tip; i > 0; --i) {
      ArticulatedLink<Counted> link = udut_.link(i);
      add(steps_.A6, [&] { link.divide(); });
      if (i == 1) break;
      SpatialSym<Counted> M_hat;
      add(steps_.A7, [&] { M_hat = link.eliminated(); });
      add(steps_.A3, [&] {
        link.step.to_parent(M_hat, link.step.hinge);
        M_hat.add_rigid(arm_.model.link(i - 1));
      });
    }
  }

  void step_a(VecX<Counted>& tau_hat) {
    const Index tip = udut_.size() - 1;
    Screw<Counted> eta;
    for (Index i = tip; i > 0; --i) {
      const ArticulatedLink<Counted>& link = udut_.link(i);
      if (i == tip) {
        add(steps_.A8, [&] { eta = tau_hat[i] * link.psi; });
      } else {
        add(steps_.A10, [&] { tau_hat[i] -= link.p_dot(eta); });
        if (i == 1) break;
        add(steps_.A8, [&] { link.add_psi(tau_hat[i], eta); });
      }
      add(steps_.A9, [&] { link.step.force_to_parent(eta); });
    }
  }

  void step_c(VecX<Counted>& theta_dd) {
    const Index tip = udut_.size() - 1;
    Screw<Counted> mu = theta_dd[0] * udut_.first_axis();
    for (Index i = 1; i <= tip; ++i) {
      const ArticulatedLink<Counted>& link = udut_.link(i);
      if (i > 1) {
        add(steps_.C3, [&] { link.step.motion_to_child(mu); });
        add(steps_.C1, [&] { theta_dd[i] -= link.psi_dot(mu); });
      }
      if (i < tip) add(steps_.C2, [&] { link.add_p(theta_dd[i], mu); });
    }
  }

  const CountedArm& arm_;
  CountingRule rule_;
  Udut<Counted> udut_;
  SahaSteps steps_;
};

}  // namespace

SahaSteps count_saha_steps(const ChainPtr& chain, CountingRule rule) {
  const CountedArm arm(chain);
  return SahaRun(arm, rule).steps();
}

}  // namespace dyn
