// Adams-Bashforth-Moulton with steps and orders of its own choice.
//
//   L. F. Shampine, M. K. Gordon: Computer solution of ordinary differential equations: the initial
//   value problem, Freeman, 1975. Prediction in order k, rate, correction in order k+1, rate; when to
//   change order and step is theirs. Here the past stands in divided differences, any steps apart.
//
//   F_j = f[t_n, …, t_n-j] of the rates f,   W_j(t) = (t - t_n) … (t - t_n-j+1),
//   G_j = ∫ W_j from t_n to t_n+1,   F*_j the differences with the predicted rate at t_n+1
//
//   predictor of order k     p = x_n + Σ_j<k F_j G_j                               Adams-Bashforth
//   corrector of order k+1   x_n+1 = p + F*_k G_k                                    Adams-Moulton
//   error of order j         E_j = F*_j (G_j - (t_n+1 - t_n-j+1) G_j-1), the corrections of order
//                            j+1 and of order j apart
//   between t_n and t_n+1    x(t) = x_n+1 + Σ_j≤k F_j ∫ W_j from t_n+1 to t, with F_j, W_j of t_n+1
#include <algorithm>
#include <array>
#include <cmath>

#include "integration.hpp"

namespace dyn {
namespace {

constexpr int kHighestOrder = 12;
constexpr int kDifferences = kHighestOrder + 2;  // F_0 … F_13

using Integrals = std::array<double, kDifferences>;

/// Past times, the latest first.
using PastTimes = std::array<double, kDifferences>;

// ∫ (t - past_0) … (t - past_j-1) dt over [from, to] for j = 0 … highest.
Integrals integrals(double from, double to, const PastTimes& past, int highest) {
  const double h = to - from;
  Integrals G{};
  std::array<double, kDifferences + 1> c = {1.0};  // the product's coefficients in (t - from) / h
  double power = h;
  for (std::size_t j = 0; j <= static_cast<std::size_t>(highest); ++j) {
    for (std::size_t m = 0; m <= j; ++m) G[j] += power * c[m] / static_cast<double>(m + 1);
    const double root = (past[j] - from) / h;
    for (std::size_t m = j + 1; m > 0; --m) c[m] = c[m - 1] - root * c[m];
    c[0] *= -root;
    power *= h;
  }
  return G;
}

class Adams final : public Integration {
 public:
  Adams(const SimulationOptions& options, StateSpace& equations, State x0)
      : Integration(std::move(x0)),
        equations_(equations),
        tolerance_(options.tolerance),
        longest_step_(options.longest_step),
        size_(static_cast<Index>(x_.size())),
        candidate_(x_),
        rate_(x_.size()),
        F_(MatXd::Zero(size_, kDifferences)),
        star_(F_) {}

  StepOutcome step() override {
    if (points_ == 0 && !begin()) return StepOutcome::kNoRate;
    for (int failures = 0; !attempt(); ++failures) {
      ++rejected_;
      if (h_ <= kShortestStep * std::max(time_, 1.0)) {
        return rate_exists_ ? StepOutcome::kCollapsed : StepOutcome::kNoRate;
      }
      retreat(failures);
    }
    accept();
    ++steps_;
    return StepOutcome::kOk;
  }

  void state_at(double time, State& x) override {
    x = x_;
    if (time == time_) return;
    const Integrals G = integrals(time_, time, times_, used_);
    for (int j = 0; j <= used_; ++j) values(x) += G[at(j)] * F_.col(j);
  }

 private:
  using Values = Eigen::Map<VecXd>;
  static Values values(State& x) { return {x.data(), static_cast<Index>(x.size())}; }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  // The rate at the start, and a step that order 1 can take.
  bool begin() {
    if (!equations_.rate(time_, x_, rate_)) return false;
    F_.col(0) = values(rate_);
    times_[0] = time_;
    points_ = 1;
    const double size = error_of(F_.col(0));
    h_ = std::min(longest_step_, size > 0.0 ? 0.25 / std::sqrt(size) : longest_step_);
    h_ = std::max(std::min(h_, 0.25 * std::sqrt(tolerance_)), kShortestStep);
    return true;
  }

  // The largest element as a multiple of the error that is allowed for it.
  [[nodiscard]] double error_of(const Eigen::Ref<const VecXd>& e) const {
    double worst = 0.0;
    for (Index i = 0; i < size_; ++i) {
      const double allowed = tolerance_ * (1.0 + std::abs(x_[static_cast<std::size_t>(i)]));
      worst = std::max(worst, std::abs(e[i]) / allowed);
    }
    return worst;
  }

