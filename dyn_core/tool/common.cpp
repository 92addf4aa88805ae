#include "common.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <span>

#include <fmt/format.h>
#include <unistd.h>

#include "dyn_core/base/names.hpp"
#include "dyn_core/base/number.hpp"
#include "dyn_core/base/printable.hpp"
#include "dyn_core/robot/inertia_estimate.hpp"
#include "dyn_core/robot/robot_name.hpp"
#include "limits.hpp"
#include "output.hpp"

namespace dyn::tool {
namespace {

std::string list_in(const std::string& path, const std::string& option) {
  constexpr std::size_t kLongest = 16u << 20;
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path)) {
    throw Failure(fmt::format("{}: '{}' cannot be read; give a file of numbers", option, path));
  }
  std::string list = read_up_to(file, kLongest);
  if (list.size() > kLongest) {
    throw Failure(fmt::format("{}: '{}' is longer than {} MB; give a file of numbers", option, path,
                              kLongest >> 20));
  }
  return list;
}

double number(std::string_view token, const std::string& option) {
  const std::optional<double> value = parse_number(token);
  if (!value || !std::isfinite(*value)) {
    throw Failure(fmt::format("{}: '{}' is not a finite number; give numbers separated by commas",
                              option, token));
  }
  return *value;
}

std::map<std::string, double> assignments(const std::vector<std::string>& items,
                                          const std::string& option) {
  std::map<std::string, double> values;
  for (const std::string& item : items) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Failure(fmt::format("{}: '{}' should read joint=value", option, item));
    }
    const std::string joint = item.substr(0, equals);
    const double value = number(std::string_view(item).substr(equals + 1), option);
    if (!values.emplace(joint, value).second) {
      throw Failure(fmt::format("{}: joint '{}' is given twice; give it once", option, joint));
    }
  }
  return values;
}

RigidBody payload_from(const std::string& text) {
  RigidBody body;
  if (text.empty()) return body;
  const std::vector<double> v = numbers(text, "--payload");
  if (v.size() != 4 && v.size() != 10) {
    throw Failure(
        fmt::format("--payload has {} numbers; give mass,cx,cy,cz or "
                    "mass,cx,cy,cz,ixx,iyy,izz,ixy,ixz,iyz",
                    v.size()));
  }
  body.mass = v[0];
  body.com = {v[1], v[2], v[3]};
  if (v.size() == 10) {
    body.inertia << v[4], v[7], v[8], v[7], v[5], v[9], v[8], v[9], v[6];
  }
  return body;
}

/// What a warning says, and of which link or joint.
struct Warning {
  std::string kind, name;
};

// "joint 'a': its limit 3 is …" is the kind "joint '': its limit # is …" and the name a.
Warning parts_of(const std::string& text) {
  Warning parts;
  const std::size_t open = text.find('\''), close = text.find('\'', open + 1);
  if (close == std::string::npos) return {text, {}};
  parts.name = text.substr(open + 1, close - open - 1);
  for (const char c : text.substr(0, open) + text.substr(close + 1)) {
    const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
    if (!number) parts.kind += c;
    if (number && !parts.kind.ends_with('#')) parts.kind += '#';
  }
  return parts;
}

// The first of each kind, with the names that the others are about.
std::vector<std::string> by_kind(const std::vector<std::string>& warnings) {
  constexpr std::size_t kListed = 6;
  std::vector<std::string> lines, kinds;
  std::map<std::string, std::vector<std::string>> names;
  for (const std::string& text : warnings) {
    const Warning parts = parts_of(text);
    const auto [others, is_new] = names.try_emplace(parts.kind);
    if (is_new || parts.name.empty()) {
      lines.push_back(text);
      kinds.push_back(parts.kind);
    } else {
      others->second.push_back(parts.name);
    }
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::string>& others = names[kinds[i]];
    if (others.empty()) continue;
    lines[i] += fmt::format(" (likewise {})", quoted_list(others, kListed));
  }
  return lines;
}

// An end of the chain that FILE:base:tip names, which the option must not name, too.
void take_end(const char* option, const std::string& named, std::string& end) {
  if (named.empty()) return;
  if (!end.empty()) {
    throw CLI::ValidationError(
        option, fmt::format("'{}' beside FILE:base:tip with '{}'; name this end once", end, named));
  }
  end = named;
}

