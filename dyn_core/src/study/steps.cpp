// Steps counted: Kang's and Bhangale's by what the code says of itself, and all papers' lists of steps beside
// what is measured.
#include "dyn_core/study/steps.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "dyn_core/math/counted_step.hpp"
#include "dyn_core/papers/bhangale_2004/denoc.hpp"
#include "dyn_core/papers/bhangale_2004/printed.hpp"
#include "dyn_core/papers/kang/inertia_power.hpp"
#include "dyn_core/papers/kang/printed.hpp"
#include "dyn_core/papers/kozlowski_1995/printed.hpp"
#include "dyn_core/papers/saha_2003/printed.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "dyn_core/study/counted_arm.hpp"

namespace dyn {
namespace {

// Rows of one chain; `column` is that of Kozłowski's Tab. 2, and without papers there is none beside them.
class StepRows {
  using Named = std::pair<std::string_view, OperationCount>;

 public:
  StepRows(const ChainPtr& chain, CountingRule rule, bool with_papers, std::size_t column)
      : chain_(chain),
        rule_(rule),
        with_papers_(with_papers),
        column_(column),
        n_(static_cast<double>(chain->joint_count())) {}

  void kang() {
    begin("inertia_power", "kic", "STEP 1-7");
    const KangSteps steps = count_kang_steps(chain_, rule_);
    const auto printed = kang::step_counts(n_);
    static constexpr std::array<std::string_view, 7> kNames = {
        "STEP 1", "STEP 2", "STEP 3", "STEP 4", "STEP 5", "STEP 6", "STEP 7"};
    for (std::size_t s = 0; s < steps.size(); ++s) add(kNames[s], steps[s], printed[s]);
  }

  void saha() {
    begin("forward_dynamics", "udut", "section 3");
    const SahaSteps s = count_saha_steps(chain_, rule_);
    const std::initializer_list<Named> steps = {
        {"A1", {}},   {"A2", {}},   {"A3", s.A3}, {"A4", {}},   {"A5", {}},
        {"A6", s.A6}, {"A7", s.A7}, {"A8", s.A8}, {"A9", s.A9}, {"A10", s.A10},
        {"B", s.B},   {"C1", s.C1}, {"C2", s.C2}, {"C3", s.C3}};
    for (const auto& [step, measured] : steps) add(step, measured, saha::braces_of(step).at(n_));
    add("joints 1 and 2", s.first_two, {});
  }

  void kozlowski() {
    const KozlowskiSteps s = count_kozlowski_steps(chain_, rule_);
    begin("forward_dynamics", "diagonalized_normalized", table_2());
    common(s);
    kozlowski({{"θ̇", s.root + s.xi}, {"ε, z⁺", s.epsilon}, {"y, C", s.y_nu}, {"ν̇", s.nu_rate}},
              kozlowski::kTable2Normalized);
    begin("forward_dynamics", "diagonalized_unnormalized", table_2());
    common(s);
    kozlowski({{"θ̇", s.root + s.xi}, {"κ, z⁺", s.kappa}, {"y, C", s.y_xi}, {"ξ̇", s.xi_rate}},
              kozlowski::kTable2Unnormalized);
  }

  void bhangale() {
    const bool planar = chain_->is_planar();
    begin("mass_matrix", "denoc", planar ? "Table II" : "Table I");
    const BhangaleSteps steps = count_bhangale_steps(chain_, rule_);
    for (const bhangale::PrintedStep& row : planar ? bhangale::kTable2 : bhangale::kTable1) {
      const OperationCount measured = row.step == "5(b)"   ? steps.composites
                                      : row.step == "6(b)" ? steps.elements
                                                           : OperationCount{};
      add(row.step, measured, row.at(n_));
    }
  }

  [[nodiscard]] std::vector<StepCount> take() { return std::move(rows_); }

 private:
  void begin(std::string_view quantity, std::string_view algorithm, std::string_view table) {
    head_ = {quantity, algorithm, table, {}, {}, {}};
  }
  void add(std::string_view step, const OperationCount& measured,
           const std::optional<PrintedCount>& printed) {
    rows_.push_back(head_);
    rows_.back().step = step;
    rows_.back().measured = measured;
    if (with_papers_) rows_.back().paper = printed;
  }

