// The service Guide: what a trajectory may be.
#include "dyn_core/inspect/guide.hpp"
#include "support.hpp"

namespace dyn::test::inspect_guide_tests {
namespace {

struct Point {
  std::vector<double> positions, velocities, effort;
  struct {
    int sec = 0;
    unsigned nanosec = 0;
  } time_from_start;
};
struct Message {
  std::vector<std::string> joint_names;
  std::vector<Point> points;
};
struct Fields {
  const std::vector<std::string>& names(const std::vector<std::string>& names) { return names; }
  const std::vector<double>& numbers(const std::vector<double>& numbers) { return numbers; }
};

Message points(const Chain& chain, std::size_t count) {
  Message out{chain.coordinate_names(), {}};
  for (std::size_t k = 0; k < count; ++k) {
    out.points.push_back(
        {std::vector<double>(static_cast<std::size_t>(chain.dof()), 0.1), {}, {}, {}});
    out.points.back().time_from_start.sec = static_cast<int>(k);
  }
  return out;
}

TEST(Guide, PlaysSoManyPointsAndNoMore) {
  const ChainPtr chain = load_robot("arm7");
  Fields fields;
  const auto most = inspect::to_recording(fields, *chain, points(*chain, inspect::kMostPlayed));
  ASSERT_TRUE(most) << most.error().sentence;
  EXPECT_EQ(most->times.size(), inspect::kMostPlayed);
  const auto more = inspect::to_recording(fields, *chain, points(*chain, inspect::kMostPlayed + 1));
  ASSERT_FALSE(more);
  EXPECT_NE(more.error().sentence.find("give up to 10000"), std::string::npos);
}

TEST(Guide, TimesGoForward) {
  const ChainPtr chain = load_robot("arm7");
  Fields fields;
  Message message = points(*chain, 3);
  message.points[2].time_from_start.sec = 1;
  const auto made = inspect::to_recording(fields, *chain, message);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().sentence.find("point 3"), std::string::npos);
}

}  // namespace
}  // namespace dyn::test::inspect_guide_tests
