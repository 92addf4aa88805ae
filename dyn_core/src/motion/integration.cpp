#include "integration.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>

#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/explicit_error_generic_rk.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>

namespace dyn {
namespace {

namespace odeint = boost::numeric::odeint;

/// Runge-Kutta-Fehlberg 4(5): the tableau of E. Fehlberg, NASA TR R-315 (1969), Table III, which
/// Odeint lacks. The fifth-order result is carried on.
class Fehlberg45 : public odeint::explicit_error_generic_rk<6, 5, 5, 4, State> {
  using Base = odeint::explicit_error_generic_rk<6, 5, 5, 4, State>;
  template <std::size_t Size>
  using Row = boost::array<double, Size>;

 public:
  Fehlberg45() : Base(stages(), weights(), error_weights(), nodes()) {}

 private:
  static Base::coef_a_type stages() {
    return boost::fusion::make_vector(
        Row<1>{1.0 / 4.0}, Row<2>{3.0 / 32.0, 9.0 / 32.0},
        Row<3>{1932.0 / 2197.0, -7200.0 / 2197.0, 7296.0 / 2197.0},
        Row<4>{439.0 / 216.0, -8.0, 3680.0 / 513.0, -845.0 / 4104.0},
        Row<5>{-8.0 / 27.0, 2.0, -3544.0 / 2565.0, 1859.0 / 4104.0, -11.0 / 40.0});
  }
  static Base::coef_b_type weights() {
    return {16.0 / 135.0, 0.0, 6656.0 / 12825.0, 28561.0 / 56430.0, -9.0 / 50.0, 2.0 / 55.0};
  }
  static Base::coef_b_type error_weights() {
    return {1.0 / 360.0, 0.0, -128.0 / 4275.0, -2197.0 / 75240.0, 1.0 / 50.0, 2.0 / 55.0};
  }
  static Base::coef_c_type nodes() {
    return {0.0, 1.0 / 4.0, 3.0 / 8.0, 12.0 / 13.0, 1.0, 1.0 / 2.0};
  }
};

using DormandPrince54 = odeint::runge_kutta_dopri5<State>;

/// The equations in the form Odeint calls them. A rate that does not exist is noted and replaced by 0.
struct System {
  StateSpace* equations;
  bool failed = false;