  [[nodiscard]] std::string_view table_2() const {
    if (!with_papers_) return "Tab. 2";
    return column_ == 0 ? "Tab. 2, column 1" : "Tab. 2, column 2";
  }
  void common(const KozlowskiSteps& s) {
    kozlowski({{"P", s.P},
               {"G", s.G},
               {"V⁺", s.V_plus},
               {"V", s.V},
               {"z", s.z},
               {"Ψ", {}},
               {"b", s.b},
               {"X, λ̇", s.lambda}},
              kozlowski::kTable2Common);
  }
  // Each of `steps` takes as many printed rows as it has names.
  void kozlowski(std::initializer_list<Named> steps,
                 std::span<const kozlowski::Table2Row> printed) {
    auto row = printed.begin();
    for (const auto& [name, measured] : steps) {
      PrintedCount sum;
      const auto names = std::ranges::count(name, ',') + 1;
      for (auto k = names; k > 0; --k) sum = sum + (row++)->columns[column_](n_);
      add(name, measured, sum);
    }
  }

  ChainPtr chain_;
  CountingRule rule_;
  bool with_papers_;
  std::size_t column_;
  double n_;
  StepCount head_;
  std::vector<StepCount> rows_;
};

}  // namespace

KangSteps count_kang_steps(const ChainPtr& chain, CountingRule rule) {
  using Step = CountedStep<Counted>;
  const CountedArm arm(chain);
  const Index n = arm.model.size();
  InertiaPower<Counted> power(arm.model);
  MatX<Counted> I(n, n);
  std::vector<MatX<Counted>> P(static_cast<std::size_t>(n), I);
  Step::reset(rule);
  power.inertia_and_power(arm.model, arm.joints(), I, P);
  KangSteps steps;
  for (std::size_t s = 0; s < steps.size(); ++s) steps[s] = Step::count(s + 1);
  return steps;
}

BhangaleSteps count_bhangale_steps(const ChainPtr& chain, CountingRule rule) {
  using Step = CountedStep<Counted>;
  const CountedArm arm(chain);
  MatX<Counted> M(arm.model.size(), arm.model.size());
  Denoc<Counted> denoc(arm.model);
  Step::reset(rule);
  denoc.mass_matrix(arm.model, arm.joints(), M);
  return {Step::count(5), Step::count(0)};
}

ChainPtr right_angled_arm(Index n, RightAngledArm kind) {
  const bool planar = kind == RightAngledArm::kPlanar;
  ChainDescription arm = random_chain(n, 5, {.right_angles = true})->description();
  for (std::size_t i = 1; i < arm.dh.size(); ++i) {
    arm.dh[i].alpha = planar ? 0.0 : (i % 2 == 0 ? -M_PI_2 : M_PI_2);
    if (planar) arm.dh[i].theta = 0.0;
  }
  return std::make_shared<const Chain>(std::move(arm));
}

std::vector<StepCount> count_steps(const ChainPtr& chain, CountingRule rule) {
  const bool revolute = std::ranges::none_of(
      chain->joints(), [](const Joint& joint) { return joint.is_prismatic(); });
  StepRows rows(chain, rule, revolute && rule == CountingRule::kGeneral, 0);
  rows.kang();
  rows.saha();
  rows.kozlowski();
  rows.bhangale();
  return rows.take();
}

std::vector<StepCount> count_steps(Index n) {
  std::vector<StepCount> all = count_steps(random_chain(n, 1), CountingRule::kGeneral);
  StepRows column_2(right_angled_arm(n, RightAngledArm::kSpatial), CountingRule::kCustomised, true,
                    1);
  column_2.kozlowski();
  StepRows planar(right_angled_arm(n, RightAngledArm::kPlanar), CountingRule::kGeneral, true, 0);
  planar.bhangale();
  for (StepRows* rows : {&column_2, &planar}) {
    for (StepCount& row : rows->take()) all.push_back(row);
  }
  return all;
}

}  // namespace dyn
