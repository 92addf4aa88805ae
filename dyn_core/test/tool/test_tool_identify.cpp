// The tool from outside: `dyn identify` from a log to a robot description that says the same.
#include <cmath>
#include <fstream>

#include <nlohmann/json.hpp>

#include "dyn_core/solver.hpp"
#include "support.hpp"
#include "tool_support.hpp"

namespace dyn::test::tool_identify_tests {
namespace {

using nlohmann::json;

// The robot under way for 20 s at 100 Hz, with friction that its description does not know.
std::string log_of(const ChainPtr& described) {
  ChainDescription description = described->description();
  for (Joint& joint : description.joints) joint.damping = 0.8, joint.friction = 0.5;
  const ChainPtr chain = std::make_shared<const Chain>(std::move(description));
  Solver solver = Solver::make(chain).value();
  solver.set_friction(true);
  const std::string path = temporary("log.csv");
  std::ofstream out(path);
  const Index n = chain->dof();
  out << "t";
  for (const char* signal : {"q_", "qd_", "tau_"}) {
    for (Index j = 1; j <= n; ++j) out << ',' << signal << j;
  }
  out << '\n';
  out.precision(12);
  VecXd tau(n);
  for (int k = 0; k < 2000; ++k) {
    const double t = 0.01 * k;
    VecXd q = VecXd::Zero(n), qd = q, qdd = q;
    for (Index j = 0; j < n; ++j) {
      for (const double rate :
           {0.7 + 0.13 * static_cast<double>(j), 2.1 - 0.11 * static_cast<double>(j)}) {
        q[j] += 0.5 / rate * std::sin(rate * t + static_cast<double>(j));
        qd[j] += 0.5 * std::cos(rate * t + static_cast<double>(j));
        qdd[j] -= 0.5 * rate * std::sin(rate * t + static_cast<double>(j));
      }
    }
    EXPECT_EQ(solver.inverse_dynamics(q, qd, qdd, tau), Status::kOk);
    out << t;
    for (const VecXd* signal : {&q, &qd, &tau}) {
      for (Index j = 0; j < n; ++j) out << ',' << (*signal)[j];
    }
    out << '\n';
  }
  return path;
}

TEST(ToolIdentify, WritesWhatItFound) {
  const std::string log = log_of(load_robot("arm7"));
  const std::string urdf = temporary("identified.urdf"), drives = temporary("drives.yaml"),
                    page = temporary("identified.html");
  const Output output =
      tool("identify " + robot_path("arm7") + " --tip tool0 " + log + " --json -o " + urdf +
           " --drives " + drives + " --report " + page + " 2>/dev/null");
  ASSERT_EQ(output.status, 0);
  const json out = json::parse(output.text);
  EXPECT_TRUE(out["consistent"]);
  EXPECT_EQ(out["parameters"], 98);
  UrdfOptions options;
  options.tip = "tool0";
  const auto chain = load_urdf(urdf, options);
  ASSERT_TRUE(chain) << chain.error().sentence;
  for (std::size_t i = 0; i < 7; ++i) {
    const Link& link = (*chain)->links()[i];
    const RigidBody body = link.body.expressed_in(link.urdf_frame.inverse());
    EXPECT_NEAR(body.mass, out["links"][i]["mass"].get<double>(), 1e-12);
    EXPECT_NEAR(body.com.x(), out["links"][i]["com"][0].get<double>(), 1e-9);
    EXPECT_NEAR(body.inertia(1, 1), out["links"][i]["inertia"][1].get<double>(), 1e-9);
    EXPECT_LT(out["joints"][i]["rms_validation"].get<double>(), 0.03);
    EXPECT_NEAR((*chain)->joint(static_cast<Index>(i)).damping, 0.8, 0.02);
    EXPECT_NEAR((*chain)->joint(static_cast<Index>(i)).friction, 0.5, 0.02);
  }
  EXPECT_NE(content(drives).find("armature"), std::string::npos);
  EXPECT_NE(content(page).find("</html>"), std::string::npos);
}

// As docs/identification.md has it: a motion, a log of the loop that follows it, the model from that log.
TEST(ToolIdentify, ClosesTheLoop) {
  const std::string robot = robot_path("stanford3"), motion = temporary("motion.csv"),
                    log = temporary("loop.csv"), urdf = temporary("loop.urdf");
  const std::string arm = " --arm " + robot +
                          " --payload-error 30 --friction-error 50 --predict on"
                          " --observer off --law computed_torque --json ";
  const auto error = [&](const std::string& arguments) {
    const Output output = tool("track " + arguments + arm + "2>/dev/null");
    EXPECT_EQ(output.status, 0) << arguments;
    return json::parse(output.text)["results"].back()["rms_norm"].get<double>();
  };
  ASSERT_EQ(
      tool("excite " + robot + " --duration 12 --period 6 --json -o " + motion + " 2>/dev/null")
          .status,
      0);
  const double followed = error(robot + " --trajectory " + motion + " --csv " + log);
  EXPECT_GT(followed, 1e-3);
  ASSERT_EQ(
      tool("identify " + robot + " " + log + " --delay-ms 4.5 --json -o " + urdf + " 2>/dev/null")
          .status,
      0);
  const double before = error(robot + " --trajectory sine"),
               after = error(urdf + " --trajectory sine");
  EXPECT_LT(after, 0.1 * before);
  EXPECT_EQ(tool("track " + robot + " --arm " + robot_path("rp") + " 2>/dev/null").status, 1);
}

// One joint's drive reports no effort.
TEST(ToolIdentify, NoEffortIsNoShare) {
  const std::string log = temporary("silent.csv"), page = temporary("silent.html");
  std::ofstream(log) << "t,q_1,q_2,tau_1,tau_2\n";
  std::ofstream out(log, std::ios::app);
  for (int k = 0; k < 1000; ++k) {
    const double t = 0.01 * k;
    out << t << ',' << 0.5 + 0.3 * std::sin(2.0 * t) << ',' << 0.5 + 0.2 * std::sin(3.0 * t)
        << ",0," << 5.0 * std::cos(2.5 * t) << '\n';
  }
  out.close();
  const auto row = [](const Output& output) {
    EXPECT_EQ(output.status, 0);
    const std::size_t begin = output.text.find("\njoint1 ") + 1;
    return output.text.substr(begin, output.text.find('\n', begin) - begin);
  };
  const std::string identified =
      row(tool("identify rp " + log + " --report " + page + " 2>/dev/null"));
  for (const std::string& text : {row(tool("check rp " + log + " 2>/dev/null")), identified}) {
    EXPECT_EQ(text.find('%'), std::string::npos) << text;
    EXPECT_NE(text.find(" - "), std::string::npos) << text;
  }
  EXPECT_NE(content(page).find("<b>-</b>"), std::string::npos);
}

TEST(ToolIdentify, RefusesWithASentence) {
  const std::string log = log_of(load_robot("rp"));
  const auto sentence = [&](const std::string& arguments) {
    const Output output = tool("identify " + arguments + " 2>&1 >/dev/null");
    EXPECT_EQ(output.status, 1) << arguments;
    return output.text;
  };
  EXPECT_NE(sentence("rp " + log + " --effort current --drive-gain nobody=2").find("nobody"),
            std::string::npos);
  EXPECT_NE(sentence("rp /nowhere.csv").find("/nowhere.csv"), std::string::npos);
  EXPECT_NE(sentence("rp " + log + " --drive-gain joint1=2").find("current"), std::string::npos);
}

}  // namespace
}  // namespace dyn::test::tool_identify_tests
