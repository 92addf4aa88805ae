#include "dyn_core/math/dual.hpp"
#include "dyn_core/papers/bhangale_2004/as_printed.hpp"
#include "dyn_core/papers/bhangale_2004/mci.hpp"
#include "dyn_core/papers/kang/coriolis.hpp"
#include "dyn_core/registry.hpp"
#include "fast/algorithms.hpp"

namespace dyn {
namespace {

OperationCount mci_paper(Index n, bool planar) {
  if (planar) return {7 * n * n + 13 * n + 4, 4 * n * n + 13 * n + 2};
  return {14 * n * n + 22 * n + 4, (27 * n * n + 111 * n - 131) / 2};
}
OperationCount kic_paper(Index n, bool /*planar*/) {
  return {3 * n * n * n + 11 * n * n + 129 * n - 171,
          (23 * n * n * n + 39 * n * n + 691 * n - 828) / 6};
}

}  // namespace

template <class Scalar>
Entries<CoriolisAlgorithm<Scalar>> coriolis_algorithms() {
  using Interface = CoriolisAlgorithm<Scalar>;
  static constexpr Entry<Interface> kEntries[] = {
      {"mci", "Bhangale 2004, eq. 10-12, skew-symmetric Ṁ-2C",
       "(14n²+22n+4)M (13.5n²+55.5n-65.5)A; planar (7n²+13n+4)M (4n²+13n+2)A; on top of the GIM",
       make_algorithm<Interface, Mci<Scalar>>, mci_paper},
      {"kic", "Kang, eq. 8, 19-27", "(3n³+11n²+129n-171)M (23/6n³+6.5n²+691/6n-138)A for I* and P*",
       make_algorithm<Interface, KicCoriolis<Scalar>>, kic_paper},
      {"mci_printed", "Bhangale 2004, eq. 10-12, literally, with the paper's origins O_i",
       "O(n²) products of 6x6 matrices on top of the GIM",
       make_algorithm<Interface, bhangale::MciPrinted<Scalar>>},
      {"fast", "Echeandia & Wensing 2021 in the base frame, joints side by side",
       "O(n²), vectors of joints", fast::make<Interface>},
  };
  return fast::offered<Scalar>(kEntries);
}

template Entries<CoriolisAlgorithm<double>> coriolis_algorithms<double>();
template Entries<CoriolisAlgorithm<float>> coriolis_algorithms<float>();
template Entries<CoriolisAlgorithm<Counted>> coriolis_algorithms<Counted>();
template Entries<CoriolisAlgorithm<Dual>> coriolis_algorithms<Dual>();

}  // namespace dyn
