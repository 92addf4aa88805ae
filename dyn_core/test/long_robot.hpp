// A robot of any length, as text.
#pragma once

#include <string>

#include <fmt/format.h>

namespace dyn::test {

/// A chain of `joints` revolute joints, one after the other.
inline std::string long_robot(int joints) {
  std::string text = "<robot name='long'><link name='l0'/>";
  for (int i = 0; i < joints; ++i) {
    text += fmt::format(
        "<link name='l{1}'><inertial><mass value='1'/>"
        "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
        "<joint name='j{0}' type='continuous'><parent link='l{0}'/><child link='l{1}'/></joint>",
        i, i + 1);
  }
  return text + "</robot>";
}

}  // namespace dyn::test
