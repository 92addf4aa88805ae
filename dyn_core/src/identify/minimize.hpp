// The minimum of a parabola plus the divergences that hold bodies and positive numbers where they can be.
#pragma once

#include <utility>
#include <vector>

#include "dyn_core/math/types.hpp"

namespace dyn {

/// A sum over blocks of unknowns z, each measured by what is expected of it: a body by the ten elements of S
/// (symmetric() in possible_body.hpp) with w (tr S - log det S - 4), a positive number with w (z - log z - 1), any
/// number with ½ w z². Its minimum, zero, is at start(): S = 1, z = 1, z = 0.
class Prior {
 public:
  /// Each returns where in z the block begins.
  Index add_body(double weight) { return add(Kind::kBody, weight, 10); }
  Index add_positive(double weight) { return add(Kind::kPositive, weight, 1); }
  Index add_number(double weight) { return add(Kind::kNumber, weight, 1); }

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] VecXd start() const;
  /// Infinite where a body or a number cannot be.
  [[nodiscard]] double value(const VecXd& z) const;
  void add_derivatives(const VecXd& z, VecXd& gradient, MatXd& hessian) const;
  /// Diagonal of the Hessian at the start, where it has no other elements.
  [[nodiscard]] VecXd curvature() const;

 private:
  enum class Kind { kBody, kPositive, kNumber };
  struct Block {
    Kind kind;
    double weight;
    Index first;
  };
  Index add(Kind kind, double weight, Index size) {
    blocks_.push_back({kind, weight, size_});
    return std::exchange(size_, size_ + size);
  }

  std::vector<Block> blocks_;
  Index size_ = 0;
};

/// From `z` on, by damped Newton steps, which are counted: the minimum of ½ zᵀ H z - bᵀ z + prior.
[[nodiscard]] VecXd minimize(const MatXd& H, const VecXd& b, const Prior& prior, VecXd z,
                             int& steps);

}  // namespace dyn
