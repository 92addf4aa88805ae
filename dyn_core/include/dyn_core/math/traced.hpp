// Traced: a number that remembers how it came about, to write the papers' algorithms down as straight-line
// code for one robot.
//
// Every operation becomes a node of an expression graph; the same operation on the same numbers is one
// node. Constants are folded, 0 and ±1 vanish, signs move outward. A Traced also carries the value at one
// sample state: comparisons, on which algorithms only report a status, are decided by it.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include <Eigen/Core>

#include "dyn_core/base/export.hpp"

namespace dyn {

/// The expression graph. Nodes refer to earlier nodes only.
class DYN_CORE_EXPORT Trace {
 public:
  enum class Op : std::uint8_t {
    kConstant,
    kInput,
    kNegate,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kSine,
    kCosine,
    kRoot,
    kAbsolute
  };
  struct Node {
    Op op = Op::kConstant;
    int a = -1, b = -1;  ///< operands; kInput: a is the number of the input
    double value = 0.0;  ///< at the sample state
  };

  Trace();
  /// While one lives, Traced numbers of this thread are written to it.
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  [[nodiscard]] static Trace& current();
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const Node& node(int i) const { return nodes_[static_cast<std::size_t>(i)]; }

  [[nodiscard]] int constant(double value);
  [[nodiscard]] int input(int number, double sample);
  [[nodiscard]] int unary(Op op, int a);
  [[nodiscard]] int binary(Op op, int a, int b);

 private:
  [[nodiscard]] bool is(int i, double value) const;
  [[nodiscard]] bool is_constant(int i) const { return node(i).op == Op::kConstant; }
  [[nodiscard]] bool is_negated(int i) const { return node(i).op == Op::kNegate; }
  [[nodiscard]] int sum(int a, int b);
  [[nodiscard]] int difference(int a, int b);
  [[nodiscard]] int product(int a, int b);
  [[nodiscard]] int quotient(int a, int b);
  int make(Op op, int a, int b, double value);

  Trace* outer_;
  std::vector<Node> nodes_;
  std::map<std::tuple<Op, int, int>, int> known_;
  std::map<std::uint64_t, int> constants_;
};

class Traced {
 public:
  Traced() = default;
  Traced(double value) : node_(-1), value_(value) {}  // NOLINT(google-explicit-constructor)

  /// Argument `number` of the code to be written, with its sample value.
  [[nodiscard]] static Traced input(int number, double sample) {
    return of_node(Trace::current().input(number, sample));
  }

  /// The node in Trace::current().
  [[nodiscard]] int node() const { return node_ >= 0 ? node_ : Trace::current().constant(value_); }
  [[nodiscard]] double value() const { return value_; }
  explicit operator double() const { return value_; }

  friend Traced operator+(const Traced& a, const Traced& b) {
    return binary(Trace::Op::kAdd, a, b);
  }
  friend Traced operator-(const Traced& a, const Traced& b) {
    return binary(Trace::Op::kSubtract, a, b);
  }
  friend Traced operator*(const Traced& a, const Traced& b) {
    return binary(Trace::Op::kMultiply, a, b);
  }
  friend Traced operator/(const Traced& a, const Traced& b) {
    return binary(Trace::Op::kDivide, a, b);
  }
  friend Traced operator-(const Traced& a) { return unary(Trace::Op::kNegate, a); }
  friend Traced operator+(const Traced& a) { return a; }
  Traced& operator+=(const Traced& o) { return *this = *this + o; }
  Traced& operator-=(const Traced& o) { return *this = *this - o; }
  Traced& operator*=(const Traced& o) { return *this = *this * o; }
  Traced& operator/=(const Traced& o) { return *this = *this / o; }

  friend bool operator==(const Traced& a, const Traced& b) { return a.value_ == b.value_; }
  friend auto operator<=>(const Traced& a, const Traced& b) { return a.value_ <=> b.value_; }

  friend Traced sin(const Traced& a) { return unary(Trace::Op::kSine, a); }
  friend Traced cos(const Traced& a) { return unary(Trace::Op::kCosine, a); }
  friend Traced sqrt(const Traced& a) { return unary(Trace::Op::kRoot, a); }
  friend Traced abs(const Traced& a) { return unary(Trace::Op::kAbsolute, a); }
  friend bool isfinite(const Traced& a) { return std::isfinite(a.value_); }

 private:
  static Traced of_node(int node) {
    Traced traced;
    traced.node_ = node;
    traced.value_ = Trace::current().node(node).value;
    return traced;
  }
  static Traced unary(Trace::Op op, const Traced& a) {
    return of_node(Trace::current().unary(op, a.node()));
  }
  static Traced binary(Trace::Op op, const Traced& a, const Traced& b) {
    return of_node(Trace::current().binary(op, a.node(), b.node()));
  }

  int node_ = -1;  // none: a constant that no trace has met yet
  double value_ = 0.0;
};

}  // namespace dyn

template <>
struct Eigen::NumTraits<dyn::Traced> : Eigen::NumTraits<double> {
  using Real = dyn::Traced;
  using NonInteger = dyn::Traced;
  using Nested = dyn::Traced;
  using Literal = double;
  // NOLINTNEXTLINE(readability-identifier-naming)
  enum { RequireInitialization = 1, ReadCost = 1, AddCost = 1, MulCost = 1 };
};
