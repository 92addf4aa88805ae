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
