#include "dyn_core/math/dual.hpp"
#include "dyn_core/papers/classic/cholesky.hpp"
#include "dyn_core/papers/kozlowski_1995/forward_dynamics.hpp"
#include "dyn_core/papers/kozlowski_1995/printed.hpp"
#include "dyn_core/papers/saha_2003/forward_dynamics.hpp"
#include "dyn_core/papers/saha_2003/printed.hpp"
#include "fast/algorithms.hpp"
#include "registry_list.hpp"

namespace dyn {
namespace {

template <class Scalar>
RegistryList<ForwardDynamicsAlgorithm<Scalar>>& forward_dynamics_list() {
  using Interface = ForwardDynamicsAlgorithm<Scalar>;
  static constexpr Entry<Interface> kEntries[] = {
      {"udut", "Saha 2003, eq. 12-15, 25-28", "(191n-284)M (187n-325)A without the bias torque",
       make_algorithm<Interface, UdutForwardDynamics<Scalar>>,
       printed<saha::forward_dynamics_count>},
      {"cholesky", "Walker and Orin 1982, as counted in Saha 2003, Table I",
       "(n³/6+23/2n²+115/3n-47)M (n³/6+7n²+233/6n-46)A without the bias torque",
       make_algorithm<Interface, CholeskyForwardDynamics<Scalar>>,
       printed<saha::walker_orin_count>},
      {"diagonalized_normalized", "Kozłowski 1995, eq. 21, 40-42",
       "(605n-462)M (530n-448)A up to the rates of nu",
       make_algorithm<Interface, NormalizedForwardDynamics<Scalar>>,
       printed<kozlowski::normalized_count>},
      {"diagonalized_unnormalized", "Kozłowski 1995, eq. 21, 44-45",
       "(500n-319)M (426n-286)A up to the rates of xi",
       make_algorithm<Interface, UnnormalizedForwardDynamics<Scalar>>,
       printed<kozlowski::unnormalized_count>},
      {"fast", "UDUᵀ in the base frame, joints side by side", "O(n), vectors of joints",
       fast::make<Interface>},
  };
  static RegistryList<Interface> list(offered<Scalar>(kEntries));
  return list;
}

}  // namespace

template <class Scalar>
Entries<ForwardDynamicsAlgorithm<Scalar>> forward_dynamics_algorithms() {
  return forward_dynamics_list<Scalar>().entries();
}

template <class Scalar>
Result<void> register_algorithm(const Entry<ForwardDynamicsAlgorithm<Scalar>>& entry) {
  return forward_dynamics_list<Scalar>().add(entry);
}

template Entries<ForwardDynamicsAlgorithm<double>> forward_dynamics_algorithms<double>();
template Entries<ForwardDynamicsAlgorithm<float>> forward_dynamics_algorithms<float>();
template Entries<ForwardDynamicsAlgorithm<Counted>> forward_dynamics_algorithms<Counted>();
template Entries<ForwardDynamicsAlgorithm<Dual>> forward_dynamics_algorithms<Dual>();
template Result<void> register_algorithm(const Entry<ForwardDynamicsAlgorithm<double>>&);
template Result<void> register_algorithm(const Entry<ForwardDynamicsAlgorithm<float>>&);
template Result<void> register_algorithm(const Entry<ForwardDynamicsAlgorithm<Counted>>&);
template Result<void> register_algorithm(const Entry<ForwardDynamicsAlgorithm<Dual>>&);

}  // namespace dyn
