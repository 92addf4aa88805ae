#include "dyn_core/identify/fourier.hpp"

#include <cmath>

namespace dyn {
namespace {

// The rise of w over its share x of the fade, and its derivatives by x; 1 from x = 1 on.
std::array<double, 3> rise(double x) {
  if (x >= 1.0) return {1.0, 0.0, 0.0};
  const double y = 1.0 - x;
  return {x * x * x * (10.0 - 15.0 * x + 6.0 * x * x), 30.0 * x * x * y * y,
          60.0 * x * y * (1.0 - 2.0 * x)};
}

// The largest magnitudes of the derivatives of the rise.
constexpr std::array<double, 5> kSteepest = {1.0, 1.875, 5.7735026918962585, 60.0, 360.0};

}  // namespace

std::array<double, 3> FourierShape::term(Index j, double time) const noexcept {
  if (j == 0) return {1.0, 0.0, 0.0};
  const double w_k = rate((j + 1) / 2);
  const double sine = std::sin(w_k * time), cosine = std::cos(w_k * time);
  const double s = j % 2 == 1 ? sine : cosine;
  const double sd = w_k * (j % 2 == 1 ? cosine : -sine);
  const bool falls = time > 0.5 * duration;
  const auto [w, by_x, by_xx] = rise((falls ? duration - time : time) / fade());
  const double wd = (falls ? -by_x : by_x) / fade(), wdd = by_xx / (fade() * fade());
  return {w * s, wd * s + w * sd, wdd * s + 2.0 * wd * sd - w * w_k * w_k * s};
}

std::array<FourierShape::Part, 3> FourierShape::parts(double step) const {
  const double steady = duration - 2.0 * fade(), shown = std::min(steady, period);
  std::array<Part, 3> out;
  const auto fill = [step](Part& part, double begin, double length) {
    const double count = std::ceil(length / step);
    for (double i = 0.0; i <= count; ++i) part.times.push_back(begin + length * (i / count));
  };
  fill(out[0], 0.0, fade());
  fill(out[1], fade(), shown);
  fill(out[2], duration - fade(), fade());
  out[1].repeats = steady / shown;
  return out;
}

FourierMotion::FourierMotion(const FourierShape& shape, MatXd coefficients)
    : shape_(shape), coefficients_(std::move(coefficients)) {}

FourierMotion::~FourierMotion() = default;

Status FourierMotion::evaluate(double time, VecOut<double> q, VecOut<double> qd,
                               VecOut<double> qdd) const noexcept {
  if (q.size() != dof() || qd.size() != dof() || qdd.size() != dof()) return Status::kWrongSize;
  const bool finite = std::isfinite(time);
  const double t = finite ? std::clamp(time, 0.0, shape_.duration) : 0.0;
  q = coefficients_.col(0);
  qd.setZero();
  qdd.setZero();
  for (Index j = 1; j < shape_.terms(); ++j) {
    const auto [value, rate, acceleration] = shape_.term(j, t);
    q += value * coefficients_.col(j);
    qd += rate * coefficients_.col(j);
    qdd += acceleration * coefficients_.col(j);
  }
  return finite ? Status::kOk : Status::kNotFinite;
}

// Leibniz' rule: |(w s)⁽ᵐ⁾| <= Σ binomial(m, j) max|w⁽ʲ⁾| max|s⁽ᵐ⁻ʲ⁾|.
VecXd FourierMotion::bound(int order) const {
  VecXd out = VecXd::Zero(dof());
  for (Index k = 1; k <= shape_.harmonics; ++k) {
    const double rate = shape_.rate(k);
    double factor = 0.0, binomial = 1.0;
    for (int j = 0; j <= order; ++j) {
      factor += binomial * kSteepest[static_cast<std::size_t>(j)] * std::pow(shape_.fade(), -j) *
                std::pow(rate, order - j);
      binomial *= static_cast<double>(order - j) / (j + 1);
    }
    out += factor * (coefficients_.col(2 * k - 1).array().square() +
                     coefficients_.col(2 * k).array().square())
                        .sqrt()
                        .matrix();
  }
  return out;
}

FourierPeaks peaks_of(const FourierMotion& motion) {
  const FourierShape& shape = motion.shape();
  const double step = shape.period / (400.0 * static_cast<double>(shape.harmonics));
  VecXd q(motion.dof()), qd(motion.dof()), qdd(motion.dof());
  (void)motion.evaluate(0.0, q, qd, qdd);
  FourierPeaks peaks{q, q, qd, qdd};
  for (const FourierShape::Part& part : shape.parts(step)) {
    for (const double time : part.times) {
      (void)motion.evaluate(time, q, qd, qdd);
      peaks.lowest = peaks.lowest.cwiseMin(q);
      peaks.highest = peaks.highest.cwiseMax(q);
      peaks.velocity = peaks.velocity.cwiseMax(qd.cwiseAbs());
      peaks.acceleration = peaks.acceleration.cwiseMax(qdd.cwiseAbs());
    }
  }
  const double between = step * step / 8.0;
  peaks.lowest -= between * motion.bound(2);
  peaks.highest += between * motion.bound(2);
  peaks.velocity += between * motion.bound(3);
  peaks.acceleration += between * motion.bound(4);
  return peaks;
}

}  // namespace dyn
