// What the tests share: dyn_serve in a process of its own, and a node that listens to it.
#pragma once

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dds.hpp"
#include "fields.hpp"

namespace dyn_dds::test {

inline std::string robot_path(const std::string& name) {
  return std::string(DYN_CORE_ROBOTS_DIR) + "/" + name + ".urdf";
}

inline std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string robot_text(const std::string& name) { return text_of(robot_path(name)); }

/// Of a file that a test may write.
inline std::string output_path() {
  return ::testing::TempDir() + "dyn_serve_" + std::to_string(getpid());
}

inline std::string own_namespace() { return "/test" + std::to_string(getpid()); }

/// dyn_serve, in the namespace of this test run.
class Server {
 public:
  explicit Server(std::vector<std::string> arguments, const std::string& output = "/dev/null",
                  const std::string& input = "/dev/null") {
    arguments.insert(arguments.begin(), DYN_SERVE);
    arguments.push_back("--namespace=" + own_namespace());
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_ = fork();
    if (pid_ != 0) return;
    if (std::freopen(input.c_str(), "r", stdin) == nullptr ||
        std::freopen(output.c_str(), "w", stdout) == nullptr || dup2(1, 2) < 0) {
      _exit(98);
    }
    execv(argv[0], argv.data());
    _exit(99);
  }
  ~Server() {
    if (pid_ > 0) stop(SIGTERM);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// The exit status, or minus the signal that ended it.
  int stop(int signal) {
    kill(pid_, signal);
    return wait();
  }
  int wait() {
    int status = 0;
    waitpid(std::exchange(pid_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  /// As `ulimit -v` does it.
  void limit_memory(rlim_t bytes) const {
    const rlimit limit = {bytes, bytes};
    ASSERT_EQ(prlimit(pid_, RLIMIT_AS, &limit, nullptr), 0);
  }
  [[nodiscard]] bool runs() const { return waitpid(pid_, nullptr, WNOHANG) == 0; }

 private:
  pid_t pid_ = 0;
};

/// Polls until `done` or, for a loaded machine, a long time has gone by.
template <class Done>
bool eventually(Done done, double seconds = 60.0) {
  for (const double end = steady_seconds() + seconds; steady_seconds() < end;) {
    if (done()) return true;
    dds_sleepfor(DDS_MSECS(5));
  }
  return false;
}

/// A domain that no other test of this machine is in: a file of its number is locked until this process ends.
inline int free_domain() {
  int domain = 0;
  for (int k = 0; k < 90; ++k) {
    domain = 10 + (getpid() + k) % 90;
    const std::string path = "/tmp/dyn_dds_domain_" + std::to_string(domain);
    const int file = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0) break;
    if (file >= 0) close(file);
  }
  return domain;
}

/// Participant of this process, in its own domain: /tf and /diagnostics have no namespace.
inline Participant& participant() {
  static Participant all = [] {
    setenv("ROS_DOMAIN_ID", std::to_string(free_domain()).c_str(), 1);
    return Participant(choose_domain(false));
  }();
  return all;
}

/// The client's side of a service.
template <class Kind>
struct Client {
  using Request = typename Kind::Request;
  using Response = typename Kind::Response;

  Client(dds_entity_t participant, const std::string& name)
      : requests(
            {dds_create_writer(participant,
                               topic(participant, interface_of<Request>, "rq" + name + "Request"),
                               reliable(), nullptr),
             "requests"}),
        responses(
            {dds_create_reader(participant,
                               topic(participant, interface_of<Response>, "rr" + name + "Reply"),
                               reliable(), nullptr),
             "responses"}) {}

  static dds_entity_t topic(dds_entity_t participant, const Interface& interface,
                            const std::string& name) {
    return dds_create_topic(participant, interface.descriptor, name.c_str(), nullptr, nullptr);
  }
  static const dds_qos_t* reliable() {
    static dds_qos_t* const qos = [] {
      dds_qos_t* made = dds_create_qos();
      dds_qset_reliability(made, DDS_RELIABILITY_RELIABLE, DDS_INFINITY);
      dds_qset_history(made, DDS_HISTORY_KEEP_ALL, 0);  // else a later answer replaces the first
      return made;
    }();
    return qos;
  }

  const Publisher<Request> requests;
  const Subscription<Response> responses;
};

inline std::int64_t last_request = 0;

/// Sends the request until it is answered, since the response's writer may know its reader late; passes
/// the first response to `look`, none to an earlier request.
template <class Kind, class Look>
bool answered(const Client<Kind>& client, typename Kind::Request request, Look look) {
  const std::int64_t before = last_request;
  bool done = false;
  return eventually([&] {
    request.rmw_sequence = ++last_request;
    client.requests.send(request);
    dds_sleepfor(DDS_MSECS(100));
    client.responses.take([&](const typename Kind::Response& response, auto) {
      if (done || response.rmw_sequence <= before) return;
      look(response);
      done = true;
    });
    return done;
  });
}

/// Topics of the test's side, in the namespace that the server is in.
struct Wire : ::testing::Test {
  Participant& own = participant();
  Node node{own, own_namespace(), "test"};
  Qos latched{.depth = 1, .reliable = true, .latched = true};
};

}  // namespace dyn_dds::test
