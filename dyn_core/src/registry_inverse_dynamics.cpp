#include "dyn_core/math/dual.hpp"
#include "dyn_core/papers/bhangale_2004/gim_mci.hpp"
#include "dyn_core/papers/classic/rnea.hpp"
#include "dyn_core/papers/kang/inverse_dynamics.hpp"
#include "dyn_core/papers/safeea_2018/gda.hpp"
#include "dyn_core/papers/safeea_2018/printed.hpp"
#include "fast/algorithms.hpp"
#include "registry_list.hpp"

namespace dyn {
namespace {

template <class Scalar>
RegistryList<InverseDynamicsAlgorithm<Scalar>>& inverse_dynamics_list() {
  using Interface = InverseDynamicsAlgorithm<Scalar>;
  static constexpr Entry<Interface> kEntries[] = {
      {"rnea", "Luh, Walker, Paul 1980; Balafoutis & Patel 1991", "(93n-108)M (81n-100)A",
       make_algorithm<Interface, Rnea<Scalar>>, printed<safeea::rnea_count>},
      {"gda", "Safeea 2018, eq. 4-17", "O(n²)", make_algorithm<Interface, Gda<Scalar>>},
      {"gim_mci", "Bhangale 2004, eq. 9", "O(n²), GIM and MCI",
       make_algorithm<Interface, GimMci<Scalar>>},
      {"kic", "Kang, eq. 8", "O(n³), I* and P*",
       make_algorithm<Interface, KicInverseDynamics<Scalar>>},
      {"fast", "Newton-Euler in the base frame, joints side by side", "O(n), vectors of joints",
       fast::make<Interface>},
  };
  static RegistryList<Interface> list(offered<Scalar>(kEntries));
  return list;
}

}  // namespace

template <class Scalar>
Entries<InverseDynamicsAlgorithm<Scalar>> inverse_dynamics_algorithms() {
  return inverse_dynamics_list<Scalar>().entries();
}

template <class Scalar>
Result<void> register_algorithm(const Entry<InverseDynamicsAlgorithm<Scalar>>& entry) {
  return inverse_dynamics_list<Scalar>().add(entry);
}

template Entries<InverseDynamicsAlgorithm<double>> inverse_dynamics_algorithms<double>();
template Entries<InverseDynamicsAlgorithm<float>> inverse_dynamics_algorithms<float>();
template Entries<InverseDynamicsAlgorithm<Counted>> inverse_dynamics_algorithms<Counted>();
template Entries<InverseDynamicsAlgorithm<Dual>> inverse_dynamics_algorithms<Dual>();
template Result<void> register_algorithm(const Entry<InverseDynamicsAlgorithm<double>>&);
template Result<void> register_algorithm(const Entry<InverseDynamicsAlgorithm<float>>&);
template Result<void> register_algorithm(const Entry<InverseDynamicsAlgorithm<Counted>>&);
template Result<void> register_algorithm(const Entry<InverseDynamicsAlgorithm<Dual>>&);

}  // namespace dyn
