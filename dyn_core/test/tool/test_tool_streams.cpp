// dyn and its streams from the outside: closed, full and broken stdout and stderr, files that only appear
// when they are whole.
#include <filesystem>

#include "support.hpp"
#include "tool_support.hpp"

namespace dyn::test::tool_streams_tests {
namespace {

// Something quick of every command.
std::vector<std::string> commands() {
  const std::string rp = robot_path("rp") + " --tip tool0";
  return {"info " + rp,
          "eval " + rp + " --json",
          "compare " + robot_path("rp") + " --samples 100",
          "list",
          "count --dof 2",
          "bench --dof 2 --rounds 1 --no-peers",
          "demo " + rp + " --duration 1 --no-report",
          "track " + rp + " --duration 0.01",
          "simulate " + rp + " --free-fall --duration 0.1",
          "generate " + rp,
          "report " + rp + " -o -",
          "--help",
          "--version",
          "info --help"};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ToolStreams, NothingDependsOnStderr) {
  for (const std::string& command : commands()) {
    SCOPED_TRACE(command);
    for (const char* redirection : {" 2>&-", " 2>/dev/full"}) {
      const Output output = tool(command + redirection);
      EXPECT_EQ(output.status, 0) << redirection;
      EXPECT_FALSE(output.text.empty());
    }
  }
  for (const char* redirection : {" 2>&-", " 2>/dev/full"}) {
    EXPECT_EQ(tool(std::string("info nowhere.urdf") + redirection).status, 1);
    EXPECT_EQ(tool(std::string("bogus") + redirection).status, 2);
    EXPECT_EQ(tool(std::string("info") + redirection).status, 2);
    EXPECT_EQ(tool(std::string("info --bogus") + redirection).status, 2);
  }
}

TEST(ToolStreams, WhatCouldNotBeWrittenIsNoSuccess) {
  for (const std::string& command : commands()) {
    SCOPED_TRACE(command);
    for (const char* redirection : {">/dev/full", ">&-"}) {
      const Output output =
          shell("{ " DYN_TOOL_PATH " " + command + " " + redirection + "; } 2>&1");
      EXPECT_EQ(output.status, 1) << redirection;
      EXPECT_TRUE(contains(output.text, "dyn: standard output could not be written: "))
          << output.text;
    }
  }
}

TEST(ToolStreams, AReaderThatLeavesIsNoError) {
  const std::string motion = "simulate " + robot_path("rp") + " --free-fall --duration 100";
  EXPECT_EQ(tool(motion + " 2>&1 | head -1").text.substr(0, 1), "d");
  const std::string errors = temporary("errors");
  const std::string ignoring = "trap '' PIPE; " DYN_TOOL_PATH " ";
  (void)shell("( " + ignoring + motion + " ) 2>" + errors + " | head -1");
  EXPECT_FALSE(contains(content(errors), "standard output")) << content(errors);
  EXPECT_FALSE(contains(content(errors), "ipe")) << content(errors);
  std::remove(errors.c_str());
}

TEST(ToolStreams, NoFileTakesThePlaceOfAClosedStream) {
  const std::string page = temporary("page.hpp");
  const std::string command = "generate " + robot_path("rp") + " --tip tool0 -o " + page;
  ASSERT_EQ(tool(command + " 2>/dev/null").status, 0);
  const std::string usual = content(page);
  for (const char* closed : {" 2>&-", " >&-", " >&- 2>&-", " <&- >&- 2>&-"}) {
    std::remove(page.c_str());
    EXPECT_EQ(tool(command + closed).status, 0) << closed;
    EXPECT_EQ(content(page), usual) << closed;
  }
  std::remove(page.c_str());
}

TEST(ToolStreams, UsageErrorsAreTheTools) {
  for (const char* command : {"", "info", "info --bogus", "track x.urdf --rate fast", "bogus"}) {
    const Output output = tool(std::string(command) + " 2>&1");
    EXPECT_EQ(output.status, 2) << command;
    EXPECT_TRUE(output.text.starts_with("dyn: ")) << output.text;
  }
}

// Names in the folder that begin with the name of the file.
std::size_t left_over(const std::string& path) {
  const std::filesystem::path file(path);
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(file.parent_path())) {
    count += entry.path().filename().string().starts_with(file.filename().string()) ? 1 : 0;
  }
  return count;
}

TEST(ToolStreams, AReportThatIsStoppedLeavesWhatWasThere) {
  const std::string page = temporary("stopped.html");
  const auto stopped = [&] {
    return shell("timeout --preserve-status -s INT 0.05 " DYN_TOOL_PATH " report " +
                 robot_path("puma560") + " --tip tool0 -o " + page + " 2>&1");
  };
  ASSERT_EQ(stopped().status, 130);
  EXPECT_EQ(left_over(page), 0u);
  std::ofstream(page) << "precious";
  ASSERT_EQ(stopped().status, 130);
  EXPECT_EQ(content(page), "precious");
  EXPECT_EQ(left_over(page), 1u);
  std::remove(page.c_str());
}

TEST(ToolStreams, FilesKeepLinksAndPermissions) {
  const std::string file = temporary("kept.hpp"), link = temporary("link.hpp");
  std::ofstream(file) << "old";
  std::filesystem::permissions(file, std::filesystem::perms(0640));
  std::filesystem::create_symlink(file, link);
  const std::string command = "generate " + robot_path("rp") + " -o ";
  EXPECT_EQ(tool(command + link + " 2>/dev/null").status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(contains(content(file), "#pragma once"));
  EXPECT_EQ(std::filesystem::status(file).permissions(), std::filesystem::perms(0640));
  EXPECT_EQ(tool(command + "/dev/stdout 2>/dev/null").text, content(file));
  for (const char* nowhere : {"/dev/full", "/nowhere/x.hpp", "/", "''"}) {
    const Output output = tool(command + nowhere + " 2>&1");
    EXPECT_EQ(output.status, 1) << nowhere;
    EXPECT_TRUE(contains(output.text, "cannot be written: ")) << output.text;
  }
  std::remove(link.c_str());
  std::remove(file.c_str());
}

TEST(ToolStreams, AFullDiskIsNoticed) {
  for (const std::string option : {"--csv /dev/full", "--svg /dev/full --csv /dev/null"}) {
    const Output output = tool("simulate " + robot_path("rp") + " --free-fall " + option + " 2>&1");
    EXPECT_EQ(output.status, 1) << option;
    EXPECT_TRUE(contains(output.text, "/dev/full' cannot be written: No space left"))
        << output.text;
  }
}

}  // namespace
}  // namespace dyn::test::tool_streams_tests
