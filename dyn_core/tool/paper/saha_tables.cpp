// Saha 2003: operations, by step and in Table I, and what section 1 and the conclusions say of them.
#include <array>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "dyn_core/papers/saha_2003/as_printed_steps.hpp"
#include "dyn_core/papers/saha_2003/printed.hpp"
#include "dyn_core/papers/shared/articulated.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "dyn_core/study/steps.hpp"
#include "measure.hpp"
#include "saha_parts.hpp"

namespace dyn::tool {
namespace {

using saha::LinearCount;

std::string term(double factor, double constant) {
  if (factor == 0.0) return fmt::format("{}", constant);
  const std::string of_n = factor == 1.0 ? "n" : fmt::format("{}n", factor);
  return constant == 0.0 ? of_n : fmt::format("({}{:+})", of_n, constant);
}
std::string linear_text(const LinearCount& c) {
  if (c.m == 0.0 && c.m_0 == 0.0 && c.a == 0.0 && c.a_0 == 0.0) return "nil";
  if (c.a == 0.0 && c.a_0 == 0.0) return term(c.m, c.m_0) + "M";
  if (c.m == 0.0 && c.m_0 == 0.0) return term(c.a, c.a_0) + "A";
  return term(c.m, c.m_0) + "M " + term(c.a, c.a_0) + "A";
}

// The formula in n through the counts at 6 and 7 links; 12 must lie on it too.
template <class Count>
LinearCount linear_in_n(Count count) {
  const PrintedCount at_6 = count(6), at_7 = count(7), at_12 = count(12);
  LinearCount out{at_7.multiplications - at_6.multiplications, 0.0, at_7.additions - at_6.additions,
                  0.0};
  out.m_0 = at_6.multiplications - 6.0 * out.m;
  out.a_0 = at_6.additions - 6.0 * out.a;
  if (!(out.at(12) == at_12)) throw Failure("an operation count is not linear in the links");
  return out;
}

// The printed text itself, blocks multiplied densely; what is made of constants alone is free.
class StepsAsPrinted {
 public:
  explicit StepsAsPrinted(Index n) : arm_(random_chain(n, 1)), n_(n), steps_(arm_.model) {
    VecX<Counted> out(n);
    steps_.solve(arm_.model, arm_.joints(), arm_.rates, out);
  }
  [[nodiscard]] OperationCount count(std::string_view step) {
    using Steps = saha::ForwardDynamicsSteps<Counted>;
    const Joints<Counted> joints = arm_.joints();
    const VecX<Counted>& phi = arm_.rates;
    const auto over = [&](Index first, Index last, auto run) {
      return CountedArm::count(CountingRule::kCustomised, [&] {
        for (Index i = first; i <= last; ++i) run(i);
      });
    };
    const auto steps = [&](Index first, Index last, void (Steps::*run)(Index)) {
      return over(first, last, [&](Index i) { (steps_.*run)(i); });
    };
    if (step == "A1") {
      return over(1, n_,
                  [&](Index i) { steps_.step_a1(i, joints[static_cast<std::size_t>(i - 1)]); });
    }
    if (step == "A2") return steps(2, n_, &Steps::step_a2);
    if (step == "A3") return steps(1, n_, &Steps::step_a3);
    if (step == "A4") return steps(1, n_, &Steps::step_a4);
    if (step == "A5") return steps(1, n_, &Steps::step_a5);
    if (step == "A6") return steps(2, n_, &Steps::step_a6);
    if (step == "A7") return steps(2, n_, &Steps::step_a7);
    if (step == "A8") return steps(2, n_, &Steps::step_a8);
    if (step == "A9") return steps(2, n_, &Steps::step_a9);
    if (step == "A10") {
      return over(1, n_ - 1, [&](Index i) { steps_.step_a10(i, phi[i - 1]); });
    }
    if (step == "C1") return steps(1, n_, &Steps::step_c1);
    if (step == "C2") return steps(1, n_, &Steps::step_c2);
    if (step == "C3") return steps(2, n_, &Steps::step_c3);
    return {n_, 0};  // B
  }

