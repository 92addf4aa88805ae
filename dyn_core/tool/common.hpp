// What the commands of `dyn` share: choosing the robot, reading numbers, failing with a sentence.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "dyn_core/base/status.hpp"
#include "dyn_core/math/counted.hpp"
#include "dyn_core/math/types.hpp"
#include "dyn_core/robot/chain.hpp"
#include "dyn_core/robot/urdf.hpp"
#include "dyn_core/solver.hpp"

namespace dyn::tool {

// Of everything that dyn draws at random.
constexpr std::uint64_t kSeed = 1;

using Json = nlohmann::ordered_json;

/// Ends the command with exit status 1 and this sentence on stderr.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The options by which every command chooses its robot.
struct RobotOptions {
  std::string robot;
  std::string base, tip;
  std::string gravity = "0,0,-9.81";
  std::vector<std::string> lock, armature;
  std::string payload;
  bool allow_nonphysical = false;
  std::string estimate_inertia;  ///< a total mass in kg, or "geometry"
  std::vector<std::string> mesh_path;

  void add_to(CLI::App& command, bool required = true);
  void add_estimate_to(CLI::App& command);
  /// Loads the chain. The choice of base and tip and the warnings, those of one kind in one line, go to
  /// stderr. Where inertia is needed, a robot without it is refused; where not, stderr says what is left out.
  /// `text` receives the robot description, with the bodies that were estimated.
  [[nodiscard]] ChainPtr load(Inertia inertia = Inertia::kNeeded,
                              std::string* text = nullptr) const;
};

/// Comma-separated numbers, or `@file`; `option` names the option in the sentence of a failure.
[[nodiscard]] std::vector<double> numbers(const std::string& text, const std::string& option);
/// Refuses an empty list.
[[nodiscard]] CLI::Validator not_blank();
/// As many numbers as the chain has coordinates; zeros where `text` is empty.
[[nodiscard]] VecXd coordinates(const std::string& text, const std::string& option,
                                const Chain& chain);

/// Throws the Failure of a query that did not succeed.
void require(Status status, const std::string& what);
/// The value, or a Failure with the sentence.
template <class Value>
[[nodiscard]] Value require(Result<Value> result, const std::string& before = {}) {
  if (!result) throw Failure(before + result.error().sentence);
  return std::move(*result);
}

[[nodiscard]] Json to_json(const VecXd& v);
[[nodiscard]] Json to_json(const MatXd& m);
/// As a matrix of four rows.
[[nodiscard]] Json to_json(const Posed& pose);
/// The links, and the joints that move them, that have no inertia.
[[nodiscard]] Json missing_inertia_json(const Chain& chain);
/// A limit that is not set is null.
[[nodiscard]] Json finite_or_null(double x);

/// "12.3 %"; "-" where there is nothing that it could be a share of.
[[nodiscard]] std::string percent(double part, double whole);

/// About the fixed axes x, y, z in this order, as in a URDF.
[[nodiscard]] Vec3d roll_pitch_yaw(const Mat3d& R);

/// Colours, only on a terminal.
[[nodiscard]] std::string bold(const std::string& text);

/// "633M 645A", halves as 645.5.
[[nodiscard]] std::string text(const PrintedCount& count);

/// A vector or a matrix in columns under a title; rounding noise is shown as 0.
void print_vector(const std::string& title, const VecXd& v);
void print_matrix(const std::string& title, const MatXd& m);

// The commands, one file each.
void add_info(CLI::App& app);
void add_list(CLI::App& app);
void add_eval(CLI::App& app);
void add_count(CLI::App& app);
void add_compare(CLI::App& app);
void add_bench(CLI::App& app);
void add_generate(CLI::App& app);
void add_simulate(CLI::App& app);
void add_track(CLI::App& app);
void add_excite(CLI::App& app);
void add_time(CLI::App& app);
void add_check(CLI::App& app);
void add_identify(CLI::App& app);
void add_report(CLI::App& app);
void add_paper(CLI::App& app);
void add_demo(CLI::App& app);
void add_view(CLI::App& app);

}  // namespace dyn::tool
