// Kang, section 5: [P*] for the size of the drives at constant speed of the tip.
#include <fmt/format.h>

#include "dyn_core/papers/kang/tip_speed.hpp"
#include "dyn_core/robot/robot_name.hpp"
#include "dyn_core/robot/urdf.hpp"
#include "kang.hpp"

namespace dyn::tool {
namespace {

constexpr Index kDrives = 3;
constexpr double kTipSpeed = 1.0;  // m/s

/// The PUMA with its elbow at one angle, and what its tip's speed asks of it.
struct KangPosture {
  KangPosture(const ChainPtr& chain, double elbow) : state(chain, 1), tips(state.model) {
    state.q << 0.0, 0.0, elbow, 0.3, 0.9, 0.0;
    joint_poses<double>(state.model, state.q, state.poses);
    regular = tips.update(state.model, state.poses, chain->tip_pose().p);
  }
  /// How far T of Newton and Euler is from u̇ᵀ B u̇ in some direction, and the share of the bound it reaches.
  void compare(const Vec3d& velocity, double& off, double& reached) const {
    const VecXd T = kang_torque(state, tips.rates(velocity), tips.accelerations(velocity));
    VecXd by_B(T.size());
    for (Index i = 0; i < T.size(); ++i) by_B[i] = velocity.dot(tips.B(i) * velocity);
    off = std::max(off, kang_apart(T, by_B));
    for (Index i = 0; i < kDrives; ++i) {
      reached = std::max(reached, std::abs(T[i]) / tips.largest_load(i, velocity.norm()));
    }
  }
  KangState state;
  kang::TipSpeed tips;
  bool regular = false;
};

/// What a row of postures asks of the drives.
struct KangSizing {
  explicit KangSizing(const ChainPtr& chain) {
    for (Index i = 0; i < kDrives; ++i) {
      chart.curves.push_back({.label = fmt::format("joint {}", i + 1), .x = {}, .y = {}});
    }
    Random random(1);
    for (double elbow = -0.3; elbow <= 0.8; elbow += 0.05) {
      const KangPosture at(chain, elbow);
      if (!at.regular) continue;
      for (Index i = 0; i < kDrives; ++i) {
        const auto drive = static_cast<std::size_t>(i);
        const double load = at.tips.largest_load(i, kTipSpeed);
        chart.curves[drive].x.push_back(elbow);
        chart.curves[drive].y.push_back(load);
        most[drive] = std::max(most[drive], load);
      }
      for (int k = 0; k < 200; ++k) at.compare(random.vector(1.0), off, reached);
    }
  }
  Chart chart{.title = "largest torque at 1 m/s of the tip, any direction",
              .x_label = "angle of joint 3, rad",
              .y_label = "N m",
              .curves = {}};
  std::array<double, kDrives> most{};
  double off = 0.0, reached = 0.0;
};

}  // namespace

void kang_tip_speed(PaperItems& items) {
  const Result<ChainPtr> chain = load_urdf(robot_named("puma560").file);
  const std::string item = "section 5: [P*] sizes drives at constant tip speed";
  const std::string printed =
      "optimal actuator size under constant operational velocity of the tip";
  if (!chain) {
    items.add(ItemKind::kExample, item, printed, "the robot puma560 is not installed", {});
    return;
  }
  const KangSizing sizing(*chain);
  items
      .add(ItemKind::kExample, item, printed,
           fmt::format("PUMA: joints 1 to 3 need {:.0f}, {:.0f} and {:.0f} N m at most; directions "
                       "tried reach {:.3f} of the bound and agree to {:.0e}",
                       sizing.most[0], sizing.most[1], sizing.most[2], sizing.reached, sizing.off),
           sizing.off <= 1e-9 && sizing.reached <= 1.0 + 1e-9 && sizing.reached > 0.9,
           "elbow from -0.3 to 0.8 rad, tip straight on at 1 m/s with its rotation held, gravity "
           "on top: T_i = u̇ᵀ B_i u̇ with B_i of [P*], [I*], [G] and [H] (tip_speed.hpp), its "
           "largest eigenvalue; against Newton and Euler in 200 directions a posture")
      .charts = {sizing.chart};
}

}  // namespace dyn::tool
