#include "options.hpp"

#include <charconv>
#include <cmath>
#include <map>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace dyn_dds {
namespace {

// As they are typed.
struct Texts {
  std::vector<std::string> lock, armature;
  std::vector<double> gravity, payload;
  std::string view;
};

std::map<std::string, double> assignments(const std::string& option,
                                          const std::vector<std::string>& items) {
  std::map<std::string, double> values;
  for (const std::string& item : items) {
    const std::size_t equals = item.find('=');
    const char* end = item.data() + item.size();
    double value = 0.0;
    const char* begin = equals == std::string::npos ? end : item.data() + equals + 1;
    const auto [rest, error] = std::from_chars(begin, end, value);
    if (equals == 0 || error != std::errc() || rest != end || !std::isfinite(value)) {
      throw CLI::ValidationError(option, fmt::format("'{}' should read joint=value", item));
    }
    if (!values.emplace(item.substr(0, equals), value).second) {
      throw CLI::ValidationError(option,
                                 fmt::format("'{}' is given twice", item.substr(0, equals)));
    }
  }
  return values;
}

dyn::Vec3d gravity_of(const std::vector<double>& v) {
  if (v.empty()) return dyn::UrdfOptions().gravity;
  if (v.size() != 3) {
    throw CLI::ValidationError("--gravity",
                               fmt::format("there are {} numbers; give three", v.size()));
  }
  return {v[0], v[1], v[2]};
}

dyn::RigidBody body_of(const std::vector<double>& v) {
  dyn::RigidBody body;
  if (v.empty()) return body;
  if (v.size() != 4 && v.size() != 10) {
    throw CLI::ValidationError("--payload",
                               fmt::format("there are {} numbers; give mass,cx,cy,cz or "
                                           "mass,cx,cy,cz,ixx,iyy,izz,ixy,ixz,iyz",
                                           v.size()));
  }
  body.mass = v[0];
  body.com = {v[1], v[2], v[3]};
  if (v.size() == 10) body.inertia << v[4], v[7], v[8], v[7], v[5], v[9], v[8], v[9], v[6];
  return body;
}

void add_robot(CLI::App& app, Options& options, Texts& texts) {
  app.add_option("ROBOT", options.robot,
                 "URDF file, or - for standard input; only --observe alone can do without");
  app.add_option("--base", options.urdf.base, "first link of the chain; default: the root link");
  app.add_option("--tip", options.urdf.tip,
                 "last link; default: where the arm ends, before its hand and wheels");
  app.add_option("--gravity", texts.gravity, "in the base link frame, m/s²; default: 0,0,-9.81")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("X,Y,Z");
  app.add_option("--payload", texts.payload, "load at the tip link, in its frame, SI units")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("MASS,CX,CY,CZ[,IXX,IYY,IZZ,IXY,IXZ,IYZ]");
  app.add_option("--lock", texts.lock, "hold a joint off the chain at this position")
      ->allow_extra_args(false)
      ->type_name("JOINT=VALUE");
  app.add_option("--armature", texts.armature, "drive inertia seen at a joint, kg m² or kg")
      ->allow_extra_args(false)
      ->type_name("JOINT=VALUE");
  app.add_flag("--allow-nonphysical", options.urdf.allow_nonphysical,
               "accept negative masses and indefinite inertias");
  app.add_option(
         "--estimate-inertia", options.estimate_inertia,
         "links without mass get bodies of their shapes: so dense that the whole robot weighs "
         "this much (kg), or as water (geometry)")
      ->type_name("MASS|geometry");
  app.add_option("--mesh-path", options.mesh_path, "where else meshes and their packages are")
      ->allow_extra_args(false)
      ->type_name("FOLDER");
}

int port_of(const std::string& text) {
  int port = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error == std::errc() && rest == text.data() + text.size() && port >= 0 && port <= 65535) {
    return port;
  }
  throw CLI::ValidationError("--view", fmt::format("'{}' is no port; give 0 to 65535", text));
}

void add_parts(CLI::App& app, Options& options, Texts& texts) {
  app.add_flag("--observe", options.observe,
               "the node 'dynamics': robot_description and joint_states in, dynamics out");
  app.add_flag("--arm", options.arm,
               "the node 'arm': a simulated arm that follows joint_trajectory at 1 kHz");
  app.add_flag("--demo", options.demo, "the arm, moving by itself until its first command");
  app.add_flag("--beside", options.beside,
               "start the arm although somebody publishes joint_states or robot_description");
  app.add_flag(
      "--network", options.network,
      "talk to other machines too: without --security everybody there may command the arm");
  app.add_option("--security", options.security,
                 "folder of an SROS2 enclave: only who has a certificate takes part");
  app.add_option(
         "--view", texts.view,
         "the page in the browser, at this port; without one: 8080 or the next that is free")
      ->type_name("[PORT]")
      ->expected(0, 1);
  app.add_option("--listen", options.listen,
                 "address of the page; from other machines it asks for the token that is printed");
  app.add_option("--duration", options.duration, "seconds after which it ends")
      ->check(CLI::Validator(
          [](const std::string& text) {
            double value = 0.0;
            const bool good = CLI::detail::lexical_cast(text, value) && value > 0.0 && value <= 1e9;
            return good ? std::string() : "give seconds, more than 0 and up to 1e9";
          },
          ""));
  app.add_option("--namespace", options.name_space, "namespace of nodes and topics");
  app.add_option("--frame-prefix", options.frame_prefix,
                 "put before the name of every frame, such as left/");
}

}  // namespace

Options read_options(int argc, const char* const* argv) {
  Options options;
  Texts texts;
  CLI::App app{
      "A simulated arm and the dynamics of an arm as ROS 2 nodes, with no ROS installed.\n"
      "Without --observe, --arm or --demo it does all three."};
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return fmt::format("dyn_serve: {}; --help says more\n", error.what());
  });
  app.set_version_flag("--version", "dyn_serve " DYN_VERSION);
  add_robot(app, options, texts);
  add_parts(app, options, texts);
  app.footer("The domain is that of ROS_DOMAIN_ID.\nExample: dyn_serve arm7.urdf --tip tool0");
  try {
    app.parse(argc, argv);
    options.urdf.lock = assignments("--lock", texts.lock);
    options.urdf.armature = assignments("--armature", texts.armature);
    options.urdf.payload = body_of(texts.payload);
    options.urdf.gravity = gravity_of(texts.gravity);
    if (!options.observe && !options.arm && !options.demo) {
      options.observe = options.arm = options.demo = true;
    }
    options.arm = options.arm || options.demo;
    options.view = app.count("--view") > 0;
    if (!texts.view.empty()) options.view_port = port_of(texts.view);
    if (options.arm && options.robot.empty()) {
      throw CLI::RequiredError("ROBOT, the URDF file of the robot,");
    }
  } catch (const CLI::ParseError& error) {
    throw Done{app.exit(error) == 0 ? 0 : 2};
  }
  return options;
}

}  // namespace dyn_dds
