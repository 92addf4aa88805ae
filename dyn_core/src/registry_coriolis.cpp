#include "dyn_core/math/dual.hpp"
#include "dyn_core/papers/bhangale_2004/as_printed.hpp"
#include "dyn_core/papers/bhangale_2004/mci.hpp"
#include "dyn_core/papers/bhangale_2004/printed.hpp"
#include "dyn_core/papers/kang/coriolis.hpp"
#include "dyn_core/papers/kang/printed.hpp"
#include "fast/algorithms.hpp"
#include "registry_list.hpp"

namespace dyn {
namespace {

template <class Scalar>
RegistryList<CoriolisAlgorithm<Scalar>>& coriolis_list() {
  using Interface = CoriolisAlgorithm<Scalar>;
  static constexpr Entry<Interface> kEntries[] = {
      {"mci", "Bhangale 2004, eq. 10-12, skew-symmetric Ṁ-2C",
       "(14n²+22n+4)M (13.5n²+55.5n-65.5)A; planar (7n²+13n+4)M (4n²+13n+2)A; on top of the GIM",
       make_algorithm<Interface, Mci<Scalar>>,
       printed<bhangale::mci_count, bhangale::planar_mci_count>},
      {"kic", "Kang, eq. 8, 19-27",
       "(3n³+7.5n²+125.5n-171)M (23/6n³+4n²+338/3n-138)A for P*, without the elements of I*",
       make_algorithm<Interface, KicCoriolis<Scalar>>, printed<kang::power_count>},
      {"kic_older", "Kang, eq. 8-10, literally: the algorithm that section 4 improves on",
       "O(n⁴), I* and P*; optimised 5995 operations at n = 6",
       make_algorithm<Interface, KicOlderCoriolis<Scalar>>},
      {"mci_printed", "Bhangale 2004, eq. 10-12, literally, with the paper's origins O_i",
       "O(n²) products of 6x6 matrices on top of the GIM",
       make_algorithm<Interface, bhangale::MciPrinted<Scalar>>},
      {"fast", "Echeandia & Wensing 2021 in the base frame, joints side by side",
       "O(n²), vectors of joints", fast::make<Interface>},
  };
  static RegistryList<Interface> list(offered<Scalar>(kEntries));
  return list;
}

}  // namespace

template <class Scalar>
Entries<CoriolisAlgorithm<Scalar>> coriolis_algorithms() {
  return coriolis_list<Scalar>().entries();
}

template <class Scalar>
Result<void> register_algorithm(const Entry<CoriolisAlgorithm<Scalar>>& entry) {
  return coriolis_list<Scalar>().add(entry);
}

template Entries<CoriolisAlgorithm<double>> coriolis_algorithms<double>();
template Entries<CoriolisAlgorithm<float>> coriolis_algorithms<float>();
template Entries<CoriolisAlgorithm<Counted>> coriolis_algorithms<Counted>();
template Entries<CoriolisAlgorithm<Dual>> coriolis_algorithms<Dual>();
template Result<void> register_algorithm(const Entry<CoriolisAlgorithm<double>>&);
template Result<void> register_algorithm(const Entry<CoriolisAlgorithm<float>>&);
template Result<void> register_algorithm(const Entry<CoriolisAlgorithm<Counted>>&);
template Result<void> register_algorithm(const Entry<CoriolisAlgorithm<Dual>>&);

}  // namespace dyn
