#include "code_writer.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dyn::generate {
namespace {

constexpr int kLongestExpression = 8;
constexpr std::size_t kColumns = 100;

bool is_leaf(const Trace::Node& node) {
  return node.op == Trace::Op::kInput || node.op == Trace::Op::kConstant;
}
bool is_binary(const Trace::Node& node) {
  return node.op == Trace::Op::kAdd || node.op == Trace::Op::kSubtract ||
         node.op == Trace::Op::kMultiply || node.op == Trace::Op::kDivide;
}

}  // namespace

std::string literal(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

void CodeWriter::count(const Trace::Node& node) {
  switch (node.op) {
    case Trace::Op::kAdd:
    case Trace::Op::kSubtract:
      ++totals_.additions;
      break;
    case Trace::Op::kMultiply:
    case Trace::Op::kDivide:
    case Trace::Op::kRoot:
      ++totals_.multiplications;
      break;
    default:
      break;
  }
}

// Operands stand before what is made of them: one pass backwards finds what is needed and how often.
void CodeWriter::count_uses(const std::vector<Output>& outputs) {
  uses_.assign(trace_.nodes().size(), 0);
  for (const Output& output : outputs) ++uses_[static_cast<std::size_t>(output.node)];
  for (std::size_t i = uses_.size(); i-- > 0;) {
    const Trace::Node& node = trace_.nodes()[i];
    if (uses_[i] == 0 || is_leaf(node)) continue;
    count(node);
    ++uses_[static_cast<std::size_t>(node.a)];
    if (is_binary(node)) ++uses_[static_cast<std::size_t>(node.b)];
  }
}

OperationTotals CodeWriter::operations(const std::vector<Output>& outputs) {
  totals_ = {};
  count_uses(outputs);
  return totals_;
}

// Names what is used several times in the output, the innermost first: expressions then reach no deeper
// than to the next name.
void CodeWriter::write_shared(int output) {
  std::vector<int> shared, waiting{output};
  while (!waiting.empty()) {
    const int i = waiting.back();
    const auto place = static_cast<std::size_t>(i);
    const Trace::Node& node = trace_.node(i);
    waiting.pop_back();
    if (visited_[place] || is_leaf(node)) continue;
    visited_[place] = true;
    if (uses_[place] > 1 && node.op != Trace::Op::kNegate) shared.push_back(i);
    waiting.push_back(node.a);
    if (is_binary(node)) waiting.push_back(node.b);
  }
  std::sort(shared.begin(), shared.end());
  for (const int i : shared) (void)text(i);
}

std::string CodeWriter::statements(const std::vector<Output>& outputs) {
  out_.clear();
  visited_.assign(trace_.nodes().size(), false);
  names_.assign(trace_.nodes().size(), {});
  temporaries_ = 0;
  count_uses(outputs);
  for (const Output& output : outputs) {
    if (!output.comment.empty()) out_ += "\n  // " + output.comment + "\n";
    write_shared(output.node);
    const std::string words = text(output.node).words;
    add_statement(output.name + " = " + words + ";");
  }
  return out_;
}

void CodeWriter::add_statement(const std::string& words) {
  std::string line = "  ";
  std::size_t begin = 0;
  while (begin < words.size()) {
    std::size_t end = words.find(' ', begin);
    if (end == std::string::npos) end = words.size();
    if (line.size() + end - begin > kColumns) {
      while (line.back() == ' ') line.pop_back();
      out_ += line + "\n";
      line = "      ";
    }
    line.append(words, begin, end - begin);
    line += ' ';
    begin = end + 1;
  }
  while (line.back() == ' ') line.pop_back();
  out_ += line + "\n";
}

// The input whose sum with constants the angle is; -1 for none.
int CodeWriter::input_of_angle(int i) const {
  const Trace::Node& node = trace_.node(i);
  if (node.op == Trace::Op::kInput) return node.a;
  if (!is_binary(node)) return -1;
  const int a = input_of_angle(node.a), b = input_of_angle(node.b);
  return a >= 0 ? a : b;
}

std::string CodeWriter::new_name(const Trace::Node& node) {
  if (node.op == Trace::Op::kSine || node.op == Trace::Op::kCosine) {
    const int input = input_of_angle(node.a);
    const char letter = node.op == Trace::Op::kSine ? 's' : 'c';
    if (input >= 0 && !turns_[static_cast<std::size_t>(input)].empty()) {
      return letter + turns_[static_cast<std::size_t>(input)];
    }
  }
  return fmt::format("t{}", ++temporaries_);
}

// A node used once goes into the expression it is used in, as long as that stays readable.
CodeWriter::Text CodeWriter::text(int i) {
  const Trace::Node& node = trace_.node(i);
  std::string& name = names_[static_cast<std::size_t>(i)];
  if (!name.empty()) return {name, 4, 0};
  if (is_leaf(node)) return expression(i);
  const bool is_turn = node.op == Trace::Op::kSine || node.op == Trace::Op::kCosine;
  const Text words = expression(i);
  const bool is_sign = node.op == Trace::Op::kNegate;
  if (!is_turn && (uses_[static_cast<std::size_t>(i)] == 1 || is_sign) &&
      words.operations <= kLongestExpression) {
    return words;
  }
  name = new_name(node);
  add_statement("const " + number_ + " " + name + " = " + words.words + ";");
  return {name, 4, 0};
}

CodeWriter::Text CodeWriter::joined(const Trace::Node& node, const char* sign, int level) {
  Text a = text(node.a), b = text(node.b);
  if (a.level < level) a.words = "(" + a.words + ")";
  if (b.level <= level) b.words = "(" + b.words + ")";
  return {a.words + " " + sign + " " + b.words, level, a.operations + b.operations + 1};
}

CodeWriter::Text CodeWriter::expression(int i) {
  const Trace::Node& node = trace_.node(i);
  const auto call = [&](const char* function) {
    const Text a = text(node.a);
    return Text{fmt::format("{}{}({})", prefix_, function, a.words), 4, a.operations + 1};
  };
  switch (node.op) {
    case Trace::Op::kConstant:
      return {literal(node.value), node.value < 0.0 ? 3 : 4, 0};
    case Trace::Op::kInput:
      return {inputs_[static_cast<std::size_t>(node.a)], 4, 0};
    case Trace::Op::kNegate: {
      Text a = text(node.a);
      if (a.level < 4) a.words = "(" + a.words + ")";
      return {"-" + a.words, 3, a.operations};
    }
    case Trace::Op::kAdd:
      return joined(node, "+", 1);
    case Trace::Op::kSubtract:
      return joined(node, "-", 1);
    case Trace::Op::kMultiply:
      return joined(node, "*", 2);
    case Trace::Op::kDivide:
      return joined(node, "/", 2);
    case Trace::Op::kSine:
      return call("sin");
    case Trace::Op::kCosine:
      return call("cos");
    case Trace::Op::kRoot:
      return call("sqrt");
    default:
      return call("abs");
  }
}

}  // namespace dyn::generate
