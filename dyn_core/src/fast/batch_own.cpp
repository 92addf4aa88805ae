// Code for one robot in a Batch: whether it may be taken, and the queries that it answers.
#include "batch_impl.hpp"
#include "dyn_core/robot/random_chain.hpp"

namespace dyn {
namespace {

using fast::kPacket;

double largest(const BatchArray& a) {
  double largest = 0.0;
  for (Index c = 0; c < a.rows() * kPacket; ++c) {
    largest = std::max(largest, std::abs(a.packet(0)[c]));
  }
  return largest;
}

// Rounding apart.
bool same(const BatchArray& a, const BatchArray& b, double scale) {
  for (Index c = 0; c < a.rows() * kPacket; ++c) {
    if (!(std::abs(a.packet(0)[c] - b.packet(0)[c]) <= 1e-9 * scale)) return false;
  }
  return true;
}

}  // namespace

bool Batch::Impl::agrees(const GeneratedLanes& code) {
  if (std::string_view(code.target) != kernels->name) return false;
  fast::Packet k = packet(0, 0);
  k.tip_bodies = nullptr;
  BatchArray q(n, kPacket), qd(n, kPacket), x(n, kPacket), tau(n, kPacket), own_x(n, kPacket),
      own_tau(n, kPacket), M(n * n, kPacket), own_M(n * n, kPacket);
  Random random(5);
  for (BatchArray* array : {&q, &qd, &x}) {
    for (Index state = 0; state < kPacket; ++state) array->set(state, random.vector(n, 1.0));
  }
  const auto at = [](BatchArray& a) { return a.packet(0); };
  // What the code leaves to the kernels is as good as theirs.
  (void)kernels->mass_matrix(k, at(q), at(M));
  if (code.mass_matrix != nullptr && code.mass_matrix(at(q), at(own_M)) &&
      !same(own_M, M, largest(M))) {
    return false;
  }
  (void)kernels->inverse_dynamics(k, at(q), at(qd), nullptr, at(tau));
  double scale = largest(M) + largest(tau);
  if (code.bias_torque != nullptr && code.bias_torque(at(q), at(qd), at(own_tau)) &&
      !same(own_tau, tau, scale)) {
    return false;
  }
  (void)kernels->inverse_dynamics(k, at(q), at(qd), at(x), at(tau));
  if (code.inverse_dynamics != nullptr &&
      code.inverse_dynamics(at(q), at(qd), at(x), at(own_tau)) && !same(own_tau, tau, scale)) {
    return false;
  }
  if (code.forward_dynamics == nullptr ||
      !code.forward_dynamics(at(q), at(qd), at(tau), at(own_x))) {
    return true;
  }
  (void)kernels->inverse_dynamics(k, at(q), at(qd), at(own_x), at(own_tau));
  return same(own_tau, tau, 1e3 * scale);
}

fast::Outcome Batch::Impl::call(BatchQuery query, const fast::Packet& k, const double* const* in,
                                double* const* out) const {
  bool answered = false;
  if (has_own(k)) {
    switch (query) {
      case BatchQuery::kMassMatrix:
        answered = own->mass_matrix != nullptr && own->mass_matrix(in[0], out[0]);
        break;
      case BatchQuery::kBiasTorque:
        answered = own->bias_torque != nullptr && own->bias_torque(in[0], in[1], out[0]);
        break;
      case BatchQuery::kInverseDynamics:
        answered =
            own->inverse_dynamics != nullptr && own->inverse_dynamics(in[0], in[1], in[2], out[0]);
        break;
      case BatchQuery::kForwardDynamics:
        answered =
            own->forward_dynamics != nullptr && own->forward_dynamics(in[0], in[1], in[2], out[0]);
        break;
      default:
        break;
    }
  }
  return answered ? fast::Outcome::kOk : call_general(query, k, in, out);
}

bool Batch::is_specialised() const { return impl_->own.has_value(); }

}  // namespace dyn
