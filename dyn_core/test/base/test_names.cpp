// Misspelt names find the one that was meant; names of others are left alone.
#include "dyn_core/base/names.hpp"
#include "support.hpp"

namespace dyn::test::names_tests {
namespace {

const std::vector<std::string> kNames = {"gains.slide", "gains.natural_frequency",
                                         "limits.joint1.velocity", "joint_state_timeout", "law"};

TEST(Names, ANearNameIsFound) {
  EXPECT_EQ(nearest("gains.slid", kNames), "gains.slide");
  EXPECT_EQ(nearest("gains.natural_frequncy", kNames), "gains.natural_frequency");
  EXPECT_EQ(nearest("joint_state_tiemout", kNames), "joint_state_timeout");
  EXPECT_EQ(nearest("lwa", kNames), "law") << "two letters swapped are one mistake";
  EXPECT_EQ(nearest("law", kNames), "law");
  EXPECT_EQ(nearest("colour", kNames), "");
  EXPECT_EQ(nearest("", kNames), "");
  EXPECT_EQ(nearest(std::string(100000, 'g'), kNames), "");
  EXPECT_EQ(nearest("law", {}), "");
}

TEST(Names, MistakenParametersAreThoseOfTheGroupsAndThoseThatLookAlike) {
  const std::vector<std::string> given = {"law",  "gains.slid",      "gain.slide",
                                          "lwa",  "gains.stiffness", "others.rate",
                                          "rate", "gains.slide"};
  const auto sentences = mistaken_parameters(given, kNames);
  const std::vector<std::string> expected = {
      "there is no parameter 'gains.slid', so it changes nothing; did you mean 'gains.slide'?",
      "there is no parameter 'gain.slide', so it changes nothing; did you mean 'gains.slide'?",
      "there is no parameter 'lwa', so it changes nothing; did you mean 'law'?",
      "there is no parameter 'gains.stiffness', so it changes nothing"};
  EXPECT_EQ(sentences, expected);
}

}  // namespace
}  // namespace dyn::test::names_tests
