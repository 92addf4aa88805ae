#include "dyn_core/math/dual.hpp"
#include "dyn_core/papers/bhangale_2004/denoc.hpp"
#include "dyn_core/papers/classic/crba.hpp"
#include "dyn_core/papers/kang/mass_matrix.hpp"
#include "dyn_core/papers/kozlowski_1995/operator.hpp"
#include "dyn_core/papers/safeea_2018/gdahj.hpp"
#include "fast/algorithms.hpp"
#include "registry_list.hpp"

namespace dyn {
namespace {

// Coefficients of n², n and 1, doubled so that the papers' halves are integers.
OperationCount quadratic(Index n, std::int64_t m2, std::int64_t m1, std::int64_t m0,
                         std::int64_t a2, std::int64_t a1, std::int64_t a0) {
  return {(m2 * n * n + m1 * n + m0) / 2, (a2 * n * n + a1 * n + a0) / 2};
}

OperationCount gdahj_paper(Index n, bool /*planar*/) {
  return quadratic(n, 6, 176, -6, 5, 191, -36);
}
OperationCount crba_paper(Index n, bool /*planar*/) {
  return quadratic(n, 20, 44, -64, 12, 74, -86);
}
OperationCount denoc_paper(Index n, bool planar) {
  return planar ? quadratic(n, 7, 23, -14, 4, 18, -14) : quadratic(n, 22, 84, -36, 14, 88, -36);
}
OperationCount kic_inertia_paper(Index n, bool /*planar*/) {
  return quadratic(n, 13, 289, -342, 9, 243, -272);
}

template <class Scalar>
RegistryList<MassMatrixAlgorithm<Scalar>>& mass_matrix_list() {
  using Interface = MassMatrixAlgorithm<Scalar>;
  static constexpr Entry<Interface> kEntries[] = {
      {"gdahj", "Safeea 2018, eq. 18-31, Algorithm 1",
       "(3n²+88n-3)M (2.5n²+95.5n-18)A without kinematics",
       make_algorithm<Interface, Gdahj<Scalar>>, gdahj_paper},
      {"crba", "Walker & Orin 1982; Featherstone 2008, section 6.2", "(10n²+22n-32)M (6n²+37n-43)A",
       make_algorithm<Interface, Crba<Scalar>>, crba_paper},
      {"denoc", "Saha 2003, eq. 6; Bhangale 2004, eq. 10, 13, section 3.2",
       "(11n²+42n-18)M (7n²+44n-18)A; planar (3.5n²+11.5n-7)M (2n²+9n-7)A",
       make_algorithm<Interface, Denoc<Scalar>>, denoc_paper},
      {"kic", "Kang, eq. 11-24, 28, 29", "(6.5n²+144.5n-171)M (4.5n²+121.5n-136)A with kinematics",
       make_algorithm<Interface, KicMassMatrix<Scalar>>, kic_inertia_paper},
      {"operator", "Kozłowski 1995, eq. 22", "O(n²), the reference form",
       make_algorithm<Interface, Operator<Scalar>>},
      {"fast", "composite bodies in the base frame, joints side by side",
       "O(n²), vectors of joints", fast::make<Interface>},
  };
  static RegistryList<Interface> list(offered<Scalar>(kEntries));
  return list;
}

}  // namespace

template <class Scalar>
Entries<MassMatrixAlgorithm<Scalar>> mass_matrix_algorithms() {
  return mass_matrix_list<Scalar>().entries();
}

template <class Scalar>
Result<void> register_algorithm(const Entry<MassMatrixAlgorithm<Scalar>>& entry) {
  return mass_matrix_list<Scalar>().add(entry);
}

template Entries<MassMatrixAlgorithm<double>> mass_matrix_algorithms<double>();
template Entries<MassMatrixAlgorithm<float>> mass_matrix_algorithms<float>();
template Entries<MassMatrixAlgorithm<Counted>> mass_matrix_algorithms<Counted>();
template Entries<MassMatrixAlgorithm<Dual>> mass_matrix_algorithms<Dual>();
template Result<void> register_algorithm(const Entry<MassMatrixAlgorithm<double>>&);
template Result<void> register_algorithm(const Entry<MassMatrixAlgorithm<float>>&);
template Result<void> register_algorithm(const Entry<MassMatrixAlgorithm<Counted>>&);
template Result<void> register_algorithm(const Entry<MassMatrixAlgorithm<Dual>>&);

}  // namespace dyn
