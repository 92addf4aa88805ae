#include "dyn_core/study/modular_program.hpp"

#include <algorithm>
#include <cmath>

#include "dyn_core/papers/bhangale_2004/gim_mci.hpp"

namespace dyn {
namespace {

VecX<Traced> traced_inputs(Index n, Index first) {
  VecX<Traced> v(n);
  for (Index i = 0; i < n; ++i) {
    v[i] = Traced::input(static_cast<int>(first + i), 0.3 + 0.1 * static_cast<double>(i));
  }
  return v;
}

// Nodes of (9) at unknown positions, rates and accelerations.
std::vector<int> trace_modules(const ChainPtr& chain) {
  const Model model(chain);
  const Index n = model.size();
  const VecX<Traced> q = traced_inputs(n, 0), qd = traced_inputs(n, n),
                     qdd = traced_inputs(n, 2 * n);
  std::vector<JointPose<Traced>> joints(static_cast<std::size_t>(n));
  joint_poses<Traced>(model, q, joints);
  VecX<Traced> tau(n);
  GimMci<Traced>(model).inverse_dynamics(model, joints, model.gravity(), qd, qdd, tau);
  std::vector<int> nodes;
  for (const Traced& torque : tau) nodes.push_back(torque.node());
  return nodes;
}

// Which nodes the outputs need.
std::vector<bool> needed_by(const Trace& trace, const std::vector<int>& outputs) {
  std::vector<bool> needed(trace.nodes().size(), false);
  for (const int node : outputs) needed[static_cast<std::size_t>(node)] = true;
  for (std::size_t i = needed.size(); i-- > 0;) {
    const Trace::Node& node = trace.nodes()[i];
    if (!needed[i] || node.op == Trace::Op::kConstant || node.op == Trace::Op::kInput) continue;
    for (const int operand : {node.a, node.b}) {
      if (operand >= 0) needed[static_cast<std::size_t>(operand)] = true;
    }
  }
  return needed;
}

}  // namespace

ModularProgram::ModularProgram(const ChainPtr& chain) {
  const Trace trace;
  const std::vector<int> outputs = trace_modules(chain);
  const std::vector<bool> needed = needed_by(trace, outputs);
  std::vector<std::uint32_t> slot(trace.nodes().size(), 0);
  values_.assign(3 * outputs.size(), 0.0);
  for (std::size_t i = 0; i < slot.size(); ++i) {
    const Trace::Node& node = trace.nodes()[i];
    if (node.op == Trace::Op::kInput) slot[i] = static_cast<std::uint32_t>(node.a);
    if (node.op != Trace::Op::kConstant || !needed[i]) continue;
    slot[i] = static_cast<std::uint32_t>(values_.size());
    values_.push_back(node.value);
  }
  first_result_ = values_.size();
  const auto of = [&](int node) { return node < 0 ? 0u : slot[static_cast<std::size_t>(node)]; };
  for (std::size_t i = 0; i < slot.size(); ++i) {
    const Trace::Node& node = trace.nodes()[i];
    if (!needed[i] || node.op == Trace::Op::kInput || node.op == Trace::Op::kConstant) continue;
    slot[i] = static_cast<std::uint32_t>(values_.size());
    values_.push_back(0.0);
    steps_.push_back({op_of(node.op), of(node.a), of(node.b)});
    note(steps_.back().op);
  }
  for (const int node : outputs) outputs_.push_back(of(node));
}

ModularProgram::Op ModularProgram::op_of(Trace::Op op) {
  switch (op) {
    case Trace::Op::kNegate:
      return Op::kNegate;
    case Trace::Op::kAdd:
      return Op::kAdd;
    case Trace::Op::kSubtract:
      return Op::kSubtract;
    case Trace::Op::kMultiply:
      return Op::kMultiply;
    case Trace::Op::kSine:
      return Op::kSine;
    case Trace::Op::kCosine:
      return Op::kCosine;
    default:
      return Op::kDivide;
  }
}

void ModularProgram::note(Op op) {
  if (op == Op::kAdd || op == Op::kSubtract) ++operations_.additions;
  if (op == Op::kMultiply || op == Op::kDivide) ++operations_.multiplications;
  if (op == Op::kSine || op == Op::kCosine) ++functions_;
}

void ModularProgram::run(const double* state) noexcept {
  double* const values = values_.data();
  std::copy_n(state, 3 * outputs_.size(), values);
  double* result = values + first_result_;
  for (const Step& step : steps_) {
    const double a = values[step.a], b = values[step.b];
    switch (step.op) {
      case Op::kNegate:
        *result = -a;
        break;
      case Op::kAdd:
        *result = a + b;
        break;
      case Op::kSubtract:
        *result = a - b;
        break;
      case Op::kMultiply:
        *result = a * b;
        break;
      case Op::kDivide:
        *result = a / b;
        break;
      case Op::kSine:
        *result = std::sin(a);
        break;
      case Op::kCosine:
        *result = std::cos(a);
        break;
    }
    ++result;
  }
}

}  // namespace dyn
