// libFuzzer target: whatever the text, parse_urdf gives a chain with finite numbers or one
// sentence.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "dyn_core/robot/kinematics.hpp"
#include "dyn_core/robot/model.hpp"
#include "dyn_core/robot/urdf.hpp"

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

void check_sentence(const std::string& sentence) {
  require(!sentence.empty() && sentence.size() < 1100, "a sentence of reasonable length");
  require(sentence.find("; ") != std::string::npos, "a remedy after a semicolon");
  for (const char c : sentence) require(static_cast<unsigned char>(c) >= ' ', "one printable line");
}

void check_table(const dyn::Chain& chain) {
  for (const dyn::DhRow& row : chain.dh()) {
    const double sum = row.a + row.alpha + row.beta + row.d + row.theta;
    require(std::isfinite(sum), "a finite DH table");
  }
  require(chain.base_pose().R.allFinite() && chain.base_pose().p.allFinite(), "a finite base pose");
}

void check_bodies(const dyn::Model& model) {
  for (const dyn::LinkModel& link : model.links()) {
    require(std::isfinite(link.mass) && link.com.allFinite(), "a finite mass and mass centre");
    require(link.inertia_origin.matrix().allFinite(), "a finite inertia");
    require(link.inertia_com.matrix().allFinite(), "a finite central inertia");
  }
}

void check_kinematics(const dyn::ChainPtr& chain) {
  dyn::Kinematics<double> kinematics(chain);
  const auto status = kinematics.update(dyn::VecXd::Zero(chain->dof()));
  require(status == dyn::Status::kOk, "kinematics at zero");
  const dyn::Posed tip = kinematics.tip_pose();
  require(tip.p.allFinite(), "a finite tip position");
  const dyn::Mat3d deviation = tip.R * tip.R.transpose() - dyn::Mat3d::Identity();
  require(deviation.norm() < 1e-6, "a tip rotation that is a rotation");  // NaN is not
}

// Where the quoted values of `text` begin and end.
std::vector<std::pair<std::size_t, std::size_t>> quoted_values(const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> values;
  for (std::size_t at = text.find('"'); at != std::string::npos; at = text.find('"', at + 1)) {
    const std::size_t end = text.find('"', at + 1);
    if (end == std::string::npos) break;
    values.emplace_back(at + 1, end);
    at = end;
  }
  return values;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): libFuzzer's names
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

// Half of the time a value in quotes becomes another value of the text or an extreme number, which
// leaves well-formed XML.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  constexpr const char* kNumbers[] = {"0",
                                      "1",
                                      "-1",
                                      "1e9",
                                      "-1e9",
                                      "1e-9",
                                      "1e-160",
                                      "1e-320",
                                      "1e308",
                                      "3.1416",
                                      "1.5708",
                                      "0 0 0",
                                      "0 1e-7 1",
                                      "1e9 -1e9 1e9",
                                      "0 0 1e-300",
                                      "0 0 1.5708",
                                      "1e300 1e300 1e300"};
  std::minstd_rand random(seed);
  std::string text(reinterpret_cast<const char*>(data), size);
  const auto values = quoted_values(text);
  if (values.empty() || random() % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const auto [begin, end] = values[random() % values.size()];
  const auto [from, to] = values[random() % values.size()];
  const std::string other =
      random() % 2 == 0 ? text.substr(from, to - from) : kNumbers[random() % std::size(kNumbers)];
  text.replace(begin, end - begin, other);
  const std::size_t length = std::min(text.size(), max_size);
  std::copy_n(text.begin(), length, reinterpret_cast<char*>(data));
  return length;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  dyn::UrdfOptions options;
  for (const bool allow : {false, true}) {
    options.allow_nonphysical = allow;
    const auto chain = dyn::parse_urdf(text, options);
    if (!chain) {
      check_sentence(chain.error().sentence);
      if (chain.error().sentence.find("allow-nonphysical") == std::string::npos) break;
      continue;
    }
    check_table(**chain);
    check_bodies(dyn::Model(*chain));
    check_kinematics(*chain);
    break;
  }
  return 0;
}
// NOLINTEND(readability-identifier-naming)
