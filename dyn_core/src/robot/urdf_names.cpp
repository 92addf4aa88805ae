#include "urdf_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dyn_core/base/names.hpp"

namespace dyn::internal {
namespace {

constexpr std::string_view kFingers[] = {"finger", "thumb", "knuckle", "jaw", "claw"};
constexpr std::string_view kWheels[] = {"wheel", "caster"};
constexpr std::string_view kWristMotions[] = {"wrist", "roll", "pitch", "yaw", "rot", "twist"};
constexpr std::string_view kSensors[] = {
    "ft",        "fts",   "force",  "torque",  "sensor", "camera", "cam",
    "optical",   "color", "depth",  "rgb",     "rgbd",   "imu",    "gyro",
    "laser",     "lidar", "range",  "sonar",   "led",    "light",  "accelerometer",
    "screen",    "itb",   "visual", "marker",  "aruco",  "cable",  "cover",
    "collision", "sc",    "com",    "inertia", "mesh",   "display"};
constexpr std::string_view kTools[] = {"ee", "eef", "tcp", "tool", "endeffector"};

char lower_case(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::string lowered(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower_case);
  return out;
}

bool contains_any(const std::string& text, std::span<const std::string_view> words) {
  return std::ranges::any_of(words, [&](auto word) { return text.find(word) != text.npos; });
}

// "arm_toolFrame-2" has the words arm, tool, frame, 2.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  char before = ' ';
  for (const char c : name) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
    const bool hump = std::islower(static_cast<unsigned char>(before)) != 0 &&
                      std::isupper(static_cast<unsigned char>(c)) != 0;
    if ((!letter || hump) && !words.back().empty()) words.emplace_back();
    if (letter) words.back() += lower_case(c);
    before = c;
  }
  if (words.size() > 1 && words.back().empty()) words.pop_back();
  return words;
}

bool has_any(const std::vector<std::string>& words, std::span<const std::string_view> wanted) {
  return std::ranges::find_first_of(words, wanted) != words.end();
}

bool names_tool(const std::vector<std::string>& words) {
  static constexpr std::array<std::string_view, 2> kEndEffector = {"end", "effector"};
  return has_any(words, kTools) || std::search(words.begin(), words.end(), kEndEffector.begin(),
                                               kEndEffector.end()) != words.end();
}

// link_7 and link_8, but not link_7 and link_07.
bool is_next(std::string_view link, std::string_view last) {
  const std::size_t digits = last.find_last_not_of("0123456789") + 1;
  const std::string_view number = last.substr(digits);
  if (number.empty() || number.size() > 3) return false;
  return link == fmt::format("{}{}", last.substr(0, digits), std::stoi(std::string(number)) + 1);
}

std::vector<std::string> nearest(const UrdfTree& tree, const std::string& name) {
  const std::string part = lowered(name);
  std::vector<std::pair<std::size_t, std::string>> all;
  for (const auto& [link, node] : tree.by_name)
    all.emplace_back(edit_distance(part, lowered(link)), link);
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(all.size(), 3));
  std::ranges::partial_sort(all, end);
  std::vector<std::string> names;
  for (auto it = all.begin(); it != end; ++it) names.push_back(it->second);
  return names;
}

}  // namespace

bool names_hand_or_wheel(const urdf::Joint& joint) {
  const std::string name = lowered(joint.name), link = lowered(joint.child_link_name);
  if (contains_any(name, kFingers) || contains_any(link, kFingers)) return true;
  if (contains_any(name, kWheels) || contains_any(link, kWheels)) return true;
  return name.find("gripper") != std::string::npos && !contains_any(name, kWristMotions);
}

bool names_sensor(std::string_view link) {
  return has_any(words_of(link), kSensors) || contains_any(lowered(link), kFingers);
}

int tool_rank(std::string_view link, std::string_view last) {
  const std::vector<std::string> words = words_of(link);
  if (words.back() == "tool0") return 0;
  if (words.back() == "flange") return 1;
  if (is_next(link, last)) return 2;
  return names_tool(words) && !has_any(words, kSensors) ? 3 : 4;
}

Result<int> find_link(const UrdfTree& tree, const std::string& name, std::string_view what) {
  const auto exact = tree.by_name.find(name);
  if (exact != tree.by_name.end()) return exact->second;
  const std::string part = lowered(name);
  std::vector<std::string> names;
  for (const auto& [link, node] : tree.by_name) {
    if (lowered(link).find(part) != std::string::npos) names.push_back(link);
  }
  if (names.size() == 1) return tree.by_name.at(names[0]);
  if (!names.empty()) {
    return fail(fmt::format("'{}' as the {} fits several links, {}; give more of the name", name,
                            what, quoted_list(names)));
  }
  return fail(fmt::format("there is no link '{}' to be the {}; check the name, the nearest: {}",
                          name, what, quoted_list(nearest(tree, name))));
}

}  // namespace dyn::internal
