// Every wrong input gives one sentence that names the culprit, the rule and the remedy; what is
// only suspicious gives a warning.
#include <algorithm>
#include <clocale>
#include <filesystem>
#include <locale>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

#include "support.hpp"
#include "tool/tool_support.hpp"
#include "urdf_sentences.hpp"

// For LeakSanitizer: glibc's newlocale, behind std::locale, forgets its copy of LOCPATH.
extern "C" const char* __lsan_default_suppressions() { return "leak:argz_add_sep"; }

namespace dyn::test::urdf_errors_tests {
namespace {

namespace fs = std::filesystem;

/// A file that is gone when the test ends.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& name)
      : path_(fs::temp_directory_path() / ("dyn_" + std::to_string(getpid()) + "_" + name)) {}
  TemporaryFile(const std::string& name, const std::string& text) : TemporaryFile(name) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { fs::remove_all(path_); }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

TEST(UrdfErrors, TheGoodTextIsGood) {
  const auto chain = parse_urdf(good_text());
  ASSERT_TRUE(chain) << error_of(chain);
  EXPECT_EQ((*chain)->dof(), 2);
}

// ---- files --------------------------------------------------------------------------------------

TEST(UrdfErrors, BadFilesOfTheTable) {
  std::ifstream table(kFolder + "bad.txt");
  int count = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> parts;
    for (std::size_t at = 0; at != std::string::npos;) {
      const std::size_t end = line.find(" | ", at);
      parts.push_back(line.substr(at, end - at));
      at = end == std::string::npos ? end : end + 3;
    }
    const std::string path = kFolder + parts.front();
    ASSERT_TRUE(fs::exists(path)) << path;
    parts.push_back(path);  // the sentence begins with the file
    expect_sentence(error_of(load_urdf(path)), parts, parts.front());
    ++count;
  }
  EXPECT_GE(count, 88);
  int files = 0;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    files += entry.path().filename().string().rfind("bad_", 0) == 0 ? 1 : 0;
  }
  EXPECT_EQ(files, count) << "every bad file has its line in bad.txt";
}

TEST(UrdfErrors, BadFilesEndTheToolWithStatusOneAndOneSentence) {
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    const std::string path = entry.path().string();
    if (entry.path().filename().string().rfind("bad_", 0) != 0) continue;
    const Output output = tool("info '" + path + "' 2>&1 >/dev/null");
    EXPECT_EQ(output.status, 1) << path;
    EXPECT_EQ(output.text.rfind("dyn: ", 0), 0u) << output.text;
    EXPECT_EQ(std::count(output.text.begin(), output.text.end(), '\n'), 1) << output.text;
    EXPECT_EQ(tool("info '" + path + "' 2>/dev/null").text, "") << path;
  }
}

TEST(UrdfErrors, FilesThatAreNoRobotDescription) {
  const auto refused = [](const std::string& path, const std::vector<std::string>& words) {
    std::vector<std::string> all = words;
    all.push_back(path);
    expect_sentence(error_of(load_urdf(path)), all, path);
  };
  refused(kFolder, {"is a directory", "give the URDF file"});
  refused(kFolder + "no_such_file.urdf", {"does not exist", "check the path"});
  refused("", {"does not exist"});
  const TemporaryFile empty("empty.urdf", ""), blank("blank.urdf", " \n\t\r\n"),
      xacro("arm.urdf.xacro", good_text()), text("notes.urdf", "a robot with seven joints\n");
  refused(empty.path(), {"empty"});
  refused(blank.path(), {"empty"});
  refused(xacro.path(), {"xacro file", "expand it first: xacro '", "> robot.urdf"});
  refused(text.path(), {"not XML text"});
  refused("/dev/zero", {"32 MB", "is it the right file?"});
  refused("/dev/null", {"empty"});
}

TEST(UrdfErrors, AHundredMegabytesAreNotRead) {
  const TemporaryFile big("big.urdf", "<robot");
  fs::resize_file(big.path(), 100u << 20);
  expect_sentence(error_of(load_urdf(big.path())),
                  {"100 MB long", "32 MB", "is it the right file?"}, "100 MB");
}

