// What dyn refuses before it starts: each within seconds, with a sentence that names the option and the bound.
#include "support.hpp"
#include "tool_support.hpp"

namespace dyn::test::tool_limits_tests {
namespace {

// A chain of `joints` equal links, all with these limits.
std::string snake(int joints, const std::string& velocity, const std::string& range = "2") {
  const auto body = [](const std::string& name) {
    return "<link name=\"" + name +
           "\"><inertial><origin xyz=\"0 0 0.05\"/><mass value=\"1\"/><inertia ixx=\"0.01\" "
           "iyy=\"0.01\" izz=\"0.01\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\n";
  };
  std::string text = "<robot name=\"snake\">\n" + body("link0");
  for (int i = 1; i <= joints; ++i) {
    const std::string number = std::to_string(i);
    text += body("link" + number) + "<joint name=\"joint" + number +
            "\" type=\"revolute\"><parent link=\"link" + std::to_string(i - 1) +
            "\"/><child link=\"link" + number + "\"/><origin xyz=\"0 0 0.1\"/><axis xyz=\"" +
            (i % 2 == 0 ? "0 0 1" : "0 1 0") + "\"/><limit lower=\"-" + range + "\" upper=\"" +
            range + "\" effort=\"100\" velocity=\"" + velocity + "\"/></joint>\n";
  }
  const std::string path = temporary("snake" + std::to_string(joints) + velocity + ".urdf");
  std::ofstream(path) << text << "</robot>\n";
  return path;
}

struct Refusal {
  std::string arguments, part;
  int status = 1;
};

void expect_refused(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.arguments);
    const Output output =
        shell("timeout -s KILL 60 " DYN_TOOL_PATH " " + refusal.arguments + " 2>&1");
    EXPECT_EQ(output.status, refusal.status) << output.text;
    EXPECT_NE(output.text.find(refusal.part), std::string::npos) << output.text;
    EXPECT_LT(output.text.size(), 1000u);
  }
}

TEST(ToolLimits, WorkWithoutEndIsRefused) {
  const std::string rp = robot_path("rp"), motion = "simulate " + rp + " --free-fall ";
  expect_refused({
      {"track " + rp + " --rate 1e9", "--rate: '1e9' is no number from 1 to 100000", 2},
      {"track " + rp + " --rate nan", "--rate: 'nan' is no number", 2},
      {"track " + rp + " --duration 1e9", "is no number from 0.001 to 3600", 2},
      {"track " + rp + " --delay-ms 1e9", "is no number from 0 to 1000", 2},
      {"track " + rp + " --frequency inf", "--frequency", 2},
      {"track " + rp + " --damping-ratio=-1", "--damping-ratio", 2},
      {"track " + rp + " --rate 1e5 --duration 3600 --delay-ms 1000", "lower --rate"},
      {"track " + rp + " --payload-error 1e300", "--payload-error"},
      {motion + "--duration 1e9", "1e+11 samples, more than 1e+08"},
      {motion + "--step 1e-9", "samples, more than"},
      {motion + "--integrator rk4 --substeps 1000000000", "steps of integration, more than"},
      {motion + "--longest-step 1e-12", "steps of integration, more than"},
      {motion + "--duration 1e5 --pictures /dev/null", "--pictures draws up to 1e+06 samples"},
      {"compare " + rp + " --speed nan", "--speed: 'nan' is no number from 0 to 10000", 2},
      {"compare " + rp + " --speed inf", "--speed", 2},
      {"compare " + rp + " --samples 1000000000", "--samples", 2},
      {"count --dof 1000", "one of 400 or 2..140 is possible"},
      {"count --dof 1..1000", "one of 400 or 2..140 is possible"},
      {"bench --dof 7 --batch 10000000", "GB"},
      {"bench --dof 7 --rounds 1000000000", "--rounds", 2},
      {"demo " + rp + " --duration 1e9 --no-report", "--duration takes 1 to 60 s"},
      {"demo " + rp + " --duration nan --no-report", "--duration takes 1 to 60 s"},
  });
}

TEST(ToolLimits, OnlyStepsThatAreTakenCount) {
  const std::string fall = "simulate " + robot_path("rp") + " --free-fall --duration 0.1 ";
  EXPECT_EQ(tool(fall + "--integrator rk4 --longest-step 1e-12 >/dev/null 2>&1").status, 0);
  EXPECT_EQ(tool(fall + "--integrator abm --substeps 1000000000 >/dev/null 2>&1").status, 0);
}

TEST(ToolLimits, AJointThatHardlyMovesDoesNotStretchTheMotion) {
  const std::string slow = snake(2, "1e-9");
  const std::string part = "the velocity limit of joint 'joint";
  expect_refused({{"track " + slow, part}, {"demo " + slow + " --no-report", part}});
  // The report's motion has a fixed number of samples, however long it lasts.
  EXPECT_EQ(tool("report " + slow + " -o /dev/null 2>/dev/null").status, 0);
  std::remove(slow.c_str());
}

TEST(ToolLimits, LongChainsAreRefusedWhereTheyTakeTooLong) {
  const std::string snake200 = snake(200, "2");
  expect_refused({{"report " + snake200 + " -o /dev/null", "report takes arms of up to 100 joints"},
                  {"demo " + snake200 + " --no-report", "demo takes arms of up to 100 joints"},
                  {"compare " + snake200, "compare takes arms of up to 100 joints"},
                  {"track " + snake200, "times what track takes on"}});
  std::remove(snake200.c_str());
}

TEST(ToolLimits, FilesWithoutEndAreRefused) {
  const std::string follow = "simulate " + robot_path("rp") + " --follow ";
  expect_refused({{follow + "/dev/zero", "--follow: '/dev/zero' is longer than 32 MB"},
                  {follow + "/", "--follow: '/' cannot be read"},
                  {follow + "nowhere.csv", "neither cycloid, quintic or trapezoid nor a file"}});
}

TEST(ToolLimits, RangesOfJointsAreSentences) {
  expect_refused({{"count --dof 9..2", "--dof: 9..2 is empty; give 2..9"},
                  {"count --dof 0", "--dof: '0' is no number of joints"},
                  {"count --dof 2.5", "--dof: '2.5' is no number of joints"},
                  {"count --dof ..9", "--dof: '' is no number of joints"},
                  {"count --dof 2,", "--dof: '' is no number of joints"},
                  {"count --dof 1001", "--dof: '1001' is no number of joints"},
                  {"count --dof x", "'x' is not a finite number"}});
  EXPECT_EQ(tool("count --dof 2..4,5 2>/dev/null").status, 1);
  EXPECT_EQ(tool("count --dof 2,3 2>/dev/null").status, 0);
}

// Nothing moves, so nothing is better than anything else.
TEST(ToolLimits, AnArmThatMayNotMoveHasNoRatios) {
  const std::string still = snake(1, "0", "0");
  const Output output = tool("track " + still + " --duration 0.1 2>/dev/null");
  EXPECT_EQ(output.status, 0);
  EXPECT_EQ(output.text.find("nan"), std::string::npos) << output.text;
  std::remove(still.c_str());
}

}  // namespace
}  // namespace dyn::test::tool_limits_tests
