// Text from elsewhere on one line.
#include <gtest/gtest.h>

#include "dyn_core/base/printable.hpp"

namespace dyn {
namespace {

TEST(Printable, KeepsWhatCanBeRead) {
  EXPECT_EQ(printable("Gelenk 3 \u00e4\u00b5\u20ac\U0001f916"),
            "Gelenk 3 \u00e4\u00b5\u20ac\U0001f916");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, LeavesNothingThatMovesACursor) {
  EXPECT_EQ(printable("a\x1b[2Jb\nc\rd\te\x7f!"), "a [2Jb c d e !");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a b");
  EXPECT_EQ(printable("\u009b31m"), " 31m") << "an escape sequence in one character";
  EXPECT_EQ(printable("\u202eevil\u2066\u2028\u200f\u061c"), " evil    ");
}

TEST(Printable, WhatIsNoUtf8BecomesAQuestionMark) {
  EXPECT_EQ(printable("\xff\xc3\xe2\x82"), "????");
  EXPECT_EQ(printable("\xc0\x9b"), "??") << "an overlong escape";
}

TEST(Printable, IsCutBetweenCharacters) {
  EXPECT_EQ(printable(std::string(5000, 'x'), 10), "xxxxxxxxxx\u2026");
  EXPECT_EQ(printable("\u20ac\u20ac\u20ac", 7), "\u20ac\u20ac\u2026");
  EXPECT_EQ(printable("1234567890", 10), "1234567890");
}

}  // namespace
}  // namespace dyn
