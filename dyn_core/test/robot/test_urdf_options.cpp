// Options that do not fit the robot are refused in a sentence; what is only suspicious gives a
// warning.
#include "urdf_sentences.hpp"

namespace dyn::test::urdf_options_tests {
namespace {

// ---- options ------------------------------------------------------------------------------------

TEST(UrdfOption, OptionsThatDoNotFitTheRobot) {
  const auto refused = [](auto change, const std::vector<std::string>& words) {
    UrdfOptions options;
    change(options);
    expect_refused(good_text(), words, options);
  };
  const double nan = NAN, infinite = HUGE_VAL;
  using Options = UrdfOptions&;
  refused([](Options o) { o.base = "bse"; }, {"no link 'bse'", "base", "check the name"});
  refused([](Options o) { o.tip = "flange"; }, {"no link 'flange'", "tip", "check the name"});
  refused([](Options o) { o.base = "hand", o.tip = "arm"; },
          {"tip 'arm' is not below the base 'hand'", "choose a base"});
  refused([](Options o) { o.base = o.tip = "arm"; }, {"no joint moves", "the same link"});
  refused([](Options o) { o.tip = "base"; }, {"no joint moves", "'base'"});
  refused([](Options o) { o.lock["elbow"] = 0.1; }, {"no joint 'elbow' to lock", "check the name"});
  refused([=](Options o) { o.lock["grip"] = nan; }, {"'grip'", "nan", "position"});
  refused([=](Options o) { o.lock["grip"] = -infinite; }, {"'grip'", "-inf", "position"});
  refused([](Options o) { o.lock = {{"turn", 0}, {"slide", 0}}; }, {"no joint moves"});
  refused([](Options o) { o.armature["elbow"] = 1.0; }, {"armature", "'elbow'", "check the name"});
  refused([](Options o) { o.armature["grip"] = 1.0; }, {"armature", "'grip'", "does not move"});
  refused([](Options o) { o.armature["turn"] = -1.0; },
          {"armature of joint 'turn' is -1", "zero or"});
  refused([=](Options o) { o.armature["turn"] = nan; }, {"armature of joint 'turn' is nan"});
  refused([=](Options o) { o.gravity.y() = nan; }, {"gravity", "nan", "m/s²"});
  refused([=](Options o) { o.gravity.z() = -infinite; }, {"gravity", "-inf"});
  refused([=](Options o) { o.payload.mass = nan; }, {"the payload", "not finite"});
  refused([=](Options o) { o.payload.com.x() = infinite; }, {"the payload", "not finite"});
  refused([=](Options o) { o.payload.inertia(0, 1) = nan; }, {"the payload", "not finite"});
  refused([](Options o) { o.payload.mass = -1.0; }, {"the payload", "mass is negative", "allow"});
  refused(
      [](Options o) {
        o.payload = {1.0, Vec3d::Zero(), -Mat3d::Identity()};
      },
      {"the payload", "not positive semi-definite"});
}

TEST(UrdfOption, AFixedJointCannotBeLocked) {
  UrdfOptions options;
  options.lock["grip"] = 0.0;
  const std::string fixed = replaced(good_text(), "type=\"continuous\"", "type=\"fixed\"");
  expect_refused(fixed, {"'grip' cannot be locked", "leave it out"}, options);
}

TEST(UrdfOption, NonphysicalIsAcceptedOnRequest) {
  UrdfOptions options;
  options.allow_nonphysical = true;
  for (const char* file : {"bad_negative_mass.urdf", "bad_indefinite_inertia.urdf"}) {
    const auto chain = load_urdf(kFolder + file, options);
    ASSERT_TRUE(chain) << error_of(chain);
    EXPECT_FALSE((*chain)->warnings().empty());
  }
  // Masses that cancel have no centre of mass.
  std::string text = replaced(good_text(), "<mass value=\"1\"/>", "<mass value=\"-1.5\"/>");
  text = replaced(text, "name=\"slide\" type=\"prismatic\"", "name=\"slide\" type=\"fixed\"");
  expect_refused(text, {"link 'hand'", "cancel", "correct"}, options);
}

// ---- warnings -----------------------------------------------------------------------------------

std::string warnings_of(const std::string& text, const UrdfOptions& options = {}) {
  const auto chain = parse_urdf(text, options);
  if (!chain) return error_of(chain);
  std::string all;
  for (const std::string& warning : (*chain)->warnings()) all += warning + "\n";
  return all;
}

void expect_warning(const std::string& text, const std::vector<std::string>& words,
                    const UrdfOptions& options = {}) {
  const std::string warnings = warnings_of(text, options);
  for (const std::string& word : words) {
    EXPECT_NE(warnings.find(word), std::string::npos) << "no \"" << word << "\" in: " << warnings;
  }
}

// The good text with other moments of inertia of the hand.
std::string with_moments(const char* x, const char* y, const char* z) {
  return replaced(
      good_text(), "ixx=\"0.01\" ixy=\"0\" ixz=\"0\" iyy=\"0.01\" iyz=\"0\" izz=\"0.01\"",
      fmt::format("ixx=\"{}\" ixy=\"0\" ixz=\"0\" iyy=\"{}\" iyz=\"0\" izz=\"{}\"", x, y, z));
}

TEST(UrdfWarnings, SuspiciousButUsable) {
  const std::string good = good_text();
  expect_warning(replaced(good, "effort=\"50\"", "effort=\"0\""),
                 {"'turn'", "effort limit is 0", "unset"});
  expect_warning(replaced(good, "velocity=\"3\"", "velocity=\"0\""),
                 {"'turn'", "velocity limit is 0"});
  expect_warning(replaced(good, "lower=\"-2\" upper=\"2.5\" ", ""),
                 {"'turn'", "lower = upper = 0"});
  expect_warning(with_moments("0.01", "0.01", "0.03"), {"'hand'", "triangle inequality"});
  expect_warning(with_moments("500", "500", "500"), {"'hand'", "implausibly large", "placeholder"});
  expect_warning(with_moments("1e-12", "1e-12", "1e-12"), {"'hand'", "implausibly small"});
  expect_warning(
      replaced(good, "<mass value=\"1\"/>", "<origin xyz=\"0 0 9\"/><mass value=\"1\"/>"),
      {"'hand'", "centre of mass is 9 m"});
  std::string bare = good;
  const std::size_t begin = bare.find("<inertial>"), end = bare.find("</inertial>") + 11;
  bare.erase(begin, end - begin);
  expect_warning(bare, {"'arm'", "no mass", "missing"});
  expect_warning(with_moments("0.01", "0.01", "0.01"),
                 {"'grip' is off the chain", "'turn'", "held at 0.0625"});
}

TEST(UrdfWarnings, ALockOutsideItsLimits) {
  UrdfOptions options;
  options.lock["slide"] = 0.75;
  expect_warning(good_text(), {"'slide' is locked at 0.75", "outside its limits -0.3 … 0.5"},
                 options);
  options.lock["slide"] = 0.5;
  EXPECT_EQ(warnings_of(good_text(), options).find("locked"), std::string::npos);
}

TEST(UrdfWarnings, AnExactTriangleEqualityIsPhysical) {
  for (const std::string& text :
       {with_moments("0.01", "0.02", "0.03"), with_moments("0.05", "0.06", "0.01"),
        with_moments("0.1", "0.3", "0.2"), with_moments("1e-5", "3e-5", "2e-5")}) {
    EXPECT_EQ(warnings_of(text).find("triangle"), std::string::npos) << warnings_of(text);
  }
  EXPECT_TRUE(load_robot("stanford")->warnings().empty());
}

}  // namespace
}  // namespace dyn::test::urdf_options_tests
