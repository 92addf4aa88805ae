#include "dyn_core/inspect/markers.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Eigenvalues>

namespace dyn::inspect {
namespace {

constexpr std::string_view kCentreOfMass = "center_of_mass";
constexpr std::string_view kLinkInertia = "link_inertia";
constexpr std::string_view kManipulability = "manipulability";
constexpr std::string_view kDynamicManipulability = "dynamic_manipulability";
constexpr std::string_view kDhFrames = "dh_frames";
constexpr std::string_view kGravityTorque = "gravity_torque";
constexpr std::string_view kPredictedMotion = "predicted_motion";

constexpr Color kRed{0.9F, 0.2F, 0.2F, 1.0F};
constexpr Color kGreen{0.2F, 0.8F, 0.2F, 1.0F};
constexpr Color kBlue{0.2F, 0.4F, 0.9F, 1.0F};
constexpr Color kYellow{0.95F, 0.8F, 0.1F, 1.0F};
constexpr Color kPurple{0.7F, 0.3F, 0.9F, 1.0F};
constexpr Color kCyan{0.1F, 0.8F, 0.9F, 1.0F};
constexpr Color kFaint{0.8F, 0.8F, 0.8F, 0.25F};

// Of the symbols of torques, in lengths of symbols; and the least share of the limit that is shown.
constexpr double kTorqueRadius = 1.5, kTorqueStroke = 2.0, kLeastShare = 0.01;

// Displays refuse a vanishing diameter.
constexpr double kThinnest = 1e-4;

Color faded(Color color, double opacity) {
  color.a = static_cast<float>(opacity);
  return color;
}

// The ellipsoid with semi-axes `lengths` along the columns of `axes`.
Marker ellipsoid(std::string_view space, int id, std::string frame, const Vec3d& centre,
                 const Mat3d& axes, const Vec3d& lengths, const Color& color) {
  Marker marker;
  marker.space = space;
  marker.id = id;
  marker.frame = std::move(frame);
  marker.pose = {axes, centre};
  if (axes.determinant() < 0.0) marker.pose.R.col(2) = -axes.col(2);
  marker.scale = (2.0 * lengths).cwiseMax(kThinnest);
  marker.color = color;
  return marker;
}

Marker ball(int id, std::string frame, const Vec3d& centre, double radius, const Color& color) {
  return ellipsoid(kCentreOfMass, id, std::move(frame), centre, Mat3d::Identity(),
                   Vec3d::Constant(radius), color);
}

// The image of the unit ball under the map with A Aᵀ = `square`, times `scale`.
Marker image_of_ball(std::string_view space, const Chain& chain, const Vec3d& centre,
                     const Mat3d& square, double scale, const Color& color) {
  const Eigen::SelfAdjointEigenSolver<Mat3d> eigen(square);
  const Vec3d lengths = eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt() * scale;
  return ellipsoid(space, 0, chain.base(), centre, eigen.eigenvectors(), lengths, color);
}

// The solid ellipsoid of constant density with the body's mass and inertia.
Marker inertia_ellipsoid(int id, const std::string& frame, const RigidBody& body,
                         const Color& color) {
  const Eigen::SelfAdjointEigenSolver<Mat3d> eigen(body.inertia);
  const Vec3d& moments = eigen.eigenvalues();
  const Vec3d squares = (2.5 / body.mass) * (Vec3d::Constant(moments.sum()) - 2.0 * moments);
  return ellipsoid(kLinkInertia, id, frame, body.com, eigen.eigenvectors(),
                   squares.cwiseMax(0.0).cwiseSqrt(), color);
}

Marker line(std::string_view space, int id, std::string frame, double width, const Color& color) {
  Marker marker;
  marker.shape = Marker::Shape::kLineStrip;
  marker.space = space;
  marker.id = id;
  marker.frame = std::move(frame);
  marker.scale = Vec3d(width, 0.0, 0.0);
  marker.color = color;
  return marker;
}

// Full torque on each axis, where every limit is known; else one unit.
VecXd torque_units(const Chain& chain) {
  VecXd units(chain.dof());
  for (Index k = 0; k < chain.dof(); ++k) units[k] = chain.coordinate_joint(k).limits.effort;
  const bool known = units.allFinite() && units.minCoeff() > 0.0;
  return known ? units : VecXd(VecXd::Ones(chain.dof()));
}

// Any rotation with `z` as its third column.
Mat3d frame_along(const Vec3d& z) {
  return Eigen::Quaterniond::FromTwoVectors(Vec3d::UnitZ(), z).toRotationMatrix();
}

}  // namespace

std::vector<std::string_view> marker_spaces() {
  return {kCentreOfMass, kLinkInertia,   kManipulability, kDynamicManipulability,
          kDhFrames,     kGravityTorque, kPredictedMotion};
}

MarkerPainter::MarkerPainter(ChainPtr chain, MarkerOptions options)
    : chain_(std::move(chain)),
      options_(std::move(options)),
      length_(options_.size * 0.1 * std::clamp(chain_->reach(), 0.01, 100.0)) {
  for (const std::string& name : chain_->coordinate_names()) {
    const auto& joints = chain_->joints();
    const auto found = std::ranges::find(joints, name, &Joint::name);
    coordinate_joints_.push_back(found - joints.begin());
  }
  make_fixed();
}

bool MarkerPainter::shows(std::string_view space) const {
  return options_.show.empty() || std::ranges::find(options_.show, space) != options_.show.end();
}

void MarkerPainter::make_fixed() {
  for (std::size_t i = 0; i < chain_->links().size(); ++i) {
    if (chain_->links()[i].body.mass > 0.0) add_link(i);
    if (shows(kDhFrames)) add_dh_frame(i);
  }
}

void MarkerPainter::add_link(std::size_t i) {
  const Link& link = chain_->links()[i];
  const RigidBody body = link.body.expressed_in(link.urdf_frame.inverse());
  const int id = static_cast<int>(i) + 1;
  if (shows(kCentreOfMass)) {
    const double share = std::cbrt(body.mass / std::max(chain_->total_mass(), body.mass));
    fixed_.push_back(ball(id, link.name, body.com, 0.3 * length_ * share, kYellow));
  }
  if (shows(kLinkInertia)) {
    Marker solid = inertia_ellipsoid(id, link.name, body, faded(kBlue, options_.opacity));
    if (solid.scale.maxCoeff() > chain_->reach()) solid.color = faded(kRed, options_.opacity);
    fixed_.push_back(std::move(solid));
  }
}

void MarkerPainter::add_dh_frame(std::size_t i) {
  const Link& link = chain_->links()[i];
  Marker axes = line(kDhFrames, static_cast<int>(i) + 1, link.name, 0.1 * length_, {});
  axes.shape = Marker::Shape::kLineList;
  axes.pose = link.urdf_frame.inverse();
  const std::array<Color, 3> colors = {kRed, kGreen, kBlue};
  for (Index k = 0; k < 3; ++k) {
    axes.points.push_back(Vec3d::Zero());
    axes.points.push_back(length_ * Vec3d::Unit(k));
    axes.colors.insert(axes.colors.end(), 2, colors[static_cast<std::size_t>(k)]);
  }
  fixed_.push_back(std::move(axes));
}

void MarkerPainter::add_centre_of_mass(Inspector& inspector, std::vector<Marker>& out) const {
  const Kinematics<double>& kinematics = inspector.kinematics();
  const RigidBody& payload = inspector.payload();
  double mass = payload.mass;
  Vec3d moment = payload.mass * (kinematics.tip_pose() * payload.com);
  for (Index i = 0; i < chain_->joint_count(); ++i) {
    const RigidBody& body = chain_->links()[static_cast<std::size_t>(i)].body;
    mass += body.mass;
    moment += body.mass * (kinematics.dh_pose(i) * body.com);
  }
  if (mass > 0.0) out.push_back(ball(0, chain_->base(), moment / mass, 0.4 * length_, kRed));
  if (payload.mass <= 0.0) return;
  const double share = std::cbrt(payload.mass / mass);
  out.push_back(ball(static_cast<int>(chain_->joint_count()) + 1, chain_->tip(), payload.com,
                     0.3 * length_ * share, kPurple));
}

void MarkerPainter::add_manipulability(Inspector& inspector, const VecXd& q,
                                       std::vector<Marker>& out) const {
  const Kinematics<double>& kinematics = inspector.kinematics();
  MatXd J(6, chain_->dof()), M_inverse(chain_->dof(), chain_->dof());
  if (kinematics.jacobian(J) != Status::kOk) return;
  const Mat3X<double> linear = J.topRows<3>();
  const Vec3d tip = kinematics.tip_pose().p;
  if (shows(kManipulability)) {
    out.push_back(image_of_ball(kManipulability, *chain_, tip, linear * linear.transpose(),
                                options_.manipulability_scale, faded(kGreen, options_.opacity)));
  }
  if (!shows(kDynamicManipulability)) return;
  if (inspector.solver().mass_matrix_inverse(q, M_inverse) != Status::kOk) return;
  const Mat3X<double> full = linear * M_inverse * torque_units(*chain_).asDiagonal();
  const double largest = full.jacobiSvd().singularValues()[0];
  if (!(largest > 0.0) || !std::isfinite(largest)) return;
  out.push_back(image_of_ball(kDynamicManipulability, *chain_, tip, full * full.transpose(),
                              options_.dynamic_manipulability_size * chain_->reach() / largest,
                              faded(kPurple, options_.opacity)));
}

// Where a torque is drawn: on a circle about a revolute axis, beside a prismatic one. `along` is an angle
// or a length.
Vec3d MarkerPainter::torque_point(bool prismatic, double along, double outward) const {
  const double r = kTorqueRadius * length_ + outward;
  if (prismatic) return {r, 0.0, along};
  return {r * std::cos(along), r * std::sin(along), 0.0};
}

Marker MarkerPainter::torque_line(Index coordinate, int id, double width,
                                  const Color& color) const {
  const Index i = coordinate_joints_[static_cast<std::size_t>(coordinate)];
  const Link& link = chain_->links()[static_cast<std::size_t>(i)];
  Marker marker =
      line(kGravityTorque, 2 * static_cast<int>(i) + id, link.name, width * length_, color);
  marker.pose.R = frame_along(link.urdf_frame.R.transpose() * Vec3d::UnitZ());
  return marker;
}

// The place of the joint's torque, with a mark where there is none: a circle, or the way from full torque
// to full torque.
Marker MarkerPainter::torque_scale(Index coordinate) const {
  const bool prismatic = chain_->coordinate_joint(coordinate).is_prismatic();
  Marker scale = torque_line(coordinate, 1, 0.05, kFaint);
  const double half = prismatic ? kTorqueStroke * length_ : std::numbers::pi;
  constexpr int kPieces = 24;  // each way from zero
  const auto add = [&](double along, double outward) {
    scale.points.push_back(torque_point(prismatic, along, outward));
  };
  for (int k = -kPieces; k <= 0; ++k) add(half * k / kPieces, 0.0);
  for (const double side : {0.2, -0.2, 0.0}) add(0.0, side * length_);
  for (int k = 1; k <= kPieces; ++k) add(half * k / kPieces, 0.0);
  return scale;
}

// An arc about a revolute axis, a line along a prismatic one, with an arrow head at its end.
Marker MarkerPainter::torque_symbol(Index coordinate, double share) const {
  const bool prismatic = chain_->coordinate_joint(coordinate).is_prismatic();
  const double radius = kTorqueRadius * length_;
  const double extent = share * (prismatic ? kTorqueStroke * length_ : 1.5 * std::numbers::pi);
  Marker symbol = torque_line(coordinate, 2, 0.12, std::abs(share) > 0.9 ? kRed : kYellow);
  constexpr int kPieces = 32;
  for (int k = 0; k <= kPieces; ++k) {
    symbol.points.push_back(torque_point(prismatic, extent * k / kPieces, 0.0));
  }
  const double head = std::min(0.4 * length_, std::abs(prismatic ? extent : radius * extent));
  const double back = extent - std::copysign(prismatic ? head : head / radius, share);
  for (const double side : {0.6, -0.6}) {
    symbol.points.push_back(torque_point(prismatic, back, side * head));
    symbol.points.push_back(torque_point(prismatic, extent, 0.0));
  }
  return symbol;
}

void MarkerPainter::add_gravity_torques(Inspector& inspector, const VecXd& q,
                                        std::vector<Marker>& out) const {
  VecXd torque(chain_->dof());
  if (inspector.solver().gravity_torque(q, torque) != Status::kOk) return;
  const double weight = chain_->total_mass() * inspector.gravity().norm();
  for (Index k = 0; k < chain_->dof(); ++k) {
    const Joint& joint = chain_->coordinate_joint(k);
    double full = joint.limits.effort;
    if (!std::isfinite(full) || full <= 0.0) {
      full = joint.is_prismatic() ? weight : 0.5 * weight * chain_->reach();
    }
    if (!(full > 0.0)) continue;
    out.push_back(torque_scale(k));
    const double share = std::clamp(torque[k] / full, -1.0, 1.0);
    if (std::abs(share) > kLeastShare) out.push_back(torque_symbol(k, share));
  }
}

void MarkerPainter::add_motion(Inspector& inspector, const JointState& state, const VecXd& torque,
                               std::vector<Marker>& out) const {
  const auto motion = inspector.predict(state, torque,
                                        {.duration = options_.horizon,
                                         .step = options_.horizon / 25.0,
                                         .max_step = 5e-3,
                                         .friction = true,
                                         .joint_stops = true});
  if (!motion || motion->states.empty()) return;
  Marker path = line(kPredictedMotion, 0, chain_->base(), 0.08 * length_, kCyan);
  Marker arm =
      line(kPredictedMotion, 1, chain_->base(), 0.15 * length_, faded(kCyan, options_.opacity));
  Kinematics<double>& kinematics = inspector.kinematics();
  for (const JointState& point : motion->states) {
    if (kinematics.update(point.q) == Status::kOk) path.points.push_back(kinematics.tip_pose().p);
  }
  for (Index i = 0; i < chain_->joint_count(); ++i) arm.points.push_back(kinematics.link_pose(i).p);
  arm.points.push_back(kinematics.tip_pose().p);
  out.push_back(std::move(path));
  out.push_back(std::move(arm));
}

std::vector<Marker> MarkerPainter::paint(Inspector& inspector, const JointState& state,
                                         const VecXd* torque) const {
  std::vector<Marker> out = fixed_;
  if (inspector.kinematics().update(state.q) != Status::kOk) return out;
  if (shows(kCentreOfMass)) add_centre_of_mass(inspector, out);
  if (shows(kManipulability) || shows(kDynamicManipulability)) {
    add_manipulability(inspector, state.q, out);
  }
  if (shows(kGravityTorque)) add_gravity_torques(inspector, state.q, out);
  if (shows(kPredictedMotion) && torque != nullptr) {
    add_motion(inspector, state, *torque, out);
  }
  return out;
}

}  // namespace dyn::inspect
