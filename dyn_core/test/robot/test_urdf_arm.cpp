// Where the chain ends when nobody says it.
#include <sstream>

#include "arms.hpp"
#include "support.hpp"
#include "urdf_text.hpp"

namespace dyn::test::urdf_arm_tests {
namespace {

/// Reads the line of an Arm.
class TreeReader {
 public:
  explicit TreeReader(const std::string& line) : words_(line) {
    words_ >> here_;
    robot_.links.push_back(body(here_));
    read();
  }
  [[nodiscard]] std::string text() const { return to_text(robot_); }

 private:
  static TextLink body(const std::string& name) {
    TextLink link{name, true, 1.0, Vec3d(0.05, 0.02, 0.03)};
    link.inertia = 0.01 * Mat3d::Identity();
    return link;
  }

  void read() {
    for (std::string word; words_ >> word;) {
      if (word == "]") return;
      if (word == "[") {
        const std::string carrier = here_;
        read();
        here_ = carrier;
        continue;
      }
      const std::size_t star = word.find('*');
      if (star == std::string::npos) {
        hang(word);
        continue;
      }
      for (int k = 1; k <= std::stoi(word); ++k) hang(numbered(word.substr(star + 1), k));
    }
  }

  static std::string numbered(std::string item, int k) {
    for (std::size_t at; (at = item.find('#')) != std::string::npos;) {
      item.replace(at, 1, std::to_string(k));
    }
    return item;
  }

  // TYPE:joint:link[=master] or -:link
  void hang(const std::string& item) {
    const std::map<char, std::string> types = {
        {'R', "revolute"}, {'C', "continuous"}, {'P', "prismatic"}, {'-', "fixed"}};
    const std::size_t equals = std::min(item.find('='), item.size());
    const std::size_t colon = item.rfind(':', equals);
    const std::string link = item.substr(colon + 1, equals - colon - 1);
    TextJoint joint = joint_between(colon > 1 ? item.substr(2, colon - 2) : "to_" + link,
                                    types.at(item[0]), here_, link);
    joint.xyz = Vec3d(0.1, 0.0, 0.1);
    joint.axis = robot_.joints.size() % 2 == 0 ? Vec3d::UnitZ() : Vec3d::UnitY();
    if (equals < item.size()) joint.mimic = item.substr(equals + 1);
    robot_.joints.push_back(joint);
    robot_.links.push_back(body(link));
    here_ = link;
  }

  std::istringstream words_;
  std::string here_;
  UrdfText robot_;
};

TEST(UrdfArm, EndsWhereAUserWouldEndIt) {
  EXPECT_GE(std::size(kArms), 40U);
  for (const Arm& arm : kArms) {
    const auto chain = parse_urdf(TreeReader(arm.tree).text());
    ASSERT_TRUE(chain) << arm.name << ": " << chain.error().sentence;
    EXPECT_EQ((*chain)->tip(), arm.tip) << arm.name << ": " << (*chain)->tip_rule();
    EXPECT_EQ((*chain)->dof(), arm.dof) << arm.name;
    EXPECT_FALSE((*chain)->tip_rule().empty()) << arm.name;
  }
}

ChainPtr panda(const UrdfOptions& options = {}) {
  const auto chain = parse_urdf(TreeReader(kArms[0].tree).text(), options);
  return chain ? *chain : nullptr;
}

TEST(UrdfArm, TheRuleIsStatedAndTheOtherEndsAreListed) {
  const ChainPtr chain = panda();
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->tip_rule(), "the frame after the last link, before what moves on 'panda_hand'");
  ASSERT_EQ(chain->ends().size(), 3U);
  EXPECT_EQ(chain->ends()[0].link, "panda_hand_tcp");
  EXPECT_EQ(chain->ends()[0].joints, 7);
  EXPECT_EQ(chain->ends()[2].link, "panda_rightfinger");
  EXPECT_EQ(chain->ends()[1].joints, 8);
  const auto pair = parse_urdf(TreeReader(kArms[3].tree).text());
  ASSERT_TRUE(pair);
  EXPECT_NE((*pair)->tip_rule().find("the first of 2 ways with 7 joints"), std::string::npos)
      << (*pair)->tip_rule();
}

TEST(UrdfArm, ALockedFingerIsPartOfTheArm) {
  UrdfOptions options;
  options.base = "panda_link3";
  ASSERT_TRUE(panda(options));
  EXPECT_EQ(panda(options)->tip(), "panda_link8");
  EXPECT_EQ(panda(options)->dof(), 4);
  options.lock = {{"panda_finger_joint1", 0.02}, {"panda_finger_joint2", 0.02}};
  EXPECT_EQ(panda(options)->tip_rule(), "the frame after the last link");
}

TEST(UrdfArm, APartOfANameThatNoOtherHasIsEnough) {
  UrdfOptions options;
  options.tip = "TCP";
  EXPECT_EQ(panda(options)->tip(), "panda_hand_tcp");
  EXPECT_TRUE(panda(options)->tip_rule().empty());
  options.base = "link2";
  EXPECT_EQ(panda(options)->base(), "panda_link2");
}

TEST(UrdfArm, UnknownAndAmbiguousNamesListTheCandidates) {
  const auto sentence = [](const UrdfOptions& options) {
    const auto chain = parse_urdf(TreeReader(kArms[0].tree).text(), options);
    return chain ? std::string("no error") : chain.error().sentence;
  };
  UrdfOptions options;
  options.tip = "panda_lnk8";
  EXPECT_EQ(
      sentence(options).find("there is no link 'panda_lnk8' to be the tip; check the name, the "
                             "nearest: 'panda_link8'"),
      0U)
      << sentence(options);
  options.tip = "finger";
  EXPECT_EQ(sentence(options),
            "'finger' as the tip fits several links, 'panda_leftfinger', 'panda_rightfinger'; give "
            "more of the name");
  options.tip = "link";
  EXPECT_NE(sentence(options).find("'panda_link4' and 4 more"), std::string::npos)
      << sentence(options);
  options.tip = {};
  options.base = "pandalink0";
  EXPECT_NE(sentence(options).find("to be the base; check the name, the nearest: 'panda_link0'"),
            std::string::npos)
      << sentence(options);
}

}  // namespace
}  // namespace dyn::test::urdf_arm_tests