CompletedUrdf completed(const std::string& urdf, const std::string& file,
                        const RobotOptions& robot) {
  EstimateOptions options{.mesh_folders = robot.mesh_path};
  if (file != "-") options.urdf_folder = std::filesystem::absolute(file).parent_path();
  return require(complete_urdf(urdf, robot.estimate_inertia, std::move(options)));
}

}  // namespace

void RobotOptions::add_to(CLI::App& command, bool required) {
  CLI::Option* file =
      command.add_option("ROBOT", robot,
                         "URDF file, FILE:base:tip, - for standard input, or a robot of the suite "
                         "(arm7, puma560, …)");
  if (required) file->required();
  command.add_option("--base", base, "First link of the chain (default: the root link)");
  command.add_option(
      "--tip", tip,
      "Last link of the chain, or a part of its name that no other has (default: where the "
      "arm ends, before its hand and wheels)");
  command.add_option("--gravity", gravity, "Gravity in the base link frame, m/s²")
      ->type_name("X,Y,Z")
      ->capture_default_str();
  command.add_option("--lock", lock, "Hold a joint still at this position")
      ->type_name("JOINT=VALUE");
  command.add_option("--payload", payload, "Load at the tip link, in its frame, SI units")
      ->type_name("MASS,CX,CY,CZ[,IXX,IYY,IZZ,IXY,IXZ,IYZ]");
  command.add_option("--armature", armature, "Drive inertia seen at a joint, kg m² or kg")
      ->type_name("JOINT=VALUE");
  command.add_flag("--allow-nonphysical", allow_nonphysical,
                   "Accept negative masses and indefinite inertias");
  add_estimate_to(command);
}

void RobotOptions::add_estimate_to(CLI::App& command) {
  command
      .add_option("--estimate-inertia", estimate_inertia,
                  "Links without mass get bodies of one density from their collision, else visual "
                  "shapes: so dense that the whole robot weighs this much (kg), or as water "
                  "(geometry)")
      ->type_name("MASS|geometry");
  command.add_option("--mesh-path", mesh_path, "Where else meshes and their packages are")
      ->type_name("FOLDER");
}

ChainPtr RobotOptions::load(Inertia inertia, std::string* text) const {
  UrdfOptions options;
  options.base = base;
  options.tip = tip;
  options.lock = assignments(lock, "--lock");
  options.armature = assignments(armature, "--armature");
  options.payload = payload_from(payload);
  options.allow_nonphysical = allow_nonphysical;
  const std::vector<double> g = numbers(gravity, "--gravity");
  if (g.size() != 3) {
    throw Failure(fmt::format("--gravity has {} numbers; give three, such as 0,0,-9.81", g.size()));
  }
  options.gravity = {g[0], g[1], g[2]};
  const RobotName name = robot_named(robot);
  take_end("--base", name.base, options.base);
  take_end("--tip", name.tip, options.tip);
  constexpr std::size_t kLongest = 32u << 20;  // what parse_urdf accepts
  const std::string prefix = name.file == "-" ? "" : printable(name.file) + ": ";
  std::string urdf =
      name.file == "-" ? read_up_to(std::cin, kLongest) : require(urdf_text(name.file));
  CompletedUrdf whole{std::move(urdf)};
  if (!estimate_inertia.empty()) whole = completed(whole.urdf, name.file, *this);
  ChainPtr chain = require(parse_urdf(whole.urdf, options), prefix);
  if (!estimate_inertia.empty()) chain = marked_as_estimated(*chain, whole);
  if (text != nullptr) *text = std::move(whole.urdf);
  if (options.base.empty() || options.tip.empty()) {
    say("chain from '{}' to '{}', {} coordinate{}{}{} (choose with --base, --tip or "
        "ROBOT:base:tip)",
        chain->base(), chain->tip(), chain->dof(), chain->dof() == 1 ? "" : "s",
        chain->tip_rule().empty() ? "" : ": ", chain->tip_rule());
  }
  for (const std::string& warning : by_kind(chain->warnings())) {
    say("warning: {}", warning);
  }
  if (!chain->has_dynamics()) {
    if (inertia == Inertia::kNeeded) throw Failure(chain->objection_to_dynamics());
    say("no dynamics: {}", chain->objection_to_dynamics());
  }
  return chain;
}

