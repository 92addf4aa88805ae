// What the tests of dyn_view share: robots, and an arm that plays.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include <dyn_core/robot/urdf.hpp>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dyn_view/server.hpp"

namespace dyn::view::test {

using Json = nlohmann::json;

inline std::string robot_file(const std::string& name) {
  return std::string(DYN_ROBOTS_DIR) + "/" + name + ".urdf";
}

inline Robot robot(const std::string& name) {
  UrdfOptions options;
  options.tip = "tool0";
  return {urdf_text(robot_file(name)).value(), load_urdf(robot_file(name), options).value(), {}};
}

inline SimulatedArm arm_of(const Robot& robot) {
  return std::move(make_arm(robot.chain, {}, {}).value());
}

/// A robot on its page, its time at the test's command.
struct Stage {
  explicit Stage(const std::string& name, bool touch = true)
      : shown(robot(name)), arm(arm_of(shown)), bridge(shown.chain->dof()) {
    SceneOptions options;
    options.touch = touch;
    scene = std::move(Scene::make(bridge, shown, options).value());
  }
  /// Lets time pass; the messages for a client.
  std::vector<MessagePtr> play(int periods) {
    std::vector<MessagePtr> out;
    for (int k = 0; k < periods; ++k) {
      EXPECT_EQ(arm.step(), Status::kOk);
      bridge.exchange(arm, 0.0);
      if (k % 16 != 15) continue;
      for (const MessagePtr& message : scene->advance(true)) out.push_back(message);
    }
    return out;
  }
  Json set(const std::string& name, const Json& value) {
    return Json::parse(scene->command(Json{{"set", name}, {"value", value}}.dump()).reply);
  }
  [[nodiscard]] Json hello() const {
    return Json::parse(scene->greeting().front()->bytes).at("hello");
  }

  Robot shown;
  SimulatedArm arm;
  Bridge bridge;
  std::unique_ptr<Scene> scene;
};

}  // namespace dyn::view::test
