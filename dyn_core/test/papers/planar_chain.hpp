// Planar arms: with parallel revolute axes, which in frame 0 move in the x-y plane, and with slides.
#pragma once

#include <string_view>

#include "support.hpp"

namespace dyn::test {

/// n links with general bodies; with `opposite`, every other axis points the other way. Gravity is
/// along -y of frame 0.
inline ChainPtr planar_chain(Index n, std::uint64_t seed, bool opposite = false) {
  Random random(seed);
  ChainDescription chain;
  chain.name = "planar" + std::to_string(n) + "_" + std::to_string(seed);
  chain.gravity = Vec3d(0.0, -9.81, 0.0);
  for (Index i = 0; i < n; ++i) {
    Joint joint;
    joint.name = "joint" + std::to_string(i + 1);
    joint.coordinate = i;
    DhRow row;
    if (i > 0) {
      row.a = random.uniform(0.2, 0.4);
      row.d = random.uniform(-0.1, 0.1);
      row.theta = random.uniform(-3.1, 3.1);
      row.alpha = opposite && i % 2 == 1 ? M_PI : 0.0;
    }
    chain.coordinate_names.push_back(joint.name);
    chain.joints.push_back(joint);
    chain.dh.push_back(row);
    chain.links.push_back({"link" + std::to_string(i + 1), random_body(random), {}, {}});
  }
  return std::make_shared<const Chain>(std::move(chain));
}

/// The row of a planar chain between joints that turn one way or the other and slides. x of a
/// slide's frame is in the plane where a revolute joint is next to it, and normal to it between two
/// slides.
inline DhRow planar_row(bool slid, bool slides, bool will_slide, Random& random) {
  DhRow row;
  row.a = random.uniform(0.1, 0.4);
  const double sign = random.chance(0.5) ? 1.0 : -1.0;
  if (slides && slid) {
    row.alpha = random.uniform(-1.0, 1.0);
  } else if (slides != slid) {
    row.alpha = sign * M_PI_2;
  } else {
    row.alpha = sign > 0.0 ? 0.0 : M_PI;
  }
  row.theta = slides ? 0.0 : random.uniform(-3.0, 3.0);
  if (slides && slid != will_slide) row.theta = sign * M_PI_2;
  return row;
}

inline ChainPtr planar_chain_with_slides(std::string_view kinds, std::uint64_t seed) {
  Random random(seed);
  ChainDescription chain;
  chain.name = "planar " + std::string(kinds);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    Joint joint;
    joint.type = kinds[i] == 'P' ? JointType::kPrismatic : JointType::kRevolute;
    joint.coordinate = static_cast<Index>(i);
    const bool will_slide = i + 1 < kinds.size() && kinds[i + 1] == 'P';
    DhRow row;
    if (i > 0) row = planar_row(kinds[i - 1] == 'P', joint.is_prismatic(), will_slide, random);
    chain.coordinate_names.push_back("joint" + std::to_string(i));
    chain.joints.push_back(joint);
    chain.dh.push_back(row);
    chain.links.push_back({"link", random_body(random), {}, {}});
  }
  return std::make_shared<const Chain>(std::move(chain));
}

inline constexpr const char* kPlanarKinds[] = {"RP",    "PR",   "RPR",  "PRRP",
                                               "RRPRR", "PPRR", "RPPR", "RPPPR"};

/// The closed form of a planar arm of two links; inertias are about the links' own joint axes.
struct TwoLinks {
  explicit TwoLinks(const Chain& chain)
      : m1(chain.links()[0].body.mass),
        m2(chain.links()[1].body.mass),
        a(chain.dh()[1].a),
        i1(chain.links()[0].body.inertia_about_origin()(2, 2)),
        i2(chain.links()[1].body.inertia_about_origin()(2, 2)),
        c1(chain.links()[0].body.com.head<2>()),
        c2(chain.links()[1].body.com.head<2>()) {}

  /// m2 a · (mass centre of link 2 from its joint, turned by `angle`).
  [[nodiscard]] Eigen::Vector2d coupling(double angle) const {
    return m2 * a * (Eigen::Rotation2Dd(angle) * c2);
  }
  [[nodiscard]] Eigen::Matrix2d mass_matrix(double angle2) const {
    const double k = coupling(angle2).x();
    Eigen::Matrix2d M;
    M << i1 + i2 + m2 * a * a + 2.0 * k, i2 + k, i2 + k, i2;
    return M;
  }
  [[nodiscard]] Eigen::Vector2d coriolis(double angle2, const VecXd& qd) const {
    const double k = coupling(angle2).y();
    return {-k * (2.0 * qd[0] + qd[1]) * qd[1], k * qd[0] * qd[0]};
  }
  /// For gravity g along -y of frame 0.
  [[nodiscard]] Eigen::Vector2d gravity(double angle1, double angle2, double g) const {
    const double outer = m2 * g * (Eigen::Rotation2Dd(angle1 + angle2) * c2).x();
    const Eigen::Vector2d moment = m1 * c1 + m2 * a * Eigen::Vector2d::UnitX();
    const double inner = g * (Eigen::Rotation2Dd(angle1) * moment).x();
    return {inner + outer, outer};
  }

  double m1, m2, a, i1, i2;
  Eigen::Vector2d c1, c2;
};

}  // namespace dyn::test
