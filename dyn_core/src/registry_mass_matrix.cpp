#include "dyn_core/math/dual.hpp"
#include "dyn_core/papers/bhangale_2004/denoc.hpp"
#include "dyn_core/papers/bhangale_2004/printed.hpp"
#include "dyn_core/papers/classic/crba.hpp"
#include "dyn_core/papers/kang/mass_matrix.hpp"
#include "dyn_core/papers/kang/printed.hpp"
#include "dyn_core/papers/kozlowski_1995/operator.hpp"
#include "dyn_core/papers/safeea_2018/gdahj.hpp"
#include "dyn_core/papers/safeea_2018/printed.hpp"
#include "fast/algorithms.hpp"
#include "registry_list.hpp"

namespace dyn {
namespace {

template <class Scalar>
RegistryList<MassMatrixAlgorithm<Scalar>>& mass_matrix_list() {
  using Interface = MassMatrixAlgorithm<Scalar>;
  static constexpr Entry<Interface> kEntries[] = {
      {"gdahj", "Safeea 2018, eq. 18-31, Algorithm 1",
       "(3n²+88n-3)M (2.5n²+95.5n-18)A without kinematics",
       make_algorithm<Interface, Gdahj<Scalar>>, printed<safeea::gdahj_count>},
      {"crba", "Walker & Orin 1982; Featherstone 2008, section 6.2", "(10n²+22n-32)M (6n²+37n-43)A",
       make_algorithm<Interface, Crba<Scalar>>, printed<safeea::crba_count>},
      {"denoc", "Saha 2003, eq. 6; Bhangale 2004, eq. 10, 13, section 3.2",
       "(11n²+42n-18)M (7n²+44n-18)A; planar (3.5n²+11.5n-7)M (2n²+9n-7)A",
       make_algorithm<Interface, Denoc<Scalar>>,
       printed<bhangale::gim_count, bhangale::planar_gim_count>},
      {"kic", "Kang, eq. 11-24, 28, 29", "(6.5n²+144.5n-171)M (4.5n²+121.5n-136)A with kinematics",
       make_algorithm<Interface, KicMassMatrix<Scalar>>, printed<kang::inertia_count>},
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
