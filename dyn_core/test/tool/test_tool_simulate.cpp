// dyn simulate from the outside: columns, exact numbers, summaries, exit statuses, Ctrl-C.
#include <charconv>
#include <filesystem>
#include <sstream>

#include <nlohmann/json.hpp>

#include "motion/simulation_support.hpp"
#include "tool_support.hpp"

namespace dyn::test::tool_simulate_tests {
namespace {

Output dyn_simulate(const std::string& robot, const std::string& rest) {
  return tool("simulate " + robot_path(robot) + " " + rest);
}

struct Table {
  std::string heading;
  std::vector<std::vector<double>> rows;
};

Table table(const std::string& csv) {
  Table out;
  std::istringstream lines(csv);
  std::getline(lines, out.heading);
  for (std::string line; std::getline(lines, line);) {
    std::vector<double>& row = out.rows.emplace_back();
    for (const char *at = line.data(), *end = at + line.size(); at < end; ++at) {
      const auto [next, error] = std::from_chars(at, end, row.emplace_back());
      if (error != std::errc()) {
        ADD_FAILURE() << "no number at: " << at;
        return out;
      }
      at = next;
    }
  }
  return out;
}

TEST(ToolSimulate, PrintsTheSamplesOfTheLibraryExactly) {
  const Output output = dyn_simulate(
      "planar3r",
      "--tau-constant 0.1,-0.2,0.05 --q0 -1,0.5,0.25 --duration 0.5 --step 0.05 2>/dev/null");
  ASSERT_EQ(output.status, 0);
  const Table samples = table(output.text);
  EXPECT_EQ(samples.heading, "t,q_1,q_2,q_3,qd_1,qd_2,qd_3,tau_1,tau_2,tau_3,energy,x,y,z");
  SimulationOptions options;
  options.duration = 0.5;
  options.step = 0.05;
  const Motion motion = run(load_robot("planar3r"), options, Eigen::Vector3d(-1.0, 0.5, 0.25),
                            constant_torque(Eigen::Vector3d(0.1, -0.2, 0.05)));
  ASSERT_EQ(samples.rows.size(), motion.time.size());
  Kinematics<double> kinematics(load_robot("planar3r"));
  for (std::size_t i = 0; i < samples.rows.size(); ++i) {
    const std::vector<double>& row = samples.rows[i];
    ASSERT_EQ(row.size(), 14u);
    EXPECT_EQ(row[0], motion.time[i]);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto joint = static_cast<Index>(k);
      EXPECT_EQ(row[1 + k], motion.q[i][joint]);
      EXPECT_EQ(row[4 + k], motion.qd[i][joint]);
      EXPECT_EQ(row[7 + k], motion.tau[i][joint]);
    }
    EXPECT_EQ(row[10], motion.energy[i]);
    ASSERT_EQ(kinematics.update(motion.q[i]), Status::kOk);
    const Vec3d tip = kinematics.tip_pose().p;
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(row[11 + k], tip[static_cast<Index>(k)]);
    EXPECT_LE(tip.norm(), 0.77 + 1e-12);  // the three links' lengths
  }
}

TEST(ToolSimulate, JsonIsOneObjectAndNothingElse) {
  const std::string csv = temporary("json.csv");
  const Output output =
      dyn_simulate("puma560", "--free-fall --duration 0.5 --json --csv " + csv + " 2>/dev/null");
  ASSERT_EQ(output.status, 0);
  const auto summary = nlohmann::json::parse(output.text);
  EXPECT_EQ(summary["robot"], "puma560");
  EXPECT_EQ(summary["samples"], 51);
  EXPECT_EQ(summary["forward_dynamics"], "fast");
  EXPECT_FALSE(summary["stopped"].get<bool>());
  EXPECT_LT(summary["energy"]["drift"].get<double>(), 1e-3);
  const Table samples = table(content(csv));
  ASSERT_EQ(samples.rows.size(), 51u);
  EXPECT_EQ(summary["q"].get<std::vector<double>>(),
            std::vector<double>(samples.rows.back().begin() + 1, samples.rows.back().begin() + 7));
  std::remove(csv.c_str());
}

TEST(ToolSimulate, FollowsTheCycloidOfThePaperByDefaultAndDrawsIt) {
  const std::string csv = temporary("cycloid.csv"), svg = temporary("cycloid.svg");
  const Output output = dyn_simulate(
      "puma560", "--follow cycloid --json --csv " + csv + " --pictures " + svg + " 2>/dev/null");
  ASSERT_EQ(output.status, 0);
  const auto summary = nlohmann::json::parse(output.text);
  EXPECT_TRUE(summary["energy"]["drift"].is_null());
  EXPECT_GT(summary["trajectory"]["departure"]["time"].get<double>(), 6.0);
  const Table samples = table(content(csv));
  const double quarter = 0.25 * std::numbers::pi - 0.5;  // eq. (18) at T/4
  ASSERT_EQ(samples.rows.size(), 1001u);
  ASSERT_EQ(samples.rows[250][0], 2.5);
  for (std::size_t i = 1; i <= 6; ++i) EXPECT_NEAR(samples.rows[250][i], quarter, 1e-3);
  const std::string picture = content(svg);
  EXPECT_TRUE(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
  EXPECT_EQ(picture.find("nan"), std::string::npos);
  for (const char* title : {">joint6<", ">joint6, torque<", ">tip, x<", ">tip, z<",
                            ">largest deviation from the trajectory<"}) {
    EXPECT_NE(picture.find(title), std::string::npos) << title;
  }
  std::remove(csv.c_str());
  std::remove(svg.c_str());
}

// The drives' figures again from the samples; and what they give and take back is the change of energy.
TEST(ToolSimulate, SaysWhatIsAskedOfEachDrive) {
  const std::string csv = temporary("drives.csv");
  const Output output = dyn_simulate(
      "puma560", "--follow cycloid --duration 2 --step 0.001 --json --csv " + csv + " 2>/dev/null");
  ASSERT_EQ(output.status, 0);
  const auto summary = nlohmann::json::parse(output.text);
  EXPECT_TRUE(summary["trajectory"]["departure"].is_null());
  const auto drives = summary.at("drives");
  ASSERT_EQ(drives.size(), 6u);
  const std::vector<std::vector<double>> rows = table(content(csv)).rows;
  double work = 0.0;
  for (std::size_t k = 0; k < 6; ++k) {
    const auto of = [&](const char* what, const char* which) {
      return drives[k].at(what).at(which).get<double>();
    };
    double peak = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double torque = rows[i][13 + k];
      peak = std::max(peak, std::abs(torque));
      squares += (i == 0 || i + 1 == rows.size() ? 0.5 : 1.0) * torque * torque;
    }
    EXPECT_EQ(of("torque", "peak"), peak);
    EXPECT_NEAR(of("torque", "rms"), std::sqrt(squares / static_cast<double>(rows.size() - 1)),
                1e-9 * peak);
    EXPECT_GE(of("torque", "peak") * of("velocity", "peak"), of("power", "peak"));
    EXPECT_GE(of("power", "peak"), of("power", "rms"));
    EXPECT_GE(of("energy", "given"), 0.0);
    EXPECT_GE(of("energy", "taken_back"), 0.0);
    work += of("energy", "given") - of("energy", "taken_back");
  }
  constexpr std::size_t kEnergy = 19;
  const double gained = rows.back()[kEnergy] - rows.front()[kEnergy];
  double largest = 0.0;
  for (const auto& row : rows)
    largest = std::max(largest, std::abs(row[kEnergy] - rows[0][kEnergy]));
  EXPECT_NEAR(work, gained, 1e-3 * largest);
  const Output text = dyn_simulate("rp", "--follow cycloid --csv /dev/null 2>/dev/null");
  EXPECT_NE(text.text.find("what the drives give along the trajectory"), std::string::npos);
  std::remove(csv.c_str());
}

TEST(ToolSimulate, FollowsWaypointsFromItsFirstOne) {
  const std::string csv = temporary("waypoints.csv");
  std::ofstream(csv) << "time,a,b,c\n0,0.1,0.2,0.3\n1,0.5,0.1,0.2\n2,0.1,0.4,0.2\n";
  const Output output = dyn_simulate(
      "planar3r", "--follow " + csv + " --interpolation quintic --duration 1 2>/dev/null");
  ASSERT_EQ(output.status, 0);
  const Table samples = table(output.text);
  EXPECT_EQ(samples.rows.front()[1], 0.1);
  EXPECT_NEAR(samples.rows.back()[1], 0.5, 1e-3);
  std::remove(csv.c_str());
}

TEST(ToolSimulate, ExitStatusTellsUsageFromInput) {
  const auto status = [](const std::string& rest) {
    return dyn_simulate("planar3r", rest + " 2>/dev/null").status;
  };
  EXPECT_EQ(status(""), 2);
  EXPECT_EQ(status("--free-fall --follow cycloid"), 2);
  EXPECT_EQ(status("--free-fall --integrator euler"), 2);
  EXPECT_EQ(status("--free-fall --duration soon"), 2);
  EXPECT_EQ(status("--free-fall --help"), 0);
  EXPECT_EQ(status("--tau-constant 1,2"), 1);
  EXPECT_EQ(status("--free-fall --duration 0"), 1);
  EXPECT_EQ(status("--free-fall --forward-dynamics magic"), 1);
  EXPECT_EQ(status("--follow nowhere.csv"), 1);
  EXPECT_EQ(status("--follow trapezoid"), 1);
  EXPECT_EQ(status("--free-fall --csv /nowhere/x.csv"), 1);
}

TEST(ToolSimulate, AWrongRequestEmptiesNoFile) {
  const std::string csv = temporary("kept.csv");
  std::ofstream(csv) << "precious";
  const Output refused = dyn_simulate("rp", "--free-fall --duration -1 --csv " + csv + " 2>&1");
  EXPECT_EQ(refused.status, 1) << refused.text;
  EXPECT_EQ(content(csv), "precious");
  std::remove(csv.c_str());
}

TEST(ToolSimulate, KeepsTheSamplesBeforeAFailure) {
  const std::string csv = temporary("failure.csv");
  const Output output = dyn_simulate("planar3r",
                                     "--tau-constant 40,40,40 --integrator rk4 --step 0.2 "
                                     "--csv " +
                                         csv + " 2>&1");
  EXPECT_EQ(output.status, 1);
  EXPECT_NE(output.text.find("joint 'joint"), std::string::npos) << output.text;
  EXPECT_NE(output.text.find("broke down after"), std::string::npos) << output.text;
  EXPECT_GE(table(content(csv)).rows.size(), 1u);
  std::remove(csv.c_str());
}

// The planar arm leaves its trajectory and then spins ever faster; 10 ms are too long for that.
TEST(ToolSimulate, ARunThatBreaksDownSaysWhereItDeparted) {
  const std::string svg = temporary("broken.svg");
  const std::string command = "--follow cycloid --integrator semi_implicit --csv /dev/null ";
  const Output json = dyn_simulate("planar3r", command + "--json --svg " + svg + " 2>/dev/null");
  EXPECT_EQ(json.status, 1);
  const auto summary = nlohmann::json::parse(json.text);
  EXPECT_NE(summary["failure"].get<std::string>().find("cannot go on at"), std::string::npos);
  EXPECT_NEAR(summary["trajectory"]["departure"]["time"].get<double>(), 2.35, 0.01);
  EXPECT_GT(summary["time"].get<double>(), 2.35);
  EXPECT_LT(summary["time"].get<double>(), 10.0);
  EXPECT_GT(summary["steps"].get<int>(), 235);
  EXPECT_TRUE(content(svg).ends_with("</svg>\n"));  // as far as it came
  const Output text = dyn_simulate("planar3r", command + "2>/dev/null");
  EXPECT_NE(text.text.find("broke down after"), std::string::npos) << text.text;
  EXPECT_NE(text.text.find("trajectory  left at 2.35 s"), std::string::npos) << text.text;
  std::remove(svg.c_str());
}

TEST(ToolSimulate, AbmTakesATolerance) {
  const auto summary = [](const std::string& rest) {
    return nlohmann::json::parse(
        dyn_simulate("puma560",
                     "--free-fall --duration 1 --json --csv /dev/null --integrator abm " + rest +
                         " 2>/dev/null")
            .text);
  };
  const auto coarse = summary("--tolerance 1e-4"), fine = summary("--tolerance 1e-10");
  EXPECT_LT(coarse["steps"].get<int>(), fine["steps"].get<int>());
  EXPECT_LT(fine["energy"]["drift"].get<double>(), 1e-7);
  EXPECT_GT(coarse["energy"]["drift"].get<double>(), fine["energy"]["drift"].get<double>());
  EXPECT_EQ(dyn_simulate("rp", "--free-fall --integrator abm --tolerance 0 2>/dev/null").status, 1);
}

TEST(ToolSimulate, CtrlCKeepsWhatWasWritten) {
  const std::string csv = temporary("interrupt.csv");
  // It bears another name until it is whole.
  const auto written = [&] {
    std::size_t size = 0;
    for (const auto& entry : std::filesystem::directory_iterator(::testing::TempDir())) {
      if (entry.path().string().starts_with(csv)) size += content(entry.path().string()).size();
    }
    return size;
  };
  const Output output = interrupted(
      "simulate " + robot_path("planar3r") +
          " --free-fall --duration 1e5 --tolerance 1e-12 --json --csv " + csv + " 2>/dev/null",
      [&] { return written() > 10000; });
  EXPECT_EQ(output.status, 130);
  const auto summary = nlohmann::json::parse(output.text);
  EXPECT_TRUE(summary["stopped"].get<bool>());
  const std::string text = content(csv);
  ASSERT_TRUE(text.ends_with("\n"));  // no half line
  const Table samples = table(text);
  EXPECT_EQ(samples.rows.size(), summary["samples"].get<std::size_t>());
  EXPECT_GT(samples.rows.size(), 10u);
  std::remove(csv.c_str());
}

}  // namespace
}  // namespace dyn::test::tool_simulate_tests
