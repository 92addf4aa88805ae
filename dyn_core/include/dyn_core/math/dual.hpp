// Dual: a value with one exact directional derivative (forward mode).
#pragma once

#include <cmath>

#include <Eigen/Core>

#include "dyn_core/base/export.hpp"

namespace dyn {

struct DYN_CORE_EXPORT Dual {
  double value = 0.0;
  double rate = 0.0;

  Dual() = default;
  Dual(double v) : value(v) {}  // NOLINT(google-explicit-constructor)
  Dual(double v, double r) : value(v), rate(r) {}

  explicit operator double() const { return value; }

  friend Dual operator+(const Dual& a, const Dual& b) {
    return {a.value + b.value, a.rate + b.rate};
  }
  friend Dual operator-(const Dual& a, const Dual& b) {
    return {a.value - b.value, a.rate - b.rate};
  }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.rate * b.value + a.value * b.rate};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const double quotient = a.value / b.value;
    return {quotient, (a.rate - quotient * b.rate) / b.value};
  }
  friend Dual operator-(const Dual& a) { return {-a.value, -a.rate}; }
  friend Dual operator+(const Dual& a) { return a; }
  Dual& operator+=(const Dual& o) { return *this = *this + o; }
  Dual& operator-=(const Dual& o) { return *this = *this - o; }
  Dual& operator*=(const Dual& o) { return *this = *this * o; }
  Dual& operator/=(const Dual& o) { return *this = *this / o; }

  friend bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend auto operator<=>(const Dual& a, const Dual& b) { return a.value <=> b.value; }

  friend Dual sin(const Dual& a) { return {std::sin(a.value), std::cos(a.value) * a.rate}; }
  friend Dual cos(const Dual& a) { return {std::cos(a.value), -std::sin(a.value) * a.rate}; }
  friend Dual sqrt(const Dual& a) {
    const double root = std::sqrt(a.value);
    return {root, a.rate / (2.0 * root)};
  }
  friend Dual abs(const Dual& a) { return a.value < 0.0 ? -a : a; }
  friend bool isfinite(const Dual& a) { return std::isfinite(a.value) && std::isfinite(a.rate); }
};

}  // namespace dyn

template <>
struct Eigen::NumTraits<dyn::Dual> : Eigen::NumTraits<double> {
  using Real = dyn::Dual;
  using NonInteger = dyn::Dual;
  using Nested = dyn::Dual;
  using Literal = double;
  // NOLINTNEXTLINE(readability-identifier-naming)
  enum { RequireInitialization = 1, ReadCost = 1, AddCost = 1, MulCost = 1 };
};
