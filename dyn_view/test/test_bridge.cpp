// The bridge: what the loop shows arrives, what it is told is done, and neither grows without bound.
#include <dyn_core/robot/urdf.hpp>
#include <gtest/gtest.h>

#include "view_support.hpp"

namespace dyn::view::test::bridge_tests {

TEST(Bridge, ShowsEveryFourthPeriodInOrder) {
  SimulatedArm arm = arm_of(robot("puma560"));
  Bridge bridge(6);
  Batch batch(6);
  for (int k = 0; k < 40; ++k) {
    ASSERT_EQ(arm.step(), Status::kOk);
    bridge.exchange(arm, 1e-4 * k);
  }
  bridge.take(batch);
  ASSERT_EQ(batch.count, 10U);
  for (std::size_t k = 0; k < batch.count; ++k) {
    EXPECT_NEAR(batch.samples[k].time, 4e-3 * static_cast<double>(k + 1), 1e-9);
    EXPECT_NEAR(batch.samples[k].late, 1e-4 * static_cast<double>(4 * k + 3), 1e-12);
  }
  EXPECT_EQ(batch.samples[9].q, arm.state().q);
  EXPECT_EQ(batch.samples[9].effort, arm.torque());
}

TEST(Bridge, KeepsNoMoreThanABatchForAPageThatDoesNotTake) {
  SimulatedArm arm = arm_of(robot("planar3r"));
  Bridge bridge(3);
  for (int k = 0; k < 1000; ++k) bridge.exchange(arm, 0.0);
  Batch batch(3);
  bridge.take(batch);
  EXPECT_EQ(batch.count, batch.samples.size());
}

TEST(Bridge, CarriesOutOrdersOnceAndRefusesTooMany) {
  SimulatedArm arm = arm_of(robot("planar3r"));
  Bridge bridge(3);
  int done = 0, taken = 0;
  for (int k = 0; k < 1000; ++k) taken += bridge.order([&](SimulatedArm&) { ++done; }) ? 1 : 0;
  EXPECT_LT(taken, 100);
  bridge.exchange(arm, 0.0);
  bridge.exchange(arm, 0.0);
  EXPECT_EQ(done, taken);
}

TEST(Bridge, SaysWhetherAnOrderMovedTheArm) {
  SimulatedArm arm = arm_of(robot("planar3r"));
  Bridge bridge(3);
  ASSERT_TRUE(bridge.order([](SimulatedArm& it) { it.set_payload({}); }));
  EXPECT_FALSE(bridge.exchange(arm, 0.0));
  Batch batch(3);
  bridge.take(batch);
  ASSERT_TRUE(bridge.order([](SimulatedArm& it) { it.stop(); }, true));
  EXPECT_TRUE(bridge.exchange(arm, 0.0));
  EXPECT_FALSE(bridge.exchange(arm, 0.0));
}

TEST(Bridge, AnotherArmComesWithItsOwnSamples) {
  SimulatedArm arm = arm_of(robot("planar3r"));
  Bridge bridge(3);
  Batch batch(3);
  ASSERT_TRUE(bridge.replace(arm_of(robot("puma560"))));
  for (int k = 0; k < 8; ++k) bridge.exchange(arm, 0.0);
  EXPECT_EQ(arm.chain().dof(), 6);
  bridge.take(batch);
  ASSERT_GT(batch.count, 0U);
  EXPECT_EQ(batch.samples[batch.count - 1].q.size(), 6);
}

// Two threads, the page's as fast as it can: every period is played, and orders arrive.
TEST(Bridge, TheLoopGoesOnWhileThePageTakesAllTheTime) {
  SimulatedArm arm = arm_of(robot("planar3r"));
  Bridge bridge(3);
  std::atomic<bool> ends = false;
  std::atomic<int> done = 0;
  std::thread page([&] {
    Batch batch(3);
    while (!ends) {
      bridge.take(batch);
      (void)bridge.order([&](SimulatedArm&) { ++done; });
    }
  });
  for (int k = 0; k < 2000 || done == 0; ++k) {
    ASSERT_EQ(arm.step(), Status::kOk);
    bridge.exchange(arm, 0.0);
  }
  ends = true;
  page.join();
  EXPECT_GE(arm.time(), 2.0 - 1e-6);
}

}  // namespace dyn::view::test::bridge_tests
