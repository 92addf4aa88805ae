#include "linkage.hpp"

#include <algorithm>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "dyn_core/papers/saha_2003/as_printed_links.hpp"
#include "dyn_core/robot/kinematics.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "sketch.hpp"

namespace dyn::tool {
namespace {

// Link i in frame 1: its joint's axis and the X_i+1 of its other end, O_i, C_i and O_i+1.
struct LinkageLink {
  Vec3d Z, X, O, C, next;
};

// An arm at a posture: its links by the paper's four parameters and r_i, and how far they are from the
// running model's.
struct Linkage {
  Linkage(const ChainPtr& chain, const VecXd& q) : model(chain) {
    const auto n = static_cast<std::size_t>(model.size());
    std::vector<JointPose<double>> joints(n);
    joint_poses<double>(model, q, joints);
    std::vector<Posed> frames(n);
    link_frames<double>(model, joints, frames);
    Mat3d R = Mat3d::Identity();
    Vec3d O = Vec3d::Zero();
    for (Index i = 1; i <= model.size(); ++i) {
      const auto at = static_cast<std::size_t>(i - 1);
      const saha::LinkInput input(model, i);
      const Mat3d next = R * input.Q_i(joints[at]);
      const Vec3d a_i = R * input.a_i(joints[at]), r_i = next * input.r;
      links.push_back({R.col(2), next.col(0), O, O + a_i - r_i, O + a_i});
      compare(links.back(), frames[at], model.link(i - 1).com, next.col(2));
      R = next, O += a_i;
    }
  }
  void compare(const LinkageLink& link, const Posed& frame, const Vec3d& com, const Vec3d& next_Z) {
    off_bodies = std::max(off_bodies, (link.C - frame * com).norm());
    const double beside = link.Z.cross(link.O - frame.p).norm();  // O_i is on the axis
    off_frames = std::max({off_frames, (link.Z - frame.R.col(2)).norm(), beside,
                           std::abs(link.X.dot(link.Z)), std::abs(link.X.dot(next_Z))});
  }

  Model model;
  std::vector<LinkageLink> links;
  double off_bodies = 0.0, off_frames = 0.0;
};

// A general arm of three links whose second one is easily seen.
Linkage general_linkage() { return {random_chain(3, 4), Vec3d(0.3, -0.6, 0.9)}; }

}  // namespace

void figure_of_an_arm(PaperItems& items, const char* name, const ChainPtr& chain, double off) {
  const Linkage arm(chain, VecXd::Constant(chain->dof(), -0.6));
  std::vector<Vec3d> joints, bodies;
  for (const LinkageLink& link : arm.links) {
    joints.push_back(link.O);
    if (joints.size() >= 3) bodies.push_back(link.C);
  }
  joints.push_back(arm.links.back().next);
  items.figure(
      name, "n links on their joints; dotted, the bodies i … n that make a composite body",
      fmt::format("M̃_i is the mass matrix of bodies i … n rigidly joined: off by {:.0e}", off),
      off < 1e-10,
      {Sketch(chain->name(), oblique_view(), "x, m (oblique view)", "z, m")
           .line("O_1 … O_n+1", joints)
           .line("C_3 … C_n, composite body 3", bodies, true)
           .take()});
}

void figure_of_coupled_bodies(PaperItems& items, const char* name) {
  const Linkage arm = general_linkage();
  const LinkageLink &before = arm.links[0], &link = arm.links[1];
  items.figure(name, "O_i on joint i, mass centres, and the vectors between them",
               fmt::format("O_i + d_i and O_i+1 - r_i are C_i of the running model: off by {:.0e}",
                           arm.off_bodies),
               arm.off_bodies < 1e-12,
               {Sketch("links i-1 and i, i = 2", oblique_view(), "x, m (oblique view)", "z, m")
                    .arrow("a_i, O_i to O_i+1", link.O, link.next - link.O)
                    .arrow("d_i, O_i to C_i", link.O, link.C - link.O)
                    .arrow("r_i, C_i to O_i+1", link.C, link.next - link.C)
                    .arrow("r_i-1, C_i-1 to O_i", before.C, before.next - before.C)
                    .arrow("c_i,i-1, C_i to C_i-1", link.C, before.C - link.C)
                    .arrow("e_i", link.O, 0.2 * link.Z)
                    .take()});
}

void figure_of_frames(PaperItems& items, const char* name) {
  const Linkage arm = general_linkage();
  const LinkageLink &before = arm.links[0], &link = arm.links[1], &next = arm.links[2];
  const Vec3d foot = link.O + link.Z * link.Z.dot(link.next - link.O);  // where X_i+1 meets Z_i
  items.figure(
      name, "b_i along Z_i, a_i along X_i+1; θ_i about Z_i, α_i about X_i+1",
      fmt::format("Z_i+1 is the axis of joint i+1, O_i+1 lies on it, X_i+1 is perpendicular to Z_i "
                  "and Z_i+1: off by {:.0e}",
                  arm.off_frames),
      arm.off_frames < 1e-12,
      {Sketch("frames i and i+1, i = 2", oblique_view(), "x, m (oblique view)", "z, m")
           .arrow("Z_i", link.O, 0.4 * link.Z)
           .arrow("X_i", link.O, 0.2 * before.X)
           .line("b_i", {link.O, foot})
           .line("a_i", {foot, link.next})
           .arrow("X_i+1", link.next, 0.2 * link.X)
           .arrow("Z_i+1", link.next, 0.4 * next.Z)
           .take()});
}

}  // namespace dyn::tool
