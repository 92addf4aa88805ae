#include "dyn_core/fast/generated.hpp"

#include <algorithm>
#include <deque>

namespace dyn {
namespace {

std::deque<GeneratedDynamics>& registered() {
  static std::deque<GeneratedDynamics> code;
  return code;
}

bool is_for(const GeneratedDynamics& code, const Chain& chain) {
  const std::vector<std::string>& names = chain.coordinate_names();
  return code.joints == chain.dof() &&
         std::equal(names.begin(), names.end(), code.joint_names,
                    [](const std::string& a, const char* b) { return a == b; });
}

}  // namespace

bool register_generated(const GeneratedDynamics& code) {
  registered().push_front(code);
  return true;
}

const GeneratedDynamics* find_generated(const Chain& chain) {
  for (const GeneratedDynamics& code : registered()) {
    if (is_for(code, chain)) return &code;
  }
  return nullptr;
}

}  // namespace dyn
