// The tool from outside: what a shell command prints, and its exit status.
#pragma once

#include <array>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dyn::test {

struct Output {
  int status;  ///< -1: ended by a signal
  std::string text;
};

inline Output shell(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> part{};
  for (std::size_t size; (size = std::fread(part.data(), 1, part.size(), pipe)) > 0;) {
    text.append(part.data(), size);
  }
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
}

inline Output tool(const std::string& arguments) {
  return shell(std::string(DYN_TOOL_PATH) + " " + arguments);
}

/// The path of a file of this process: tests run side by side.
inline std::string temporary(const std::string& name) {
  return ::testing::TempDir() + "dyn_tool_" + std::to_string(getpid()) + "_" + name;
}

inline std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The tool, interrupted as by Ctrl-C once it is `ready`.
inline Output interrupted(const std::string& arguments, const std::function<bool()>& ready) {
  const std::string out = temporary("interrupted.txt");
  const std::string command = "exec " DYN_TOOL_PATH " " + arguments + " >" + out;
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  bool ended = false;
  while (!ended && !ready()) {
    usleep(10000);
    ended = waitpid(child, &status, WNOHANG) != 0;
  }
  if (!ended) {
    kill(child, SIGINT);
    waitpid(child, &status, 0);
  }
  const std::string text = content(out);
  std::remove(out.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
}

}  // namespace dyn::test