  void operator()(const State& x, State& dxdt, double time) {
    if (equations->rate(time, x, dxdt)) return;
    failed = true;
    std::fill(dxdt.begin(), dxdt.end(), 0.0);
  }
};

bool all_finite(const State& x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

// ---- error control -----------------------------------------------------------------------------

template <class ErrorStepper>
class Adaptive final : public Integration {
  using Controlled = odeint::controlled_runge_kutta<ErrorStepper>;

 public:
  Adaptive(StateSpace& equations, State x0, double tolerance, double longest_step)
      : Integration(std::move(x0)),
        system_{&equations},
        controlled_(typename Controlled::error_checker_type(tolerance, tolerance),
                    typename Controlled::step_adjuster_type(longest_step)),
        next_step_(std::min(longest_step, 0.1 * std::pow(tolerance, 0.2))),
        old_x_(x_),
        old_rate_(x_.size()),
        rate_(x_.size()),
        bump_(x_.size()) {}

  StepOutcome step() override {
    if (steps_ == 0) {
      system_(x_, rate_, time_);
      if (system_.failed) return StepOutcome::kNoRate;
    }
    old_x_.swap(x_);
    old_rate_.swap(rate_);
    old_time_ = time_;
    while (!attempt()) {
      ++rejected_;
      if (next_step_ > kShortestStep * std::max(time_, 1.0)) continue;
      x_ = old_x_;
      rate_ = old_rate_;
      return system_.failed ? StepOutcome::kNoRate : StepOutcome::kCollapsed;
    }
    ++steps_;
    bump_known_ = false;
    return StepOutcome::kOk;
  }

  void state_at(double time, State& x) override {
    if (time == time_) {
      x = x_;
    } else if constexpr (std::is_same_v<ErrorStepper, DormandPrince54>) {
      controlled_.stepper().calc_state(time, x, old_x_, old_rate_, old_time_, x_, rate_, time_);
    } else {
      interpolate(time, x);
    }
  }

 private:
  // From the old state to the new one with next_step_, which is replaced by a better one.
  bool attempt() {
    double time = old_time_, step = next_step_;
    system_.failed = false;
    auto result = odeint::fail;
    if constexpr (std::is_same_v<ErrorStepper, DormandPrince54>) {
      result = controlled_.try_step(std::ref(system_), old_x_, old_rate_, time, x_, rate_, step);
    } else {
      result = controlled_.try_step(std::ref(system_), old_x_, old_rate_, time, x_, step);
      if (result == odeint::success) system_(x_, rate_, time);
    }
    if (system_.failed || !all_finite(x_)) {
      next_step_ *= 0.25;
      return false;
    }
    next_step_ = step;
    if (result == odeint::success) time_ = time;
    return result == odeint::success;
  }

  // Hermite's cubic between both ends of the step, raised to order 4 by the rate at one inner point of
  // it: p(θ) = H(θ) + K θ²(1-θ)², where K makes p' = f at θ = (5 - √5)/10.
  void interpolate(double time, State& x) {
    if (!bump_known_) find_bump();
    const double s = (time - old_time_) / (time_ - old_time_);
    hermite(s, x);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += bump_[i] * s * s * (1.0 - s) * (1.0 - s);
  }

  // K, or zero where the inner rate does not exist.
  void find_bump() {
    constexpr double kRoot5 = 2.23606797749978969641;
    constexpr double kAt = (5.0 - kRoot5) / 10.0;
    const double h = time_ - old_time_;
    State inner(x_.size());
    hermite(kAt, inner);
    system_.failed = false;
    system_(inner, bump_, old_time_ + kAt * h);
    for (std::size_t i = 0; i < bump_.size(); ++i) {
      const double slope = 6.0 * kAt * (1.0 - kAt) * (x_[i] - old_x_[i]) +
                           (1.0 - kAt) * (1.0 - 3.0 * kAt) * h * old_rate_[i] +
                           kAt * (3.0 * kAt - 2.0) * h * rate_[i];
      bump_[i] = system_.failed ? 0.0 : (h * bump_[i] - slope) * kRoot5 / 0.4;
    }
    bump_known_ = true;
  }

  void hermite(double s, State& x) const {
    const double h = time_ - old_time_, r = 1.0 - s;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = r * r * (1.0 + 2.0 * s) * old_x_[i] + s * s * (1.0 + 2.0 * r) * x_[i] +
             s * r * h * (r * old_rate_[i] - s * rate_[i]);
    }
  }

  System system_;
  Controlled controlled_;
  double next_step_;
  double old_time_ = 0.0;
  State old_x_, old_rate_, rate_, bump_;
  bool bump_known_ = false;
};

// ---- constant step -----------------------------------------------------------------------------

class Constant : public Integration {
 public:
  Constant(StateSpace& equations, State x0, double step)
      : Integration(std::move(x0)), system_{&equations}, step_(step) {}

  StepOutcome step() final {
    advance();
    if (system_.failed || !all_finite(x_)) return StepOutcome::kNoRate;
    time_ = step_ * static_cast<double>(++steps_);
    return StepOutcome::kOk;
  }
  void state_at(double /*time*/, State& x) final { x = x_; }

 protected:
  virtual void advance() = 0;

  System system_;
  double step_;
};

template <class Method>
class OdeintConstant final : public Constant {
 public:
  using Constant::Constant;

 private:
  void advance() override { method_.do_step(std::ref(system_), x_, time_, step_); }

  Method method_;
};

class SemiImplicit final : public Constant {
 public:
  using Constant::Constant;

 private:
  void advance() override {
    rate_.resize(x_.size());
    system_(x_, rate_, time_);
    for (std::size_t i = x_.size() / 2; i < x_.size(); ++i) x_[i] += step_ * rate_[i];
    if (!system_.equations->drift(step_, x_)) system_.failed = true;
  }

  State rate_;
};

}  // namespace

std::unique_ptr<Integration> make_integration(const SimulationOptions& options, StateSpace& system,
                                              State x0) {
  const double step = options.step / options.substeps;
  switch (options.integrator) {
    case Integrator::kRkf45:
      return std::make_unique<Adaptive<Fehlberg45>>(system, std::move(x0), options.tolerance,
                                                    options.longest_step);
    case Integrator::kDopri5:
      return std::make_unique<Adaptive<DormandPrince54>>(system, std::move(x0), options.tolerance,
                                                         options.longest_step);
    case Integrator::kRk4:
      return std::make_unique<OdeintConstant<odeint::runge_kutta4<State>>>(system, std::move(x0),
                                                                           step);
    case Integrator::kAbm:
      return make_adams(options, system, std::move(x0));
    case Integrator::kSemiImplicit:
      break;
  }
  return std::make_unique<SemiImplicit>(system, std::move(x0), step);
}

}  // namespace dyn
