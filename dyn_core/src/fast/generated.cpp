#include "dyn_core/fast/generated.hpp"

#include <algorithm>
#include <deque>

namespace dyn {
namespace {

template <class Code>
std::deque<Code>& registered() {
  static std::deque<Code> code;
  return code;
}

template <class Code>
bool is_for(const Code& code, const Chain& chain) {
  const std::vector<std::string>& names = chain.coordinate_names();
  return code.joints == chain.dof() &&
         std::equal(names.begin(), names.end(), code.joint_names,
                    [](const std::string& a, const char* b) { return a == b; });
}

}  // namespace

bool register_generated(const GeneratedDynamics& code) {
  registered<GeneratedDynamics>().push_front(code);
  return true;
}
bool register_generated(const GeneratedLanes& code) {
  registered<GeneratedLanes>().push_front(code);
  return true;
}

const GeneratedDynamics* find_generated(const Chain& chain) {
  for (const GeneratedDynamics& code : registered<GeneratedDynamics>()) {
    if (is_for(code, chain)) return &code;
  }
  return nullptr;
}

const GeneratedLanes* find_generated_lanes(const Chain& chain, std::string_view target) {
  for (const GeneratedLanes& code : registered<GeneratedLanes>()) {
    if (target == code.target && is_for(code, chain)) return &code;
  }
  return nullptr;
}

}  // namespace dyn
