#include "common.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>

#include <fmt/format.h>
#include <unistd.h>

#include "dyn_core/number.hpp"
#include "output.hpp"

namespace dyn::tool {
namespace {

std::string read_all(std::istream& in) { return {std::istreambuf_iterator<char>(in), {}}; }

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
    values[item.substr(0, equals)] = number(std::string_view(item).substr(equals + 1), option);
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

}  // namespace

void RobotOptions::add_to(CLI::App& command, bool required) {
  CLI::Option* file = command.add_option("ROBOT", robot, "URDF file, or - for standard input");
  if (required) file->required();
  command.add_option("--base", base, "First link of the chain (default: the root link)");
  command.add_option("--tip", tip,
                     "Last link of the chain (default: the leaf with the most moving joints)");
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
}

ChainPtr RobotOptions::load() const {
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
  const ChainPtr chain =
      require(robot == "-" ? parse_urdf(read_all(std::cin), options) : load_urdf(robot, options));
  if (base.empty() || tip.empty()) {
    say("chain from '{}' to '{}', {} coordinate{} (choose with --base, --tip)", chain->base(),
        chain->tip(), chain->dof(), chain->dof() == 1 ? "" : "s");
  }
  for (const std::string& warning : chain->warnings()) {
    say("warning: {}", warning);
  }
  return chain;
}

std::vector<double> numbers(const std::string& text, const std::string& option) {
  std::string list = text;
  if (text.starts_with('@')) {
    std::ifstream file(text.substr(1));
    if (!file) throw Failure(fmt::format("{}: '{}' cannot be read", option, text.substr(1)));
    list = read_all(file);
  }
  std::vector<double> values;
  std::string_view rest = list;
  constexpr std::string_view kSeparators = ", \t\r\n";
  while (true) {
    const std::size_t begin = rest.find_first_not_of(kSeparators);
    if (begin == std::string_view::npos) return values;
    rest.remove_prefix(begin);
    const std::size_t length = std::min(rest.find_first_of(kSeparators), rest.size());
    values.push_back(number(rest.substr(0, length), option));
    rest.remove_prefix(length);
  }
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

Json finite_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

std::string bold(const std::string& text) {
  static const bool kTerminal = isatty(STDOUT_FILENO) == 1;
  return kTerminal ? "\x1b[1m" + text + "\x1b[0m" : text;
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
