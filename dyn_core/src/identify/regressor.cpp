#include "dyn_core/identify/regressor.hpp"

#include <fmt/format.h>

namespace dyn {
namespace {

Mat3d inertia_of(const BodyParameters& p) {
  Mat3d I;
  I << p[4], p[7], p[8], p[7], p[5], p[9], p[8], p[9], p[6];
  return I;
}

}  // namespace

BodyParameters parameters_of(const RigidBody& body) {
  const Mat3d I = body.inertia_about_origin();
  BodyParameters p;
  p << body.mass, body.mass * body.com, I.diagonal(), I(0, 1), I(0, 2), I(1, 2);
  return p;
}

RigidBody body_of(const BodyParameters& parameters) {
  RigidBody body;
  body.mass = parameters[0];
  if (body.mass != 0.0) body.com = parameters.segment<3>(1) / body.mass;
  const RigidBody point{body.mass, body.com};
  body.inertia = inertia_of(parameters) - point.inertia_about_origin();
  return body;
}

VecXd parameters_of(const Chain& chain) {
  const ParameterLayout at{chain.joint_count()};
  VecXd parameters = VecXd::Zero(at.size());
  for (Index i = 0; i < at.joints; ++i) {
    const Joint& joint = chain.joint(i);
    parameters.segment<10>(at.body(i)) =
        parameters_of(chain.links()[static_cast<std::size_t>(i)].body);
    parameters[at.armature(i)] = joint.armature;
    parameters[at.viscous(i)] = joint.damping;
    parameters[at.coulomb(i)] = joint.friction;
  }
  return parameters;
}

std::vector<std::string> parameter_names(const Chain& chain) {
  constexpr std::array kOfBody = {"m", "mx", "my", "mz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"};
  std::vector<std::string> names;
  for (const char* name : {"armature", "viscous", "coulomb", "offset"}) {
    for (Index i = 1; i <= chain.joint_count(); ++i) {
      names.push_back(fmt::format("{}{}", name, i));
    }
  }
  for (Index i = 1; i <= chain.joint_count(); ++i) {
    for (const char* name : kOfBody) names.push_back(fmt::format("{}{}", name, i));
  }
  return names;
}

ChainPtr with_parameters(const Chain& chain, const VecXd& parameters) {
  const ParameterLayout at{chain.joint_count()};
  ChainDescription description = chain.description();
  for (Index i = 0; i < at.joints; ++i) {
    Joint& joint = description.joints[static_cast<std::size_t>(i)];
    description.links[static_cast<std::size_t>(i)].body =
        body_of(parameters.segment<10>(at.body(i)));
    joint.armature = parameters[at.armature(i)];
    joint.damping = parameters[at.viscous(i)];
    joint.friction = parameters[at.coulomb(i)];
  }
  return std::make_shared<const Chain>(std::move(description));
}

const std::array<LinkModel, 10>& unit_links() {
  static const std::array<LinkModel, 10> kUnits = [] {
    std::array<LinkModel, 10> units;
    for (std::size_t p = 0; p < units.size(); ++p) {
      const BodyParameters one = BodyParameters::Unit(static_cast<Index>(p));
      units[p].mass = one[0];
      units[p].moment = one.segment<3>(1);
      units[p].inertia_origin = Sym3<double>::from(inertia_of(one));
    }
    return units;
  }();
  return kUnits;
}

}  // namespace dyn