  // Differences that begin with rate_ at `time`: star_.
  void extend(double time) {
    star_.col(0) = values(rate_);
    for (int j = 1; j <= std::min(points_, kDifferences - 1); ++j) {
      star_.col(j) = (star_.col(j - 1) - F_.col(j - 1)) / (time - times_[at(j - 1)]);
    }
  }

  // E_j of this step; infinite where too little of the past is known.
  [[nodiscard]] double error(int j) const {
    if (j < 1 || j > points_) return HUGE_VAL;
    const double beside = time_ + h_ - times_[at(j - 1)];
    return error_of(star_.col(j)) * std::abs(G_[at(j)] - beside * G_[at(j - 1)]);
  }

  // candidate_ and its rate, unless a rate does not exist or the error is too large.
  bool attempt() {
    const double next = time_ + h_;
    G_ = integrals(time_, next, times_, std::min(order_ + 1, points_));
    VecXd& change = change_;
    change = carry_.size() == 0 ? VecXd(VecXd::Zero(size_)) : carry_;
    for (int j = 0; j < order_; ++j) change += G_[at(j)] * F_.col(j);
    values(candidate_) = values(x_) + change;
    rate_exists_ = equations_.rate(next, candidate_, rate_);
    if (!rate_exists_) return false;
    extend(next);
    for (int j = 0; j < 4; ++j) errors_[at(j)] = error(order_ + 1 - j);
    if (!(errors_[1] <= 1.0)) return false;
    change += G_[at(order_)] * star_.col(order_);
    values(candidate_) = values(x_) + change;
    rate_exists_ = equations_.rate(next, candidate_, rate_) && change.allFinite();
    return rate_exists_;
  }

  // Whether the order below would do as well.
  [[nodiscard]] bool lower_suffices() const {
    const auto& [above, own, below, second] = errors_;
    if (order_ > 2) return std::max(below, second) <= own;
    return order_ == 2 && below <= 0.5 * own;
  }

  // After a step that failed; from the third time on the past is not believed.
  void retreat(int failures) {
    starting_ = false;
    equal_steps_ = 0;
    if (rate_exists_ && lower_suffices()) --order_;
    if (failures >= 2) order_ = 1;
    h_ *= 0.5;
  }

  void accept() {
    const double next = time_ + h_;
    // What rounding keeps from x_n+1 goes into the next step.
    carry_ = change_ - (values(candidate_) - values(x_));
    x_.swap(candidate_);
    extend(next);
    F_.swap(star_);
    std::shift_right(times_.begin(), times_.end(), 1);
    times_[0] = time_ = next;
    points_ = std::min(points_ + 1, kDifferences - 1);
    used_ = order_;
    ++equal_steps_;
    choose();
  }

  // Order and length of the next step.
  void choose() {
    const auto& [above, own, below, second] = errors_;
    const bool lower = lower_suffices();
    starting_ = starting_ && !lower && order_ < kHighestOrder;
    double factor = 2.0;
    if (starting_) {
      ++order_;
    } else {
      double expected = own;
      if (lower || (order_ > 1 && may_rise() && below <= std::min(own, above))) {
        --order_;
        expected = below;
      } else if (may_rise() && above < (order_ == 1 ? 0.5 : 1.0) * own) {
        ++order_;
        expected = above;
      }
      const double power = order_ + 1.0;
      if (std::pow(2.0, power) * expected > 0.5) {
        factor =
            expected <= 0.5 ? 1.0 : std::clamp(std::pow(0.5 / expected, 1.0 / power), 0.5, 0.9);
      }
    }
    const double next = std::min(longest_step_, factor * h_);
    if (next != h_) equal_steps_ = 0;
    h_ = next;
  }
  // After as many equal steps as the order above looks back on.
  [[nodiscard]] bool may_rise() const {
    return order_ < kHighestOrder && equal_steps_ > order_ && std::isfinite(errors_[0]);
  }

  StateSpace& equations_;
  double tolerance_, longest_step_;
  Index size_;
  State candidate_, rate_;
  MatXd F_, star_;
  VecXd change_, carry_;
  PastTimes times_{};
  Integrals G_{};
  std::array<double, 4> errors_{};  // E_k+1, E_k, E_k-1, E_k-2
  double h_ = 0.0;
  int order_ = 1, used_ = 1, points_ = 0, equal_steps_ = 0;
  bool starting_ = true, rate_exists_ = true;
};

}  // namespace

std::unique_ptr<Integration> make_adams(const SimulationOptions& options, StateSpace& system,
                                        State x0) {
  return std::make_unique<Adams>(options, system, std::move(x0));
}

}  // namespace dyn
