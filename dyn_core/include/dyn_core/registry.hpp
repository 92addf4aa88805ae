// Every algorithm by name. Adding one is a header and a line in src/registry_<quantity>.cpp; the solver,
// the conformance tests, the malloc gate, the benchmark, `dyn list` and `dyn count` all read this. A program
// adds its own by register_algorithm().
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "dyn_core/base/export.hpp"
#include "dyn_core/math/counted.hpp"
#include "dyn_core/robot/algorithm.hpp"

namespace dyn {

/// Operations a paper gives for n revolute joints; `planar` where it has a special count for them.
using PaperCount = PrintedCount (*)(Index n, bool planar);

template <class Algorithm>
struct Entry {
  std::string_view name;
  std::string_view paper;  ///< authors, year, equations
  std::string_view cost;   ///< the paper's formula, or the order where it gives none
  std::unique_ptr<Algorithm> (*make)(const Model& model);
  PaperCount paper_count = nullptr;
};

template <class Algorithm>
using Entries = std::span<const Entry<Algorithm>>;

/// Defined for double, float, Counted and Dual.
template <class Scalar>
DYN_CORE_EXPORT [[nodiscard]] Entries<MassMatrixAlgorithm<Scalar>> mass_matrix_algorithms();
template <class Scalar>
DYN_CORE_EXPORT [[nodiscard]] Entries<InverseDynamicsAlgorithm<Scalar>>
inverse_dynamics_algorithms();
template <class Scalar>
DYN_CORE_EXPORT [[nodiscard]] Entries<ForwardDynamicsAlgorithm<Scalar>>
forward_dynamics_algorithms();
template <class Scalar>
DYN_CORE_EXPORT [[nodiscard]] Entries<CoriolisAlgorithm<Scalar>> coriolis_algorithms();

/// Adds a program's own algorithm to those of its quantity and scalar: Solver::make takes its name, and
/// whoever reads the list finds it. For main(), before other threads and before a list is kept: what the
/// functions above returned earlier is no longer valid. The error says what is wrong with the name.
template <class Scalar>
DYN_CORE_EXPORT [[nodiscard]] Result<void> register_algorithm(
    const Entry<MassMatrixAlgorithm<Scalar>>& entry);
template <class Scalar>
DYN_CORE_EXPORT [[nodiscard]] Result<void> register_algorithm(
    const Entry<InverseDynamicsAlgorithm<Scalar>>& entry);
template <class Scalar>
DYN_CORE_EXPORT [[nodiscard]] Result<void> register_algorithm(
    const Entry<ForwardDynamicsAlgorithm<Scalar>>& entry);
template <class Scalar>
DYN_CORE_EXPORT [[nodiscard]] Result<void> register_algorithm(
    const Entry<CoriolisAlgorithm<Scalar>>& entry);

/// Whether a comparison of all algorithms runs one of this `cost` on n joints: O(n⁴) up to 30 only.
[[nodiscard]] inline bool is_comparable(std::string_view cost, Index n) {
  return n <= 30 || !cost.starts_with("O(n⁴)");
}

/// Null if there is none of that name.
template <class Algorithm>
[[nodiscard]] const Entry<Algorithm>* find(Entries<Algorithm> entries, std::string_view name) {
  for (const Entry<Algorithm>& entry : entries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

template <class Interface, class Algorithm>
[[nodiscard]] std::unique_ptr<Interface> make_algorithm(const Model& model) {
  return std::make_unique<Algorithm>(model);
}

}  // namespace dyn
