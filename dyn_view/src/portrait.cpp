#include "portrait.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include <dyn_core/base/printable.hpp>

namespace dyn::view {
namespace {

template <class Number>
void append(std::string& bytes, const std::vector<Number>& numbers) {
  const std::size_t begin = bytes.size();
  bytes.resize(begin + numbers.size() * sizeof(Number));
  std::memcpy(bytes.data() + begin, numbers.data(), numbers.size() * sizeof(Number));
}

template <class Number>
MessagePtr binary(Kind kind, std::uint32_t number, const std::vector<Number>& numbers) {
  Message message{true, {}, kind != Kind::kSurface};
  append(message.bytes, std::vector<std::uint32_t>{static_cast<std::uint32_t>(kind), number});
  append(message.bytes, numbers);
  return std::make_shared<const Message>(std::move(message));
}

// Position and quaternion, x y z w.
template <class Number>
void put_pose(const Posed& pose, std::vector<Number>& out) {
  const Eigen::Quaterniond turn(pose.R);
  for (const double x :
       {pose.p.x(), pose.p.y(), pose.p.z(), turn.x(), turn.y(), turn.z(), turn.w()})
    out.push_back(static_cast<Number>(x));
}

Json pose_json(const Posed& pose) {
  std::vector<double> numbers;
  put_pose(pose, numbers);
  return numbers;
}

Json limit(double x) { return std::isfinite(x) ? Json(x) : Json(); }

constexpr std::array<const char*, 4> kKinds = {"box", "cylinder", "sphere", "mesh"};

}  // namespace

Portrait::Portrait(const Robot& robot, inspect::Inspector inspector, inspect::FrameTree frames,
                   std::uint32_t number, bool split)
    : robot_(robot),
      inspector_(std::move(inspector)),
      frames_(std::move(frames)),
      painter_(robot.chain, {}),
      number_(number),
      split_(split),
      state_(robot.chain->dof()),
      terms_(robot.chain->dof()),
      quasi_(robot.chain->dof()),
      mass_matrix_(MatXd::Zero(robot.chain->dof(), robot.chain->dof())),
      split_terms_(MatXd::Zero(robot.chain->dof(), 4)) {
  add_frames();
  if (robot.chain->has_dynamics()) return;
  for (MatXd* matrix : {&mass_matrix_, &quasi_.U}) matrix->setConstant(kUnknown);
  for (VecXd* vector : {&quasi_.D, &quasi_.nu, &quasi_.xi, &terms_.gravity_torque,
                        &terms_.coriolis_torque, &terms_.friction_torque, &terms_.bias_torque}) {
    vector->setConstant(kUnknown);
  }
  terms_.kinetic_energy = terms_.potential_energy = kUnknown;
}

Result<Portrait> Portrait::make(const Robot& robot, const inspect::ShapeOptions& shapes,
                                std::uint32_t number, bool split) {
  auto inspector = inspect::Inspector::make(robot.chain);
  if (!inspector) return tl::unexpected(inspector.error());
  auto frames = inspect::FrameTree::make(robot.description, *robot.chain);
  if (!frames) return tl::unexpected(frames.error());
  auto seen = inspect::shapes_of(robot.description, shapes);
  if (!seen) return tl::unexpected(seen.error());
  Portrait out(robot, std::move(*inspector), std::move(*frames), number, split);
  out.set_payload(robot.payload);
  if (robot.gravity) out.set_gravity(*robot.gravity);
  out.shapes_ = std::move(*seen);
  for (const Mesh& mesh : out.shapes_.surfaces) out.add_surface(mesh);
  out.shapes_.surfaces.clear();
  return out;
}

// The corners of every triangle, in the order of Shapes::surfaces.
void Portrait::add_surface(const Mesh& mesh) {
  std::vector<float> numbers;
  numbers.reserve(9 * mesh.triangles.size());
  for (const auto& triangle : mesh.triangles) {
    for (const std::uint32_t corner : triangle) {
      for (const double x : mesh.corners[corner]) numbers.push_back(static_cast<float>(x));
    }
  }
  surfaces_.push_back(binary(Kind::kSurface, number_, numbers));
}

// A link moves with the nearest link of the chain above it.
void Portrait::add_frames() {
  Index by = 0;
  for (const Link& link : robot_.chain->links()) links_[link.name].by = by++;
  std::map<std::string, const inspect::LinkFrame*> frames;
  for (const auto& frame : frames_.fixed()) frames[frame.link] = &frame;
  for (const auto& frame : frames_.moving(state_.q)) frames[frame.link] = &frame;
  std::vector<const inspect::LinkFrame*> path;  // up to one that is known
  for (const auto& [name, frame] : frames) {
    for (auto at = frames.find(name); at != frames.end() && !links_.contains(at->first);
         at = frames.find(at->second->parent)) {
      path.push_back(at->second);
    }
    for (; !path.empty(); path.pop_back()) {
      const Carried& parent = links_[path.back()->parent];
      links_[path.back()->link] = {parent.by, parent.pose * path.back()->pose};
    }
  }
}

Result<std::pair<Index, Vec3d>> Portrait::grip(const std::string& link, const Vec3d& point) const {
  const auto at = links_.find(link);
  if (at == links_.end() || at->second.by < 0) {
    return fail("'" + printable(link, 100) + "' is no link that the arm moves");
  }
  return std::pair(at->second.by, Vec3d(at->second.pose * point));
}

Json Portrait::joints() const {
  Json out = Json::array();
  for (Index i = 0; i < robot_.chain->dof(); ++i) {
    const Joint& joint = robot_.chain->coordinate_joint(i);
    out.push_back({{"name", joint.name},
                   {"type", to_string(joint.type)},
                   {"lower", limit(joint.limits.lower)},
                   {"upper", limit(joint.limits.upper)},
                   {"effort", limit(effort_limits(*robot_.chain)[i])},
                   {"velocity", limit(velocity_limits(*robot_.chain)[i])}});
  }
  return out;
}

Json Portrait::frames() const {
  Json out = Json::array();
  for (const auto& frame : frames_.fixed()) {
    out.push_back(
        {{"link", frame.link}, {"parent", frame.parent}, {"pose", pose_json(frame.pose)}});
  }
  return out;
}

Json Portrait::shapes() const {
  Json out = Json::array();
  for (const inspect::Shape& shape : shapes_.shapes) {
    const auto& [r, g, b, a] = shape.color;
    out.push_back({{"link", shape.link},
                   {"kind", kKinds[static_cast<std::size_t>(shape.kind)]},
                   {"size", {shape.size.x(), shape.size.y(), shape.size.z()}},
                   {"pose", pose_json(shape.pose)},
                   {"surface", shape.surface},
                   {"color", shape.has_color ? Json{r, g, b, a} : Json()}});
  }
  return out;
}

Json Portrait::description() {
  const Chain& chain = *robot_.chain;
  (void)frame(Sample(chain.dof()));  // for the layout
  Json moving = Json::array();
  for (const auto& frame : frames_.moving(state_.q)) {
    moving.push_back({{"link", frame.link}, {"parent", frame.parent}});
  }
  Json grips = Json::array();  // links that can be pulled
  for (const auto& [link, carried] : links_) {
    if (carried.by >= 0) grips.push_back(link);
  }
  Json links = Json::array();
  for (const Link& link : chain.links()) links.push_back(link.name);
  return {{"number", number_},
          {"name", chain.name()},
          {"base", chain.base()},
          {"tip", chain.tip()},
          {"mass", chain.total_mass()},
          {"reach", chain.reach()},
          {"joints", joints()},
          {"links", std::move(links)},
          {"grips", std::move(grips)},
          {"fixed", frames()},
          {"moving", std::move(moving)},
          {"shapes", shapes()},
          {"missing", shapes_.missing},
          {"warnings", chain.warnings()},
          {"objection", chain.objection_to_dynamics()},
          {"estimated", chain.estimated()},
          {"terms", split_ ? Json{"inertia", "feedback", "coriolis", "gravity", "friction",
                                  "external", "handover", "limited"}
                           : Json{"gravity", "coriolis", "friction", "rest"}},
          {"spaces", inspect::marker_spaces()},
          {"layout", layout_}};
}

void Portrait::put(const char* name, const Eigen::Ref<const MatXd>& values) {
  if (!described_) layout_.push_back({{"name", name}, {"size", values.size()}});
  data_.insert(data_.end(), values.data(), values.data() + values.size());
}

void Portrait::put_poses() {
  std::vector<double> poses;
  for (const auto& frame : frames_.moving(state_.q)) put_pose(frame.pose, poses);
  put("poses", Eigen::Map<const VecXd>(poses.data(), static_cast<Index>(poses.size())));
}

void Portrait::put_dynamics(const Sample& sample) {
  Solver& solver = inspector_.solver();
  const VecXd effort = sample.effort.allFinite() ? sample.effort : VecXd::Zero(state_.q.size());
  Vec6<double> scalars = Vec6<double>::Zero();  // energies, the tip, how many queries failed
  const auto count = [&](Status status) { scalars[5] += status == Status::kOk ? 0.0 : 1.0; };
  count(inspector_.kinematics().update(state_.q));
  if (robot_.chain->has_dynamics()) {
    count(solver.mass_matrix(inspector_.kinematics(), mass_matrix_));
    count(solver.quasi(inspector_.kinematics(), state_.qd, effort, quasi_));
    count(inspector_.joint_dynamics(state_.q, state_.qd, terms_));
  }
  scalars << terms_.kinetic_energy, terms_.potential_energy, inspector_.kinematics().tip_pose().p,
      scalars[5];
  put("M", mass_matrix_);
  put("U", quasi_.U.transpose());
  put("D", quasi_.D);
  put("nu", quasi_.nu);
  put("xi", quasi_.xi);
  put("scalars", scalars);
  if (split_) return put("terms", sample.terms);
  split_terms_.col(0) = terms_.gravity_torque;
  split_terms_.col(1) = terms_.coriolis_torque;
  split_terms_.col(2) = terms_.friction_torque;
  split_terms_.col(3) = sample.effort - terms_.bias_torque;
  put("terms", split_terms_);
}

MessagePtr Portrait::frame(const Sample& sample) {
  if (sample.q.allFinite() && sample.qd.allFinite()) {
    state_.q = sample.q;
    state_.qd = sample.qd;
  } else if (sample.q.allFinite()) {
    state_.q = sample.q;
    state_.qd.setZero();
  }
  data_.clear();
  put("q", sample.q);
  put("qd", sample.qd);
  put("effort", sample.effort);
  put("desired", sample.desired);
  put("error", sample.error);
  put("other_error", sample.other_error);
  put("pull", sample.pull);
  put("pulled_at", sample.pulled_at);
  put("seen", sample.seen);
  put_dynamics(sample);
  put_poses();
  put("time", VecXd::Constant(1, sample.time));
  described_ = true;
  return binary(Kind::kFrame, number_, data_);
}

MessagePtr Portrait::markers(const Sample& sample) {
  const VecXd* const torque = sample.effort.allFinite() ? &sample.effort : nullptr;
  const auto spaces = inspect::marker_spaces();
  const auto& links = robot_.chain->links();
  std::vector<float> out;
  const auto number = [&](std::uint32_t x) { out.push_back(static_cast<float>(x)); };
  const auto color = [&](const inspect::Color& c) { out.insert(out.end(), {c.r, c.g, c.b, c.a}); };
  for (const inspect::Marker& marker : painter_.paint(inspector_, state_, torque)) {
    const auto space = std::ranges::find(spaces, marker.space) - spaces.begin();
    const auto link = std::ranges::find(links, marker.frame, &Link::name) - links.begin();
    number(static_cast<std::uint32_t>(space));
    number(static_cast<std::uint32_t>(marker.shape));
    // The chain's links by their number, then its base, then its tip.
    number(static_cast<std::uint32_t>(link) +
           (marker.frame == robot_.chain->tip() && marker.frame != links.back().name ? 1U : 0U));
    put_pose(marker.pose, out);
    for (const double x : marker.scale) out.push_back(static_cast<float>(x));
    color(marker.color);
    number(static_cast<std::uint32_t>(marker.points.size()));
    number(static_cast<std::uint32_t>(marker.colors.size()));
    for (const Vec3d& point : marker.points) {
      for (const double x : point) out.push_back(static_cast<float>(x));
    }
    for (const inspect::Color& c : marker.colors) color(c);
  }
  return binary(Kind::kMarkers, number_, out);
}

}  // namespace dyn::view
