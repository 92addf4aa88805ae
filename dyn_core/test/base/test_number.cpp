#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "dyn_core/base/number.hpp"

namespace dyn {
namespace {

TEST(Number, IsReadFromTheFirstToTheLastCharacter) {
  EXPECT_EQ(parse_number("12"), 12.0);
  EXPECT_EQ(parse_number("-1.5e3"), -1500.0);
  EXPECT_EQ(parse_number("+.25"), 0.25);
  EXPECT_EQ(parse_number("4.9406564584124654e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(parse_number("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(parse_number("nan").value()));
  for (const char* text :
       {"", " 1", "1 ", "1,5", "0x10", "+-1", "++1", "--1", "1e999", "1e", "e5", "."}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace dyn
