// Counted: a number that counts the multiplications and additions made with it.
//
// General counting: every operation that is executed counts, one division or square root as one
// multiplication, one subtraction as one addition; signs, comparisons, sines and cosines are free, as
// in the papers. Customised counting (Khosla's rule, Kozłowski 1995 §6): in addition, what is made of
// constants alone is free (it is computed once, off-line), and so is adding 0 or multiplying by 0, ±1.
#pragma once

#include <cmath>
#include <cstdint>

#include <Eigen/Core>

#include "dyn_core/base/export.hpp"

namespace dyn {

struct OperationCount {
  std::int64_t multiplications = 0;
  std::int64_t additions = 0;

  friend bool operator==(const OperationCount&, const OperationCount&) = default;
  friend OperationCount operator+(const OperationCount& a, const OperationCount& b) {
    return {a.multiplications + b.multiplications, a.additions + b.additions};
  }
  friend OperationCount operator-(const OperationCount& a, const OperationCount& b) {
    return {a.multiplications - b.multiplications, a.additions - b.additions};
  }
};

/// A count as papers print them, half operations included.
struct PrintedCount {
  double multiplications = 0.0, additions = 0.0;

  PrintedCount() = default;
  constexpr PrintedCount(double m, double a) : multiplications(m), additions(a) {}
  PrintedCount(const OperationCount& count)  // NOLINT(google-explicit-constructor)
      : PrintedCount(static_cast<double>(count.multiplications),
                     static_cast<double>(count.additions)) {}
  friend bool operator==(const PrintedCount&, const PrintedCount&) = default;
  friend constexpr PrintedCount operator+(const PrintedCount& a, const PrintedCount& b) {
    return {a.multiplications + b.multiplications, a.additions + b.additions};
  }
};

enum class CountingRule { kGeneral, kCustomised };

class DYN_CORE_EXPORT Counted {
 public:
  Counted() = default;
  Counted(double value) : value_(value), constant_(true) {}  // NOLINT(google-explicit-constructor)

  /// A quantity that changes while the robot moves: a joint position, a velocity, …
  [[nodiscard]] static Counted variable(double value) { return {value, false}; }

  [[nodiscard]] double value() const { return value_; }
  explicit operator double() const { return value_; }

  /// Operations on this thread since the last reset, without and within NotCounted scopes.
  [[nodiscard]] static OperationCount count() { return tally(); }
  [[nodiscard]] static OperationCount count_set_aside() { return set_aside(); }
  static void reset(CountingRule rule) {
    tally() = {};
    set_aside() = {};
    customised() = rule == CountingRule::kCustomised;
  }

  friend Counted operator+(const Counted& a, const Counted& b) {
    if (a.is_free(0.0)) return b;
    if (b.is_free(0.0)) return a;
    return add(a, b, a.value_ + b.value_);
  }
  friend Counted operator-(const Counted& a, const Counted& b) {
    if (a.is_free(0.0)) return -b;
    if (b.is_free(0.0)) return a;
    return add(a, b, a.value_ - b.value_);
  }
  friend Counted operator*(const Counted& a, const Counted& b) {
    if (a.is_free(0.0) || b.is_free(0.0)) return {0.0};
    if (a.is_free(1.0)) return b;
    if (b.is_free(1.0)) return a;
    if (a.is_free(-1.0)) return -b;
    if (b.is_free(-1.0)) return -a;
    return multiply(a, b, a.value_ * b.value_);
  }
  friend Counted operator/(const Counted& a, const Counted& b) {
    if (a.is_free(0.0) || b.is_free(1.0)) return a;
    return multiply(a, b, a.value_ / b.value_);
  }
  friend Counted operator-(const Counted& a) { return {-a.value_, a.constant_}; }
  friend Counted operator+(const Counted& a) { return a; }
  Counted& operator+=(const Counted& o) { return *this = *this + o; }
  Counted& operator-=(const Counted& o) { return *this = *this - o; }
  Counted& operator*=(const Counted& o) { return *this = *this * o; }
  Counted& operator/=(const Counted& o) { return *this = *this / o; }

  friend bool operator==(const Counted& a, const Counted& b) { return a.value_ == b.value_; }
  friend auto operator<=>(const Counted& a, const Counted& b) { return a.value_ <=> b.value_; }

  friend Counted sin(const Counted& a) { return {std::sin(a.value_), a.constant_}; }
  friend Counted cos(const Counted& a) { return {std::cos(a.value_), a.constant_}; }
  friend Counted abs(const Counted& a) { return {std::abs(a.value_), a.constant_}; }
  friend Counted sqrt(const Counted& a) { return multiply(a, a, std::sqrt(a.value_)); }
  friend bool isfinite(const Counted& a) { return std::isfinite(a.value_); }

 private:
  template <class Scalar>
  friend class NotCounted;

  Counted(double value, bool constant) : value_(value), constant_(constant) {}

  [[nodiscard]] bool is_free(double constant) const {
    return customised() && constant_ && value_ == constant;
  }
  static Counted add(const Counted& a, const Counted& b, double value) {
    const bool constant = a.constant_ && b.constant_;
    if (!(constant && customised())) ++tally().additions;
    return {value, constant};
  }
  static Counted multiply(const Counted& a, const Counted& b, double value) {
    const bool constant = a.constant_ && b.constant_;
    if (!(constant && customised())) ++tally().multiplications;
    return {value, constant};
  }
  // Of this thread. In the library, so that it counts with the program and the program with it.
  static OperationCount& tally();
  static OperationCount& set_aside();
  static bool& customised();

  double value_ = 0.0;
  bool constant_ = true;
};

/// While it lives, operations go to count_set_aside(): for a stage that a paper's own count leaves out.
/// Does nothing for any other scalar.
template <class Scalar>
class NotCounted {};

template <>
class NotCounted<Counted> {
 public:
  NotCounted() : before_(Counted::tally()) {}
  NotCounted(const NotCounted&) = delete;
  NotCounted& operator=(const NotCounted&) = delete;
  ~NotCounted() {
    const OperationCount spent = Counted::tally() - before_;
    Counted::set_aside() = Counted::set_aside() + spent;
    Counted::tally() = before_;
  }

 private:
  OperationCount before_;
};

}  // namespace dyn

template <>
struct Eigen::NumTraits<dyn::Counted> : Eigen::NumTraits<double> {
  using Real = dyn::Counted;
  using NonInteger = dyn::Counted;
  using Nested = dyn::Counted;
  using Literal = double;
  // NOLINTNEXTLINE(readability-identifier-naming)
  enum { RequireInitialization = 1, ReadCost = 1, AddCost = 1, MulCost = 1 };
};
