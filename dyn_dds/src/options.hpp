// Options: the command line of dyn_serve.
#pragma once

#include <string>
#include <vector>

#include <dyn_core/robot/urdf.hpp>

namespace dyn_dds {

struct Options {
  std::string robot;             ///< a file, - for standard input, empty: none
  dyn::UrdfOptions urdf;         ///< of the simulated arm and of the observer's model
  std::string estimate_inertia;  ///< for links without mass, likewise
  std::vector<std::string> mesh_path;
  std::string name_space = "/", frame_prefix;
  bool observe = false, arm = false, demo = false;
  bool network = false, beside = false;
  std::string security;  ///< folder of certificates; empty: none
  bool view = false;     ///< show the page
  int view_port = 8080;
  std::string listen = "127.0.0.1";
  double duration = 0.0;  ///< s; zero: until told to stop
};

/// Throws Done where there is nothing more to do, with the exit status.
struct Done {
  int status;
};
[[nodiscard]] Options read_options(int argc, const char* const* argv);

}  // namespace dyn_dds
