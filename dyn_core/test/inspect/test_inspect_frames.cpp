// The tree of frames leads to the tip and to every moving link where the kinematics has them.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "dyn_core/inspect/frames.hpp"
#include "dyn_core/robot/kinematics.hpp"
#include "dyn_core/robot/urdf.hpp"
#include "support.hpp"

namespace dyn::test::inspect_frames_tests {
namespace {

std::string text_of(const std::string& robot) {
  std::ifstream file(robot_path(robot));
  return {std::istreambuf_iterator<char>(file), {}};
}

Posed pose_in_base(const std::map<std::string, inspect::LinkFrame>& frames, const std::string& base,
                   std::string link) {
  Posed pose;
  while (link != base) {
    const inspect::LinkFrame& frame = frames.at(link);
    pose = frame.pose * pose;
    link = frame.parent;
  }
  return pose;
}

TEST(FrameTree, AgreesWithTheKinematicsOfEveryRobot) {
  for (const std::string& robot : robot_names()) {
    SCOPED_TRACE(robot);
    const ChainPtr chain = load_robot(robot);
    auto tree = inspect::FrameTree::make(text_of(robot), *chain).value();
    const std::vector<std::string> fingers = {"finger_left"};
    EXPECT_EQ(tree.other_joints(), robot == "arm7" ? fingers : std::vector<std::string>());
    Kinematics<double> kinematics(chain);
    const VecXd q = VecXd::LinSpaced(chain->dof(), -0.7, 1.1);
    ASSERT_EQ(kinematics.update(q), Status::kOk);
    std::map<std::string, inspect::LinkFrame> frames;
    for (const auto& frame : tree.fixed()) frames[frame.link] = frame;
    for (const auto& frame : tree.moving(q)) frames[frame.link] = frame;
    const auto expect_near = [&](const std::string& link, const Posed& wanted) {
      const Posed pose = pose_in_base(frames, chain->base(), link);
      EXPECT_LT((pose.p - wanted.p).norm() + (pose.R - wanted.R).norm(), 1e-9) << link;
    };
    expect_near(chain->tip(), kinematics.tip_pose());
    for (Index i = 0; i < chain->joint_count(); ++i) {
      expect_near(chain->links()[static_cast<std::size_t>(i)].name, kinematics.link_pose(i));
    }
  }
}

// arm7's gripper: finger_right follows finger_left; both are off the chain, or on it with a finger as tip.
TEST(JointMotions, ResolveMimicsOnTheChainAndOffIt) {
  const auto motion_of = [](const std::string& text, const Chain& chain, const std::string& joint) {
    const auto motions = inspect::joint_motions(text, chain).value();
    const auto found = std::ranges::find(motions, joint, &inspect::JointMotion::joint);
    EXPECT_NE(found, motions.end());
    return *found;
  };
  std::string text = text_of("arm7");
  const ChainPtr chain = load_robot("arm7");
  const auto left = motion_of(text, *chain, "finger_left");
  const auto right = motion_of(text, *chain, "finger_right");
  EXPECT_EQ(left.master, "finger_left");
  EXPECT_EQ(right.master, "finger_left");
  EXPECT_EQ(left.coordinate, -1);
  EXPECT_EQ(right.coordinate, -1);
  EXPECT_EQ(right.multiplier, 1.0);
  EXPECT_EQ(left.rest, 0.0);
  for (std::size_t i = 0; i < chain->joints().size(); ++i) {
    const auto own = motion_of(text, *chain, chain->joints()[i].name);
    EXPECT_EQ(own.coordinate, static_cast<Index>(i));
    EXPECT_EQ(own.master, own.joint);
  }
  const std::string zero = "lower=\"0\" upper=\"0.04\"";
  for (auto at = text.find(zero); at != std::string::npos; at = text.find(zero)) {
    text.replace(at, zero.size(), "lower=\"0.01\" upper=\"0.04\"");
  }
  EXPECT_EQ(motion_of(text, *chain, "finger_right").rest, 0.01);
  const ChainPtr finger = parse_urdf(text, {.tip = "finger_left_link"}).value();
  EXPECT_EQ(motion_of(text, *finger, "finger_right").coordinate, 7);
}

}  // namespace
}  // namespace dyn::test::inspect_frames_tests
