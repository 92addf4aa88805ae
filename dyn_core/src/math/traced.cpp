#include "dyn_core/math/traced.hpp"

#include <algorithm>
#include <bit>

namespace dyn {
namespace {

Trace*& innermost() {
  thread_local Trace* trace = nullptr;
  return trace;
}

}  // namespace

Trace::Trace() : outer_(innermost()) { innermost() = this; }
Trace::~Trace() { innermost() = outer_; }
Trace& Trace::current() { return *innermost(); }

int Trace::make(Op op, int a, int b, double value) {
  const auto [place, is_new] = known_.try_emplace({op, a, b}, static_cast<int>(nodes_.size()));
  if (is_new) nodes_.push_back({op, a, b, value});
  return place->second;
}

int Trace::constant(double value) {
  if (value == 0.0) value = 0.0;  // no negative zero
  const auto key = std::bit_cast<std::uint64_t>(value);
  const auto [place, is_new] = constants_.try_emplace(key, static_cast<int>(nodes_.size()));
  if (is_new) nodes_.push_back({Op::kConstant, -1, -1, value});
  return place->second;
}

int Trace::input(int number, double sample) { return make(Op::kInput, number, -1, sample); }

bool Trace::is(int i, double value) const { return is_constant(i) && node(i).value == value; }

int Trace::unary(Op op, int a) {
  const double x = node(a).value;
  double value = 0.0;
  switch (op) {
    case Op::kNegate:
      value = -x;
      break;
    case Op::kSine:
      value = std::sin(x);
      break;
    case Op::kCosine:
      value = std::cos(x);
      break;
    case Op::kRoot:
      value = std::sqrt(x);
      break;
    default:
      value = std::abs(x);
      break;
  }
  if (is_constant(a)) return constant(value);
  if (op == Op::kNegate) {
    if (is_negated(a)) return node(a).a;
    if (node(a).op == Op::kSubtract) return difference(node(a).b, node(a).a);
  }
  return make(op, a, -1, value);
}

int Trace::binary(Op op, int a, int b) {
  if (is_constant(a) && is_constant(b)) {
    const double x = node(a).value, y = node(b).value;
    switch (op) {
      case Op::kAdd:
        return constant(x + y);
      case Op::kSubtract:
        return constant(x - y);
      case Op::kMultiply:
        return constant(x * y);
      default:
        return constant(x / y);
    }
  }
  switch (op) {
    case Op::kAdd:
      return sum(a, b);
    case Op::kSubtract:
      return difference(a, b);
    case Op::kMultiply:
      return product(a, b);
    default:
      return quotient(a, b);
  }
}

int Trace::sum(int a, int b) {
  if (is(a, 0.0)) return b;
  if (is(b, 0.0)) return a;
  if (is_negated(b)) return difference(a, node(b).a);
  if (is_negated(a)) return difference(b, node(a).a);
  return make(Op::kAdd, std::min(a, b), std::max(a, b), node(a).value + node(b).value);
}

int Trace::difference(int a, int b) {
  if (is(b, 0.0)) return a;
  if (is(a, 0.0)) return unary(Op::kNegate, b);
  if (a == b) return constant(0.0);
  if (is_negated(b)) return sum(a, node(b).a);
  return make(Op::kSubtract, a, b, node(a).value - node(b).value);
}

int Trace::product(int a, int b) {
  if (is(a, 0.0) || is(b, 0.0)) return constant(0.0);
  if (is(a, 1.0)) return b;
  if (is(b, 1.0)) return a;
  if (is(a, -1.0)) return unary(Op::kNegate, b);
  if (is(b, -1.0)) return unary(Op::kNegate, a);
  if (is_negated(a)) return unary(Op::kNegate, product(node(a).a, b));
  if (is_negated(b)) return unary(Op::kNegate, product(a, node(b).a));
  if (is_constant(a) && node(a).value < 0.0) {
    return unary(Op::kNegate, product(constant(-node(a).value), b));
  }
  if (is_constant(b)) return product(b, a);
  if (is_constant(a) && node(b).op == Op::kMultiply && is_constant(node(b).a)) {
    return product(constant(node(a).value * node(node(b).a).value), node(b).b);
  }
  return make(Op::kMultiply, is_constant(a) ? a : std::min(a, b),
              is_constant(a) ? b : std::max(a, b), node(a).value * node(b).value);
}

int Trace::quotient(int a, int b) {
  if (is(a, 0.0) || is(b, 1.0)) return a;
  if (is_negated(a)) return unary(Op::kNegate, quotient(node(a).a, b));
  if (is_negated(b)) return unary(Op::kNegate, quotient(a, node(b).a));
  if (is_constant(b)) return product(constant(1.0 / node(b).value), a);
  return make(Op::kDivide, a, b, node(a).value / node(b).value);
}

}  // namespace dyn