TEST(UrdfErrors, AFileWithoutReadPermission) {
  const TemporaryFile file("secret.urdf", good_text());
  fs::permissions(file.path(), fs::perms::none);
  const uid_t user = geteuid();
  constexpr uid_t kNobody = 65534;
  if (user == 0 && seteuid(kNobody) != 0) GTEST_SKIP() << "root, who reads every file";
  const std::string error = error_of(load_urdf(file.path()));
  ASSERT_EQ(seteuid(user), 0);
  expect_sentence(error, {"cannot be read", "check its permissions"}, "no permission");
}

TEST(UrdfErrors, APipeIsReadToItsEnd) {
  const TemporaryFile pipe("pipe");
  ASSERT_EQ(mkfifo(pipe.path().c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe.path()) << good_text(); });
  const auto chain = load_urdf(pipe.path());
  writer.join();
  EXPECT_TRUE(chain) << error_of(chain);
}

// ---- text ---------------------------------------------------------------------------------------

TEST(UrdfErrors, TextThatIsNoXml) {
  expect_refused("", {"empty"});
  expect_refused(" \n ", {"empty"});
  expect_refused(std::string(1000, '\0'), {"not XML text"});
  expect_refused(good_text() + '\0', {"not XML text"});
  expect_refused(
      "\x7f"
      "ELF\x02\x01\x01",
      {"not XML text"});
  std::string utf16;
  for (const char c : good_text()) utf16 += {c, '\0'};
  expect_refused(utf16, {"UTF-8"});
  expect_refused(replaced(good_text(), "\"arm\"", "\"a\xff\xfe\""),
                 {"line 4", "invalid UTF-8", "rename"});
  expect_refused(replaced(good_text(), "\"arm\"", "\"a\nb\""),
                 {"line 4", "control character", "rename"});
  expect_refused(replaced(good_text(), "\"arm\"", "\"" + std::string(300, 'x') + "\""),
                 {"more than 200 characters", "shorten"});
  expect_refused(
      replaced(good_text(), "<link name=\"arm\">", "<" + std::string(100'000, 'x') + ">"),
      {"line 4"});
  expect_refused(replaced(good_text(), "name=\"arm\"", "\xef\xbb\xbfname=\"arm\""),
                 {"byte order mark"});
  expect_refused(std::string(33u << 20, ' ') + good_text(),
                 {"34 MB long", "is it the right file?"});
}

TEST(UrdfErrors, RandomBytes) {
  Random random(71);
  for (int round = 0; round < 300; ++round) {
    std::string noise(1 + random.next() % 2000, ' ');
    for (char& c : noise) c = static_cast<char>(random.next());
    const bool within = round % 3 == 0;
    if (within) noise.insert(0, "<robot name=\"x\"><link name=\"a\"/>");
    if (round % 3 == 1) std::erase(noise, '\0');
    expect_refused(noise, {});
  }
}

TEST(UrdfErrors, EveryPrefixOfAGoodText) {
  const std::string text = good_text();
  for (std::size_t length = 0; length + 2 < text.size(); ++length) {
    expect_refused(text.substr(0, length), {});
  }
}

TEST(UrdfErrors, AnyByteChanged) {
  Random random(72);
  for (int round = 0; round < 3000; ++round) {
    std::string text = good_text();
    text[random.next() % text.size()] = static_cast<char>(random.next());
    const auto result = parse_urdf(text);
    if (!result) expect_sentence(result.error().sentence, {}, text);
  }
}

TEST(UrdfErrors, NestedAHundredThousandDeep) {
  std::string deep = "<robot name=\"deep\">";
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  expect_refused(deep, {"nested too deep", "never closed", "correct the XML"});
  std::string hidden = "<robot name=\"deep\">";  // '/>' within quotes closes nothing
  for (int i = 0; i < 100'000; ++i) hidden += "<a b=\"/>\">";
  expect_refused(hidden, {"nested too deep"});
}

TEST(UrdfErrors, MoreThanTheReaderAccepts) {
  UrdfText robot;
  for (int i = 0; i < 10'001; ++i) robot.links.push_back({"link" + std::to_string(i), false});
  expect_refused(to_text(robot), {"10001 links", "10000", "is it the right file?"});
  std::string attributes = "<robot name=\"x\"><link ";
  for (int i = 0; i < 101; ++i) attributes += fmt::format("a{}=\">\" ", i);
  expect_refused(attributes + "/></robot>",
                 {"line 1", "more than 100 quoted values", "quote missing?"});
  std::string tags = "<robot name=\"x\">";
  for (int i = 0; i < 1'000'000; ++i) tags += "<a/>";
  expect_refused(tags + "</robot>", {"more than 1000000 tags", "is it the right file?"});
  std::string comment = "<!-- ";
  for (int i = 0; i < 200; ++i) comment += "it's <a b=\"";
  std::string text = good_text();
  EXPECT_TRUE(parse_urdf(text.insert(text.find("<link"), comment + "-->")).has_value());
}

TEST(UrdfErrors, TenThousandLinksInARowAreRead) {
  UrdfText robot;
  robot.links.resize(10'000);
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    robot.links[i].name = "link" + std::to_string(i);
    robot.links[i].has_inertial = i + 1 == robot.links.size();
    robot.links[i].mass = 1.0;
    robot.links[i].inertia.setIdentity();
    if (i == 0) continue;
    robot.joints.push_back(joint_between("joint" + std::to_string(i), "continuous",
                                         robot.links[i - 1].name, robot.links[i].name));
  }
  const auto chain = parse_urdf(to_text(robot));
  ASSERT_TRUE(chain) << error_of(chain);
  EXPECT_EQ((*chain)->dof(), 9'999);
}

TEST(UrdfErrors, CommentsAndTextBetweenTagsMeanNothing) {
  const std::string commented = replaced(
      good_text(), "<link name=\"base\"/>",
      "<!-- <xacro:macro/> ${x} <link name=\"base\"/> </robot> --> words <link name=\"base\"/>"
      "<![CDATA[ <link name=\"base\"> ]]> <gazebo><link name=\"base\"/></gazebo>");
  const auto chain = parse_urdf("\xef\xbb\xbf" + commented + "\n<!-- the end -->\n");
  EXPECT_TRUE(chain) << error_of(chain);
}

TEST(UrdfErrors, SingleQuotesAndLeadingCommentsAreXml) {
  const std::string text = replaced(good_text(), "\"arm\"", "'arm'");
  const auto chain = parse_urdf(replaced(text, "<robot", "<!-- a note -->\n<robot"));
  EXPECT_TRUE(chain) << error_of(chain);
}

// ---- numbers ------------------------------------------------------------------------------------

TEST(UrdfErrors, NoNumberWhereOneBelongs) {
  const std::string good = good_text();
  const char* wrong[] = {"nan",  "inf", "-inf", "1e999", "-1e999", "1,5",    "",      "x",  "0x1",
                         "1.5 ", "1 2", "--1",  "+-1",   "1e",     "%s%n%s", "1.5.5", "1;2"};
  const char* attributes[] = {"value=\"1.5\"",     "ixx=\"0.01\"",       "ixy=\"0.001\"",
                              "ixz=\"0.002\"",     "iyy=\"0.02\"",       "iyz=\"0.003\"",
                              "izz=\"0.021\"",     "lower=\"-2\"",       "upper=\"2.5\"",
                              "effort=\"50\"",     "velocity=\"3\"",     "damping=\"0.125\"",
                              "friction=\"0.75\"", "multiplier=\"0.5\"", "offset=\"0.0625\""};
  const char* vectors[] = {"xyz=\"0.1 0 0\"", "rpy=\"0 0 0.5\"", "xyz=\"0 0 0.3\"",
                           "rpy=\"0 0.25 0\"", "xyz=\"0 0 1\""};
  for (const std::string number : wrong) {
    for (const std::string attribute : attributes) {
      const std::string name = attribute.substr(0, attribute.find('='));
      expect_refused(replaced(good, attribute, fmt::format("{}=\"{}\"", name, number)),
                     {"'", "(line ", name + "=\"", "number", "as in"});
    }
    if (number == "1.5 ") continue;  // two spaces are one between the numbers of a vector
    for (const std::string vector : vectors) {
      const std::string name = vector.substr(0, vector.find('='));
      expect_refused(replaced(good, vector, fmt::format("{}=\"0 {} 1\"", name, number)),
                     {"'", "(line ", name + "=\"", "three finite numbers"});
    }
  }
}

TEST(UrdfErrors, FormatCharactersInShapesAreHarmless) {
  const std::string shapes =
      "<link name=\"base\"><visual><origin xyz=\"%s%n%s%n 0 0\"/><geometry><box size=\"%n%n%s\"/>"
      "</geometry></visual></link><material name=\"%s%n%s&#37;n\"><color "
      "rgba=\"%n%n%s\"/></material>";
  const auto chain = parse_urdf(replaced(good_text(), "<link name=\"base\"/>", shapes));
  ASSERT_TRUE(chain) << error_of(chain);
  ASSERT_FALSE((*chain)->warnings().empty());
  EXPECT_NE((*chain)->warnings()[0].find("shape or colour"), std::string::npos);
}

TEST(UrdfErrors, NumbersAsPeopleWriteThem) {
  std::string text = replaced(good_text(), "lower=\"-2\"", "lower=\" -2.\"");
  text = replaced(text, "upper=\"2.5\"", "upper=\"+25E-1\"");
  text = replaced(text, "xyz=\"0 0 0.3\"", "xyz=\"  .0   0  3e-1 \"");
  const auto chain = parse_urdf(text);
  ASSERT_TRUE(chain) << error_of(chain);
  EXPECT_EQ((*chain)->joint(0).limits.lower, -2.0);
  EXPECT_EQ((*chain)->joint(0).limits.upper, 2.5);
}

// The numbers of a chain, to be the same whatever the locale.
std::vector<double> numbers_of(const std::string& text) {
  const auto chain = parse_urdf(text);
  if (!chain) {
    ADD_FAILURE() << error_of(chain);
    return {};
  }
  std::vector<double> numbers;
  for (std::size_t i = 0; i < 2; ++i) {
    const Joint& joint = (*chain)->joints()[i];
    const DhRow& row = (*chain)->dh()[i];
    const RigidBody& body = (*chain)->links()[i].body;
    for (const double x :
         {joint.limits.lower, joint.limits.upper, joint.damping, joint.friction, row.a, row.alpha,
          row.d, row.theta, body.mass, body.com.x(), body.inertia(0, 1)}) {
      numbers.push_back(x);
    }
  }
  return numbers;
}

void expect_no_change_of_numbers(const std::vector<double>& before) {
  EXPECT_EQ(numbers_of(good_text()), before);
  expect_refused(replaced(good_text(), "lower=\"-2\"", "lower=\"2.75\""),
                 {"lower limit 2.75", "upper limit 2.5"});
  expect_refused(replaced(good_text(), "value=\"1.5\"", "value=\"1,5\""), {"value=\"1,5\"", "0.5"});
}

TEST(UrdfErrors, AGlobalDecimalCommaChangesNothing) {
  class Comma : public std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::vector<double> before = numbers_of(good_text());
  const std::locale old = std::locale::global(std::locale(std::locale::classic(), new Comma));
  expect_no_change_of_numbers(before);
  std::locale::global(old);
}

TEST(UrdfErrors, TheGermanLocaleChangesNothing) {
  const std::vector<double> before = numbers_of(good_text());
  if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr)
    GTEST_SKIP() << "no locale de_DE.UTF-8 here";
  const std::locale old = std::locale::global(std::locale("de_DE.UTF-8"));
  expect_no_change_of_numbers(before);
  std::locale::global(old);
  std::setlocale(LC_ALL, "C");
  const std::string command = " info '" + robot_path("arm7") + "' --json 2>/dev/null";
  EXPECT_EQ(shell("LC_ALL=de_DE.UTF-8 " DYN_TOOL_PATH + command).text, tool(command).text);
}

}  // namespace
}  // namespace dyn::test::urdf_errors_tests
