# Copyright 2026 The dyn developers
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

# dyn_lint(): the linters that package.xml names, for the packages of the suite.
# clang-format sorts the includes; cpplint does not know `if` with an initializer.
macro(dyn_lint)
  find_package(ament_lint_auto REQUIRED)
  set(AMENT_LINT_AUTO_EXCLUDE ament_cmake_cppcheck ament_cmake_cpplint)
  ament_lint_auto_find_test_dependencies()
  find_package(ament_cmake_cppcheck REQUIRED)
  ament_cppcheck(LANGUAGE c++ LIBRARIES googletest INCLUDE_DIRS include)
  find_package(ament_cmake_cpplint REQUIRED)
  ament_cpplint(FILTERS -build/include_order -readability/braces)
endmacro()
