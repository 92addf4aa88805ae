#include <cmath>

#include <Eigen/Eigenvalues>

#include "fast_dynamics_impl.hpp"

namespace dyn {
namespace {

using fast::kLanes;

void put(fast::Lanes* lanes, std::size_t l, const Vec3d& v) {
  for (Index c = 0; c < 3; ++c) lanes[c][l] = v[c];
}

// The Euler tensor ∫ x xᵀ dm = ½ trace(I) 1 - I about the centre of mass as u uᵀ + v vᵀ + e 1.
void set_inertia(const Sym3<double>& inertia, fast::LinkLanes& k, std::size_t l) {
  const Mat3d I = inertia.matrix();
  const Eigen::SelfAdjointEigenSolver<Mat3d> solver(0.5 * I.trace() * Mat3d::Identity() - I);
  const Vec3d& values = solver.eigenvalues();
  put(k.u, l, std::sqrt(values[1] - values[0]) * solver.eigenvectors().col(1));
  put(k.v, l, std::sqrt(values[2] - values[0]) * solver.eigenvectors().col(2));
  k.e[l] = values[0];
  k.trace[l] = values[1] + values[2];
}

[[nodiscard]] bool equal(const Sym3<double>& a, const Sym3<double>& b) {
  return a.xx == b.xx && a.xy == b.xy && a.xz == b.xz && a.yy == b.yy && a.yz == b.yz &&
         a.zz == b.zz;
}

void set_link(const LinkModel& link, fast::LinkLanes& k, std::size_t l) {
  Mat3d twist = Mat3d::Identity();
  for (Index row = 0; row < 3; ++row) {
    turn_back(link.alpha, twist(row, 1), twist(row, 2));
    if (link.has_beta) turn_back(link.beta, twist(row, 2), twist(row, 0));
  }
  for (Index c = 0; c < 3; ++c) put(k.twist + 3 * c, l, twist.col(c));
  k.a[l] = link.a;
  k.d[l] = link.d;
  k.theta[l] = link.theta_offset;
  k.revolute[l] = link.prismatic ? 0.0 : 1.0;
  k.prismatic[l] = link.prismatic ? 1.0 : 0.0;
  k.mass[l] = link.mass;
  k.armature[l] = link.armature;
  put(k.com, l, link.com);
}

[[nodiscard]] fast::DerivativesOut out_of(MatOut<double>& by_q, MatOut<double>& by_qd,
                                          MatOut<double>& third) {
  return {by_q.data(),         by_q.outerStride(), by_qd.data(),
          by_qd.outerStride(), third.data(),       third.outerStride()};
}

}  // namespace

FastDynamics::Impl::Impl(const Model& model)
    : kernels(&fast::kernels_for(model.size())),
      links(static_cast<std::size_t>((model.size() + kLanes - 1) / kLanes)),
      joints(links.size()),
      derivatives(links.size()),
      inertias(static_cast<std::size_t>(model.size())),
      base_rotation(model.chain().base_pose().R),
      base_origin(model.chain().base_pose().p),
      tip_origin(model.chain().tip_pose().p) {
  for (fast::LinkLanes& k : links) std::fill(std::begin(k.armature), std::end(k.armature), 1.0);
  workspace.joints = static_cast<int>(model.size());
  workspace.links = links.data();
  workspace.state = joints.data();
  workspace.derivatives = derivatives.data();
  for (Index c = 0; c < 9; ++c) workspace.base[c] = base_rotation.data()[c];
  for (Index c = 0; c < 3; ++c) workspace.tip[c] = tip_origin[c];
  set_model(model);
}

void FastDynamics::Impl::set_model(const Model& model) noexcept {
  double outboard = 0.0;
  for (std::size_t i = static_cast<std::size_t>(model.size()); i-- > 0;) {
    fast::LinkLanes& k = links[i / kLanes];
    const LinkModel& link = model.links()[i];
    set_link(link, k, i % kLanes);
    if (!equal(inertias[i], link.inertia_com)) set_inertia(link.inertia_com, k, i % kLanes);
    inertias[i] = link.inertia_com;
    outboard += k.mass[i % kLanes];
    k.outboard_mass[i % kLanes] = outboard;
  }
  workspace.has_armature = model.has_armature();
  set_gravity(model.gravity());
}

void FastDynamics::Impl::set_poses(Joints<double> poses) noexcept {
  for (std::size_t i = 0; i < poses.size(); ++i) {
    fast::JointLanes& j = joints[i / kLanes];
    j.c[i % kLanes] = poses[i].theta.c;
    j.s[i % kLanes] = poses[i].theta.s;
    j.shift[i % kLanes] = poses[i].d;
  }
}

void FastDynamics::Impl::set_gravity(const Vec3d& gravity_in_frame_0) noexcept {
  const Vec3d gravity = base_rotation * gravity_in_frame_0;
  for (Index c = 0; c < 3; ++c) workspace.gravity[c] = gravity[c];
}

void FastDynamics::Impl::without_armature() noexcept {
  for (std::size_t i = 0; i < static_cast<std::size_t>(workspace.joints); ++i) {
    links[i / kLanes].armature[i % kLanes] = 0.0;
  }
  workspace.has_armature = false;
}

FastDynamics::FastDynamics(const Model& model) : impl_(std::make_unique<Impl>(model)) {}
FastDynamics::FastDynamics(FastDynamics&&) noexcept = default;
FastDynamics& FastDynamics::operator=(FastDynamics&&) noexcept = default;
FastDynamics::~FastDynamics() = default;

std::string_view FastDynamics::target() const { return impl_->kernels->name; }

void FastDynamics::set_model(const Model& model) noexcept { impl_->set_model(model); }

void FastDynamics::set_tip_wrench(const Vec3d& force, const Vec3d& torque) noexcept {
  fast::Workspace& w = impl_->workspace;
  for (Index c = 0; c < 3; ++c) {
    w.wrench[c] = torque[c];
    w.wrench[3 + c] = force[c];
  }
  w.has_wrench = !force.isZero(0.0) || !torque.isZero(0.0);
}

Status FastDynamics::mass_matrix(VecIn<double> q, MatOut<double> M) noexcept {
  if (!impl_->fits(q) || !impl_->fits_square(M)) return Status::kWrongSize;
  return fast::status_of(
      impl_->kernels->mass_matrix(impl_->workspace, q.data(), M.data(), M.outerStride()));
}

Status FastDynamics::mass_matrix_inverse(VecIn<double> q, MatOut<double> M_inverse) noexcept {
  if (!impl_->fits(q) || !impl_->fits_square(M_inverse)) return Status::kWrongSize;
  return fast::status_of(impl_->kernels->mass_matrix_inverse(
      impl_->workspace, q.data(), M_inverse.data(), M_inverse.outerStride()));
}

Status FastDynamics::factor(VecIn<double> q, MatOut<double> U, VecOut<double> D) noexcept {
  if (!impl_->fits(q) || !impl_->fits_square(U) || !impl_->fits(D)) return Status::kWrongSize;
  return fast::status_of(
      impl_->kernels->factor(impl_->workspace, q.data(), U.data(), U.outerStride(), D.data()));
}

Status FastDynamics::coriolis_matrix(VecIn<double> q, VecIn<double> qd, MatOut<double> C) noexcept {
  if (!impl_->fits(q) || !impl_->fits(qd) || !impl_->fits_square(C)) return Status::kWrongSize;
  return fast::status_of(impl_->kernels->coriolis_matrix(impl_->workspace, q.data(), qd.data(),
                                                         C.data(), C.outerStride()));
}

Status FastDynamics::coriolis_torque(VecIn<double> q, VecIn<double> qd,
                                     VecOut<double> tau) noexcept {
  if (!impl_->fits(q) || !impl_->fits(qd) || !impl_->fits(tau)) return Status::kWrongSize;
  return fast::status_of(
      impl_->kernels->coriolis_torque(impl_->workspace, q.data(), qd.data(), tau.data()));
}

Status FastDynamics::gravity_torque(VecIn<double> q, VecOut<double> tau) noexcept {
  if (!impl_->fits(q) || !impl_->fits(tau)) return Status::kWrongSize;
  return fast::status_of(impl_->kernels->gravity_torque(impl_->workspace, q.data(), tau.data()));
}

Status FastDynamics::bias_torque(VecIn<double> q, VecIn<double> qd, VecOut<double> tau) noexcept {
  if (!impl_->fits(q) || !impl_->fits(qd) || !impl_->fits(tau)) return Status::kWrongSize;
  return fast::status_of(
      impl_->kernels->bias_torque(impl_->workspace, q.data(), qd.data(), tau.data()));
}

Status FastDynamics::inverse_dynamics(VecIn<double> q, VecIn<double> qd, VecIn<double> qdd,
                                      VecOut<double> tau) noexcept {
  if (!impl_->fits(q) || !impl_->fits(qd) || !impl_->fits(qdd) || !impl_->fits(tau)) {
    return Status::kWrongSize;
  }
  return fast::status_of(impl_->kernels->inverse_dynamics(impl_->workspace, q.data(), qd.data(),
                                                          qdd.data(), tau.data()));
}

Status FastDynamics::forward_dynamics(VecIn<double> q, VecIn<double> qd, VecIn<double> tau,
                                      VecOut<double> qdd) noexcept {
  if (!impl_->fits(q) || !impl_->fits(qd) || !impl_->fits(tau) || !impl_->fits(qdd)) {
    return Status::kWrongSize;
  }
  return fast::status_of(impl_->kernels->forward_dynamics(impl_->workspace, q.data(), qd.data(),
                                                          tau.data(), qdd.data()));
}

Status FastDynamics::dynamics(VecIn<double> q, VecIn<double> qd, Dynamics& out) noexcept {
  if (!impl_->fits(q) || !impl_->fits(qd) || !impl_->fits(out.D)) return Status::kWrongSize;
  const fast::DynamicsOut where{out.mass_matrix.data(), out.U.data(), out.coriolis_torque.data(),
                                out.gravity_torque.data(), out.D.data()};
  const fast::Outcome outcome =
      impl_->kernels->dynamics(impl_->workspace, q.data(), qd.data(), where);
  for (std::size_t i = 0; i < out.frames.size(); ++i) {
    const fast::JointLanes& j = impl_->joints[i / kLanes];
    for (Index c = 0; c < 9; ++c) out.frames[i].R.data()[c] = j.frame[c][i % kLanes];
    for (Index r = 0; r < 3; ++r)
      out.frames[i].p[r] = impl_->base_origin[r] + j.origin[r][i % kLanes];
  }
  return fast::status_of(outcome);
}

Status FastDynamics::inverse_dynamics_derivatives(VecIn<double> q, VecIn<double> qd,
                                                  VecIn<double> qdd, MatOut<double> dq,
                                                  MatOut<double> dqd,
                                                  MatOut<double> dqdd) noexcept {
  if (!impl_->fits(q) || !impl_->fits(qd) || !impl_->fits(qdd)) return Status::kWrongSize;
  if (!impl_->fits_square(dq) || !impl_->fits_square(dqd) || !impl_->fits_square(dqdd)) {
    return Status::kWrongSize;
  }
  return fast::status_of(impl_->kernels->inverse_dynamics_derivatives(
      impl_->workspace, q.data(), qd.data(), qdd.data(), out_of(dq, dqd, dqdd)));
}

Status FastDynamics::forward_dynamics_derivatives(VecIn<double> q, VecIn<double> qd,
                                                  VecIn<double> tau, MatOut<double> dq,
                                                  MatOut<double> dqd,
                                                  MatOut<double> dtau) noexcept {
  if (!impl_->fits(q) || !impl_->fits(qd) || !impl_->fits(tau)) return Status::kWrongSize;
  if (!impl_->fits_square(dq) || !impl_->fits_square(dqd) || !impl_->fits_square(dtau)) {
    return Status::kWrongSize;
  }
  return fast::status_of(impl_->kernels->forward_dynamics_derivatives(
      impl_->workspace, q.data(), qd.data(), tau.data(), out_of(dq, dqd, dtau)));
}

}  // namespace dyn
