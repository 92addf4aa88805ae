// Samples of a run, as they come, and as an array at the end.
#pragma once

#include <vector>

#include "bindings.hpp"

namespace dyn::python {

class Rows {
 public:
  /// Rows of `width` numbers, or single numbers where it is 0.
  explicit Rows(Index width) : width_(width) {}

  void add(double value) { numbers_.push_back(value); }
  void add(const VecXd& row) { numbers_.insert(numbers_.end(), row.begin(), row.end()); }
  [[nodiscard]] Array array() const {
    const std::array<Index, 2> shape = {
        static_cast<Index>(numbers_.size()) / std::max<Index>(width_, 1), width_};
    Array out(new_array(std::span(shape.data(), width_ == 0 ? 1u : 2u)));
    std::copy(numbers_.begin(), numbers_.end(), data_of(out));
    return out;
  }

 private:
  Index width_;
  std::vector<double> numbers_;
};

}  // namespace dyn::python
