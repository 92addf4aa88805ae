// Bhangale 2004, section 3.2: orthogonal slides, Tables I and II step by step, (14) to (18).
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "bhangale.hpp"
#include "dyn_core/papers/bhangale_2004/denoc.hpp"
#include "dyn_core/papers/bhangale_2004/gim_by_steps.hpp"
#include "dyn_core/papers/bhangale_2004/printed.hpp"
#include "dyn_core/study/steps.hpp"
#include "measure.hpp"

namespace dyn::tool::bhangale_2004 {
namespace {

using dyn::bhangale::GimBySteps;
using dyn::bhangale::kTable1;
using dyn::bhangale::kTable2;
using dyn::bhangale::PlanarGimBySteps;
using dyn::bhangale::PrintedStep;

constexpr Index kSpatial = 6, kPlanar = 3;

OperationCount counted(const ChainPtr& chain, std::string_view algorithm) {
  const bool mci = algorithm == "mci";
  return count_operations(chain, CountingRule::kGeneral, mci ? "coriolis" : "mass_matrix",
                          algorithm);
}
// n revolute joints in a plane, and in general.
ChainPtr planar_revolute(Index n) {
  return arm_of("planar", std::vector<TableRow>(static_cast<std::size_t>(n), TableRow{.a = 0.3}));
}

// What each row of the table executes as it is printed, and 5(b)'s turn, which it does not list.
struct Steps {
  std::array<PrintedCount, 8> rows;
  PrintedCount turn, shift;
};

template <class Work>
PrintedCount count_of(Work work) {
  return CountedArm::count(CountingRule::kGeneral, work);
}

template <class Gim>
void count_composites(Gim& gim, Steps& steps) {
  const Index n = gim.size();
  OperationCount turn, shift, sum;
  for (Index i = n - 1; i >= 0; --i) {
    const auto add = [](OperationCount& to, auto work) {
      to = to + CountedArm::count(CountingRule::kGeneral, work);
    };
    if (i + 1 < n) {
      add(turn, [&] { gim.step_5b_turn(i); });
      add(shift, [&] { gim.step_5b_shift(i); });
    }
    add(sum, [&] { gim.step_5b_sum(i); });
  }
  steps.turn = turn, steps.shift = shift;
  steps.rows[5] = shift + sum;
  OperationCount diagonal, others;
  for (Index i = n - 1; i >= 0; --i) {
    diagonal = diagonal + CountedArm::count(CountingRule::kGeneral, [&] { gim.step_6a(i); });
    others = others + CountedArm::count(CountingRule::kGeneral, [&] {
               for (Index j = i - 1; j >= 0; --j) gim.step_6b(i, j);
             });
  }
  steps.rows[6] = diagonal, steps.rows[7] = others;
}

struct CountedJoints {
  explicit CountedJoints(const ChainPtr& chain)
      : model(chain), joints(static_cast<std::size_t>(model.size())) {
    const VecX<Counted> q = VecX<Counted>::Constant(model.size(), Counted::variable(0.4));
    joint_poses<Counted>(model, q, joints);
  }
  Model model;
  std::vector<JointPose<Counted>> joints;
};

Steps spatial_steps(Index n) {
  const CountedJoints arm(random_chain(n, 1));
  GimBySteps<Counted> gim(arm.model, arm.joints);
  const auto of_links = [&](auto step) {
    return count_of([&] {
      for (auto& link : gim.links) step(link);
    });
  };
  Steps steps;
  steps.rows[0] = of_links([](auto& k) { k.step_1(); });
  steps.rows[1] = of_links([](auto& k) { k.step_2(); });
  steps.rows[2] = of_links([](auto& k) { k.step_3(); });
  steps.rows[3] = of_links([](auto& k) { k.step_4(); });
  steps.rows[4] = of_links([](auto& k) { k.step_5a(); });
  count_composites(gim, steps);
  return steps;
}

Steps planar_steps(Index n) {
  const CountedJoints arm(planar_revolute(n));
  PlanarGimBySteps<Counted> gim(arm.model, arm.joints);
  const auto of_links = [&](auto step) {
    return count_of([&] {
      for (Index i = 0; i < n; ++i) step(i);
    });
  };
  Steps steps;
  steps.rows[0] = of_links([&](Index i) { gim.step_1(i); });
  steps.rows[1] = of_links([&](Index i) { gim.step_2(i); });
  steps.rows[2] = of_links([&](Index i) { gim.step_3(i); });
  steps.rows[3] = of_links([&](Index i) { gim.step_4(i); });
  steps.rows[4] = of_links([&](Index i) { gim.step_5a(i); });
  count_composites(gim, steps);
  return steps;
}

void print_steps(PaperItems& items, const char* table, std::span<const PrintedStep> printed,
                 const Steps& steps, const BhangaleSteps& run, Index n,
                 const std::array<std::string, 8>& notes) {
  PrintedCount total;
  for (std::size_t k = 0; k < printed.size(); ++k) {
    const PrintedCount step = printed[k].at(static_cast<double>(n));
    total = {total.multiplications + step.multiplications, total.additions + step.additions};
    const std::string by_run = text(k == 5   ? run.composites
                                    : k == 7 ? run.elements
                                             : OperationCount{});
    items.add(
        ItemKind::kTable,
        fmt::format("{}, step {}, {}, n = {}", table, printed[k].step, printed[k].variable, n),
        text(step), fmt::format("{} as printed, {} as run", text(steps.rows[k]), by_run),
        step == steps.rows[k], notes[k]);
  }
}

void table_1(PaperItems& items) {
  const Steps steps = spatial_steps(kSpatial);
  const BhangaleSteps run = count_bhangale_steps(random_chain(kSpatial, 1), CountingRule::kGeneral);
  const std::string constant = "constant in the frames that run, which are fixed to their own link";
  print_steps(
      items, "Table I", kTable1, steps, run, kSpatial,
      {constant, constant, constant, constant, constant,
       fmt::format("the shift to O_i takes {}, whose additions are the printed ones, adding "
                   "M_i ten additions a link; turning M̃_i+1 into frame i, {} more, is not "
                   "in the table, and is in the form that runs",
                   text(steps.shift), text(steps.turn)),
       "", "two turns of a vector and a cross product for each element"});
  const PrintedCount total = counted(random_chain(kSpatial, 1), "denoc");
  items.add(ItemKind::kTable, "Table I, total, n = 6", text(dyn::bhangale::gim_count(6)),
            text(total) + " as run", total == dyn::bhangale::gim_count(6),
            "steps 1 to 5(a), 210M 198A, are constants; step 5(b) has the turn, 90M 150A more");
}

void table_2(PaperItems& items) {
  const Steps steps = planar_steps(kPlanar);
  const BhangaleSteps run = count_bhangale_steps(planar_revolute(kPlanar), CountingRule::kGeneral);
  const std::string constant = "constant in the frames that run, which are fixed to their own link";
  print_steps(
      items, "Table II", kTable2, steps, run, kPlanar,
      {constant, constant, constant, constant,
       "i_zz must be about O_i, two multiplications and two additions a link",
       fmt::format("a shift {} and the sum with M_i; turning δ of M̃_i+1 into frame i, {}, "
                   "comes on top",
                   text(steps.shift), text(steps.turn)),
       "", "a turn, 4M 2A, and a moment, 2M 2A; with X along the link the moment takes 1M 1A"});
  const PrintedCount total = counted(planar_revolute(kPlanar), "denoc");
  items.add(
      ItemKind::kTable, "Table II, total, n = 3", text(dyn::bhangale::planar_gim_count(3)),
      text(total) + " as run", total == dyn::bhangale::planar_gim_count(3),
      "steps 1 to 4, 24M 12A, are constants; 5(b) saves 2M and needs 4A more, 6(b) saves 6M 3A");
}

// Their sums over the steps are the formulas.
template <std::size_t N>
double table_sum_error(const std::array<PrintedStep, N>& table, PrintedCount (*formula)(double)) {
  double worst = 0.0;
  for (const double n : {2.0, 3.0, 6.0, 12.0}) {
    PrintedCount sum;
    for (const PrintedStep& step : table) {
      sum.multiplications += step.at(n).multiplications;
      sum.additions += step.at(n).additions;
    }
    worst = std::max({worst, std::abs(sum.multiplications - formula(n).multiplications),
                      std::abs(sum.additions - formula(n).additions)});
  }
  return worst;
}

void formulas(PaperItems& items) {
  const auto planar = [](Index n) { return planar_revolute(n); };
  const auto general = [](Index n) { return random_chain(n, 1); };
  const std::string fewer = "constants of the links are formed off-line, see Table I";
  const std::string mci_fewer =
      "fewer: H̃ and M̃' act by twelve numbers instead of two 6x6 matrices, and (10) is summed once "
      "a "
      "row and once a column";
  items.identity(ItemKind::kEquation, "(14), total of Table I", "(11n²+42n-18)M (7n²+44n-18)A",
                 table_sum_error(kTable1, dyn::bhangale::gim_count));
  items.count(ItemKind::kClaim, "(14), GIM, n = 6", {630, 498}, counted(general(6), "denoc"),
              fewer);
  items.add(ItemKind::kTable, "(15), Walker and Orin, n = 6", "741M 601A",
            text(dyn::bhangale::walker_orin_count(6)) + " by (15)",
            dyn::bhangale::walker_orin_count(6) == PrintedCount{741, 601},
            fmt::format("their composite rigid bodies as they run here, `crba`: {}",
                        text(counted(general(6), "crba"))));
  bool less = true;
  for (Index n = 2; n <= 60; ++n) {
    const PrintedCount own = dyn::bhangale::gim_count(static_cast<double>(n));
    const PrintedCount theirs = dyn::bhangale::walker_orin_count(static_cast<double>(n));
    less =
        less && own.multiplications < theirs.multiplications && own.additions <= theirs.additions;
  }
  items.add(ItemKind::kClaim, "section 3.2: (14) is less than (15)", "less",
            less ? "less for every n from 2 to 60" : "not for every n from 2 to 60", less);
  items.count(ItemKind::kClaim, "(16), MCI, n = 6", {640, 753.5}, counted(general(6), "mci"),
              mci_fewer);
  items.identity(ItemKind::kEquation, "(17), total of Table II", "(3.5n²+11.5n-7)M (2n²+9n-7)A",
                 table_sum_error(kTable2, dyn::bhangale::planar_gim_count));
  items.count(ItemKind::kClaim, "(17), planar GIM, n = 3", {59, 38}, counted(planar(3), "denoc"),
              "constants of the links are formed off-line, see Table II");
  items.count(ItemKind::kClaim, "(18), planar MCI, n = 3", {106, 77}, counted(planar(3), "mci"),
              "two multiplications for each element");
  items.count(ItemKind::kClaim, "(14) at n = 3, not for planar arms", {207, 177},
              counted(general(3), "denoc"), fewer);
  items.count(ItemKind::kClaim, "(16) at n = 3, not for planar arms", {196, 222.5},
              counted(general(3), "mci"), mci_fewer);
}

// Two slides at an angle of `alpha` whose axes are `a` apart, between revolute joints.
double coupling_of_slides(double alpha, double a, double& mass) {
  const ChainPtr chain = arm_of("RPPR", {{.kind = 'R', .a = 0.2, .alpha = 0.7},
                                         {.kind = 'P', .a = a, .alpha = alpha},
                                         {.kind = 'P', .a = 0.1, .alpha = -0.4},
                                         {.kind = 'R', .r = Vec3d(0.1, 0.2, 0.3)}});
  const InMotion s(chain, 3);
  MatXd M(4, 4);
  Denoc<double>(s.model).mass_matrix(s.model, s.joints, M);
  mass = M(2, 2);
  return M(2, 1);
}

void orthogonal_slides(PaperItems& items) {
  double mass = 0.0;
  const double meeting = coupling_of_slides(M_PI_2, 0.0, mass);
  const double apart = coupling_of_slides(M_PI_2, 0.3, mass);
  const double askew = coupling_of_slides(M_PI / 3.0, 0.3, mass);
  items.add(ItemKind::kClaim, "section 3.2: successive orthogonal, intersecting slides",
            "i_i+1,i = 0",
            fmt::format("{:.1g} kg; {:.1g} kg where they do not intersect; {:.3g} kg at 60°",
                        meeting, apart, askew),
            meeting == 0.0 && std::abs(askew - 0.5 * mass) < 1e-12,
            "the element is m̃_i+1 e_i+1ᵀ e_i: orthogonal is enough, they need not intersect");
}

}  // namespace

void operation_tables(PaperItems& items) {
  orthogonal_slides(items);
  table_1(items);
  table_2(items);
  formulas(items);
}

}  // namespace dyn::tool::bhangale_2004