std::vector<double> numbers(const std::string& text, const std::string& option) {
  const std::string list = text.starts_with('@') ? list_in(text.substr(1), option) : text;
  constexpr std::string_view kBlank = " \t\r\n";
  std::vector<double> values;
  std::string_view rest = without_mark(list);
  if (rest.find_first_not_of(kBlank) == std::string_view::npos) return values;
  for (std::size_t element = 1, comma = 0; comma != std::string_view::npos; ++element) {
    comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    std::size_t begin = part.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) {
      throw Failure(
          fmt::format("{}: number {} is empty; give it, or one comma less", option, element));
    }
    while (begin != std::string_view::npos) {
      const std::size_t end = std::min(part.find_first_of(kBlank, begin), part.size());
      values.push_back(number(part.substr(begin, end - begin), option));
      begin = part.find_first_not_of(kBlank, end);
    }
    if (comma != std::string_view::npos) rest.remove_prefix(comma + 1);
  }
  return values;
}

CLI::Validator not_blank() {
  return {[](const std::string& text) {
            return text.empty() ? "it is empty; give numbers separated by commas" : "";
          },
          ""};
}

VecXd coordinates(const std::string& text, const std::string& option, const Chain& chain) {
  if (text.empty()) return VecXd::Zero(chain.dof());
  const std::vector<double> values = numbers(text, option);
  if (static_cast<Index>(values.size()) != chain.dof()) {
    throw Failure(fmt::format("{} has {} numbers, but the chain has {} coordinates: {}", option,
                              values.size(), chain.dof(),
                              fmt::join(chain.coordinate_names(), ", ")));
  }
  return Eigen::Map<const VecXd>(values.data(), chain.dof());
}

void require(Status status, const std::string& what) {
  if (status == Status::kOk) return;
  throw Failure(fmt::format("{}: {}", what, to_string(status)));
}

Json to_json(const VecXd& v) { return std::vector<double>(v.begin(), v.end()); }

Json to_json(const MatXd& m) {
  Json rows = Json::array();
  for (Index i = 0; i < m.rows(); ++i) rows.push_back(to_json(VecXd(m.row(i).transpose())));
  return rows;
}

Json to_json(const Posed& pose) {
  MatXd matrix = MatXd::Identity(4, 4);
  matrix.topLeftCorner<3, 3>() = pose.R;
  matrix.topRightCorner<3, 1>() = pose.p;
  return to_json(matrix);
}

Json missing_inertia_json(const Chain& chain) {
  Json out = Json::array();
  for (const MissingInertia& missing : chain.missing_inertia()) {
    out.push_back({{"link", missing.link}, {"joint", missing.joint}});
  }
  return out;
}

Json finite_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

std::string percent(double part, double whole) {
  constexpr double kNothing = 1e-9;
  return whole > kNothing ? fmt::format("{:.1f} %", 100.0 * part / whole) : "-";
}

Vec3d roll_pitch_yaw(const Mat3d& R) {
  const double pitch = std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0)));
  if (std::hypot(R(0, 0), R(1, 0)) < 1e-12) return {std::atan2(-R(1, 2), R(1, 1)), pitch, 0.0};
  return {std::atan2(R(2, 1), R(2, 2)), pitch, std::atan2(R(1, 0), R(0, 0))};
}

std::string bold(const std::string& text) {
  static const bool kTerminal = isatty(STDOUT_FILENO) == 1;
  return kTerminal ? "\x1b[1m" + text + "\x1b[0m" : text;
}

std::string text(const PrintedCount& count) {
  return fmt::format("{}M {}A", count.multiplications, count.additions);
}

void print_vector(const std::string& title, const VecXd& v) {
  print_matrix(title, MatXd(v.transpose()));
}

void print_matrix(const std::string& title, const MatXd& m) {
  fmt::print("{}\n", bold(title));
  const double noise = 1e-14 * (m.size() == 0 ? 0.0 : m.cwiseAbs().maxCoeff());
  for (Index i = 0; i < m.rows(); ++i) {
    fmt::print(" ");
    for (Index j = 0; j < m.cols(); ++j) {
      fmt::print(" {:>11.5g}", std::abs(m(i, j)) <= noise ? 0.0 : m(i, j));
    }
    fmt::print("\n");
  }
}

}  // namespace dyn::tool
