#include "dyn_core/math/counted.hpp"

namespace dyn {

OperationCount& Counted::tally() {
  thread_local OperationCount instance;
  return instance;
}

OperationCount& Counted::set_aside() {
  thread_local OperationCount instance;
  return instance;
}

bool& Counted::customised() {
  thread_local bool instance = false;
  return instance;
}

}  // namespace dyn
