// The functions of one robot as expression graphs: what both kinds of code are written from.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "code_writer.hpp"
#include "dyn_core/base/status.hpp"
#include "dyn_core/generate/code_generator.hpp"
#include "dyn_core/math/traced.hpp"
#include "dyn_core/robot/model.hpp"
#include "robot_state.hpp"

namespace dyn::generate {

/// The names of the functions, in the order of the pointers to them.
inline constexpr std::array kFunctions = {"mass_matrix", "inverse_dynamics", "bias_torque",
                                          "forward_dynamics"};

/// One function: `outputs` in the order in which they are best computed, of which `pivots` are to be positive.
struct Function {
  std::string name, comment;
  std::vector<std::string> inputs;
  std::string result;  ///< what it writes: "M"
  std::vector<Output> outputs, pivots;
  std::string last;  ///< statements behind the outputs
  OperationTotals operations = {};
};

/// Traces the papers' texts at one state, which the written code can test itself with.
class StraightLine {
 public:
  explicit StraightLine(const Model& model);

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] Index dof() const { return dof_; }
  [[nodiscard]] const State<double>& sample() const { return sample_; }
  /// A coordinate's name as part of a comment.
  [[nodiscard]] std::string coordinate(Index i) const;

  /// Without those of more than `most_operations`, for which `left_out` gets a sentence.
  [[nodiscard]] Result<std::vector<Function>> functions(int most_operations,
                                                        std::vector<std::string>& left_out) const;
  /// Numbers are of the type `number`; `prefix` stands before the names of functions, "std::".
  [[nodiscard]] CodeWriter writer(std::string number, std::string prefix) const {
    return {trace_, inputs_, turns_, std::move(number), std::move(prefix)};
  }
  /// Of a node, in the sample state.
  [[nodiscard]] double value(const Output& output) const { return trace_.node(output.node).value; }

 private:
  [[nodiscard]] State<Traced> traced_state();
  void add_outputs(const VecX<Traced>& values, const std::string& what, Function& function) const;
  [[nodiscard]] Function mass_matrix() const;
  [[nodiscard]] Function inverse_dynamics() const;
  [[nodiscard]] Function bias_torque() const;
  [[nodiscard]] Function forward_dynamics() const;

  const Model& model_;
  Index dof_;
  State<double> sample_;
  Trace trace_;
  std::vector<std::string> inputs_;
  std::vector<std::string>
      turns_;  // what the sine and cosine of an input are called after, or nothing
  Robot<Traced> robot_;
};

/// The text of a header file: of a robot, with the namespace of its functions.
using Text = std::function<std::string(const StraightLine& robot, const std::string& name,
                                       const std::vector<Function>& functions)>;
/// Code named after the robot, with `ending`, as `text` writes it. The errors of generate_code().
[[nodiscard]] Result<GeneratedCode> written(const Model& model, const std::string& ending,
                                            int most_operations, const Text& text);
[[nodiscard]] bool has(const std::vector<Function>& functions, const std::string& name);
/// All four by name, `space` before it, null those that are missing.
[[nodiscard]] std::string pointers(const std::vector<Function>& functions,
                                   const std::string& space);
/// Statements that silence warnings about arguments that `statements` have no use for.
[[nodiscard]] std::string unused_arguments(const Function& function, const std::string& statements);
/// A name as part of a comment: it must not end the line, nor join it with the next.
[[nodiscard]] std::string in_comment(std::string name);
/// `first` and the banner's lines about robot, constants and joints.
[[nodiscard]] std::string banner(const StraightLine& robot, const std::string& first,
                                 const std::string& version);
/// The constants that name the joints.
[[nodiscard]] std::string joint_names(const StraightLine& robot);
/// Numbers with commas between.
[[nodiscard]] std::string list(const VecXd& values);

}  // namespace dyn::generate
