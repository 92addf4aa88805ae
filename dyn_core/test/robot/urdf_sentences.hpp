// A good robot description to spoil, and what every error sentence has to be.
#pragma once

#include "support.hpp"
#include "urdf_text.hpp"

namespace dyn::test {

inline const std::string kFolder = std::string(DYN_TEST_DATA_DIR) + "/urdf/";

inline std::string error_of(const Result<ChainPtr>& result) {
  return result ? std::string("no error") : result.error().sentence;
}

// One line that says what to do after a semicolon, and holds all the words.
inline void expect_sentence(const std::string& sentence, const std::vector<std::string>& words,
                            const std::string& what) {
  for (const std::string& word : words) {
    EXPECT_NE(sentence.find(word), std::string::npos)
        << what << ": no \"" << word << "\" in: " << sentence;
  }
  EXPECT_NE(sentence, "no error") << what;
  EXPECT_NE(sentence.find("; "), std::string::npos) << what << ": no remedy in: " << sentence;
  EXPECT_LT(sentence.size(), 1100u) << what;
  for (const char c : sentence) {
    EXPECT_GE(static_cast<unsigned char>(c), ' ') << what << ": control character in: " << sentence;
  }
}

inline void expect_refused(const std::string& xml, const std::vector<std::string>& words,
                           const UrdfOptions& options = {}) {
  expect_sentence(error_of(parse_urdf(xml, options)), words, xml.substr(0, 60));
}

inline std::string replaced(std::string text, const std::string& old, const std::string& by) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << "no " << old;
  return at == std::string::npos ? text : text.replace(at, old.size(), by);
}

// Two joints, every attribute that dynamics reads, and a gripper beside the chain.
inline constexpr const char* kGoodText = R"(<?xml version="1.0"?>
<robot name="good">
  <link name="base"/>
  <link name="arm">
    <inertial>
      <origin xyz="0.1 0 0" rpy="0 0 0.5"/>
      <mass value="1.5"/>
      <inertia ixx="0.01" ixy="0.001" ixz="0.002" iyy="0.02" iyz="0.003" izz="0.021"/>
    </inertial>
  </link>
  <link name="hand">
    <inertial>
      <mass value="1"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>
    </inertial>
  </link>
  <link name="tool"/>
  <link name="finger"/>
  <joint name="turn" type="revolute">
    <parent link="base"/>
    <child link="arm"/>
    <origin xyz="0 0 0.3" rpy="0 0.25 0"/>
    <axis xyz="0 0 1"/>
    <limit lower="-2" upper="2.5" effort="50" velocity="3"/>
    <dynamics damping="0.125" friction="0.75"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="arm"/>
    <child link="hand"/>
    <origin xyz="0.4 0 0" rpy="1.5708 0 0"/>
    <axis xyz="0 1 0"/>
    <limit lower="-0.3" upper="0.5" effort="20" velocity="4"/>
  </joint>
  <joint name="grip" type="continuous">
    <parent link="hand"/>
    <child link="finger"/>
    <mimic joint="turn" multiplier="0.5" offset="0.0625"/>
  </joint>
  <joint name="mount" type="fixed">
    <parent link="hand"/>
    <child link="tool"/>
  </joint>
</robot>
)";
inline std::string good_text() { return kGoodText; }

}  // namespace dyn::test
