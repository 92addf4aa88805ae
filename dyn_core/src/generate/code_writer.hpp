// Writes an expression graph as C++ statements.
#pragma once

#include <string>
#include <vector>

#include "dyn_core/math/traced.hpp"

namespace dyn::generate {

struct Output {
  std::string name;  ///< what is assigned to, "M[3]"
  int node = -1;
  std::string comment;  ///< stands above it, where not empty
};

struct OperationTotals {
  int multiplications = 0, additions = 0;
};

class CodeWriter {
 public:
  /// `inputs[i]` is the text of input i, "q[0]"; `turns[i]` names the sine and cosine of an angle made
  /// from it, "1" for s1 and c1, or is empty. Numbers are of the type `number`; `prefix` stands before the
  /// names of functions.
  CodeWriter(const Trace& trace, std::vector<std::string> inputs, std::vector<std::string> turns,
             std::string number, std::string prefix)
      : trace_(trace),
        inputs_(std::move(inputs)),
        turns_(std::move(turns)),
        number_(std::move(number)),
        prefix_(std::move(prefix)) {}

  /// What computing the outputs takes.
  [[nodiscard]] OperationTotals operations(const std::vector<Output>& outputs);
  /// The statements that compute the outputs, and nothing that they do not need.
  [[nodiscard]] std::string statements(const std::vector<Output>& outputs);

 private:
  struct Text {
    std::string words;
    int level;       ///< 1 sum, 2 product, 3 sign, 4 name
    int operations;  ///< written in it
  };

  void count_uses(const std::vector<Output>& outputs);
  void write_shared(int output);
  void count(const Trace::Node& node);
  [[nodiscard]] Text text(int node);
  [[nodiscard]] Text expression(int node);
  [[nodiscard]] Text joined(const Trace::Node& node, const char* sign, int level);
  [[nodiscard]] std::string new_name(const Trace::Node& node);
  [[nodiscard]] int input_of_angle(int node) const;
  void add_statement(const std::string& words);

  const Trace& trace_;
  std::vector<std::string> inputs_, turns_;
  std::string number_, prefix_;
  std::vector<int> uses_;
  std::vector<bool> visited_;
  std::vector<std::string> names_;
  std::string out_;
  int temporaries_ = 0;
  OperationTotals totals_;
};

/// So that it reads back exactly, and as a floating-point number.
[[nodiscard]] std::string literal(double value);

}  // namespace dyn::generate
