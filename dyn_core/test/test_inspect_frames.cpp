// The tree of frames leads to the tip and to every moving link where the kinematics has them.
#include <fstream>
#include <iterator>
#include <map>

#include "dyn_core/inspect/frames.hpp"
#include "dyn_core/kinematics.hpp"
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

}  // namespace
}  // namespace dyn::test::inspect_frames_tests