 private:
  CountedArm arm_;
  Index n_;
  saha::ForwardDynamicsSteps<Counted> steps_;
};

struct StepOfOurs {
  std::string_view name;
  OperationCount SahaSteps::*count;
  const char* why;
};
constexpr const char* kOrigins =
    "about the origins of the joints instead of the mass centres, where d_i and c_i,i-1 are "
    "constants";
constexpr std::array<StepOfOurs, 13> kStepsAsRun = {{
    {"A1", nullptr, kOrigins},
    {"A2", nullptr, kOrigins},
    {"A3", &SahaSteps::A3,
     "shifts along two axes in place of a general c_i,i-1, and the rows of M̂_ii along the joint "
     "axis, "
     "which are zero, are not carried"},
    {"A4", nullptr, "about the origin of the joint p_i is a unit vector: ψ̂_i is a column of M̂_i"},
    {"A5", nullptr, "likewise m̂_i is an element of M̂_i"},
    {"A6", &SahaSteps::A6, "5 divisions a joint: ψ_i along the axis is 1"},
    {"A7", &SahaSteps::A7,
     "the rows along the joint axis are zero and not computed; M̂_22 is not formed, as M̂_1 is not"},
    {"A8", &SahaSteps::A8, "ψ_i along the axis is 1; joints 1 and 2 are in the last row"},
    {"A9", &SahaSteps::A9, "shifts along two axes; joint 2 is in the last row"},
    {"A10", &SahaSteps::A10, "p_iᵀ η is an element; joint 1 is in the last row"},
    {"C1", &SahaSteps::C1, "ψ_i along the axis is 1; joint 2 is in the last row"},
    {"C2", &SahaSteps::C2, "p_i θ̈_i is one element; the turns of C2 are counted with C3"},
    {"C3", &SahaSteps::C3, "with the turns of C2: 20M 12A a joint against 22M 14A"},
}};

SahaSteps steps_as_run(Index n) {
  return count_saha_steps(random_chain(n, 1), CountingRule::kGeneral);
}

void primitives(PaperItems& items) {
  const CountedArm arm(random_chain(6, 1));
  const LinkModel& k = arm.model.link(3);
  const JointPose<Counted> joint = arm.joints()[3];
  const auto general = [](auto query) { return CountedArm::count(CountingRule::kGeneral, query); };
  Vec3<Counted> v = Vec3<Counted>::Constant(Counted(0.3));
  items.count(ItemKind::kTable, "A1: Q_i times a vector", {8, 4},
              general([&] { turn_to_parent(k, joint, v); }),
              "instead of 9M 6A, by the structure of Q_i");
  const saha::LinkInput input(arm.model, 4);
  items.count(ItemKind::kTable, "A1: a_i - Q_i r_i straightforward", {10, 7}, general([&] {
                turn_to_parent(k, joint, v);
                v = input.a_i(joint) - v;
              }),
              "d_i, of which the paper counts 4M 2A; the frames that run have it constant");
  Sym3<Counted> I = Sym3<Counted>::from(Mat3d::Identity());
  items.count(
      ItemKind::kTable, "A3(a): Q_n I_n Q_nᵀ", {16, 17},
      general([&] { turn_to_parent(k, joint, I); }),
      "one addition fewer: the turn of a symmetric block takes 4M 6A, the turn of a pair 4M 2A");
  Mat3<Counted> Q = Mat3<Counted>::Identity(), product;
  const OperationCount dense = general(
      [&] { product.noalias() = Q.lazyProduct(I.matrix()).eval().lazyProduct(Q.transpose()); });
  items.count(ItemKind::kTable, "A3(a): the same by two products", {54, 36}, dense);
  Mat3<Counted> F = Mat3<Counted>::Constant(Counted(0.2));
  const auto planar = [&F](const auto& angle, Index a, Index b, Index c) {
    turn_general(angle, F(a, a), F(a, b), F(b, a), F(b, b));
    turn(angle, F(a, c), F(b, c));
    turn(angle, F(c, a), F(c, b));
  };
  items.count(ItemKind::kTable, "A3(b): Q_i F_i Q_iᵀ, F_i not symmetric", {24, 22}, general([&] {
                planar(joint.theta, 0, 1, 2);
                planar(k.alpha, 1, 2, 0);
              }),
              "12M 11A for each planar turn");
}

}  // namespace

void saha_steps(PaperItems& items) {
  primitives(items);
  StepsAsPrinted printed_text(6);
  LinearCount sum, braces;
  for (const StepOfOurs& step : kStepsAsRun) {
    if (step.name == "C1") {  // B stands before it
      items.add(ItemKind::kTable, "step B", "nM", "nM", true);
      sum = sum + LinearCount{1, 0, 0, 0};
    }
    const LinearCount printed = saha::braces_of(step.name);
    const LinearCount ours = step.count == nullptr ? LinearCount{} : linear_in_n([&](Index n) {
      return PrintedCount(steps_as_run(n).*step.count);
    });
    sum = sum + ours;
    items.add(
        ItemKind::kTable, fmt::format("step {}", step.name), linear_text(printed),
        linear_text(ours), printed == ours,
        fmt::format("{} (at n = 6: {} printed, {} as it runs, {} of the printed text by dense "
                    "blocks)",
                    step.why, text(printed.at(6)), text(ours.at(6)),
                    text(printed_text.count(step.name))));
  }
  for (const saha::PrintedStep& step : saha::kSteps) braces = braces + step.braces;
  const LinearCount all = linear_in_n([](Index n) { return PrintedCount(steps_as_run(n).sum()); });
  const LinearCount rest{all.m - sum.m, all.m_0 - sum.m_0, all.a - sum.a, all.a_0 - sum.a_0};
  items.add(
      ItemKind::kTable, "steps of joints 1 and 2", "in the rows above", linear_text(rest), {},
      "m̂_1 from M̂_2 and the axis of joint 1 seen with joint 2 free, in place of M̂_1, ψ̂_1 and of "
      "A8 … C3 for these two");
  items.add(ItemKind::kTable, "section 3, sum of all steps", linear_text(braces), linear_text(all),
            braces == all, "by what the rows above say");
}

}  // namespace dyn::tool
