// Eigen's dense factorisation of a given mass matrix.
#include <Eigen/Cholesky>

#include "dyn_core/solver.hpp"
#include "peers.hpp"

namespace dyn::bench {

void add_eigen(const ChainPtr& chain, const std::shared_ptr<const PeerStates>& states,
               std::vector<Timing>& out) {
  auto solver = Solver::make(chain);
  if (!solver) return;
  const Index n = chain->dof();
  const auto matrices = std::make_shared<std::vector<MatXd>>();
  for (const PeerState& state : *states) {
    MatXd M(n, n);
    if (solver->mass_matrix(state.q, M) != Status::kOk) return;
    matrices->push_back(std::move(M));
  }
  const auto llt = std::make_shared<Eigen::LLT<MatXd>>(n);
  const auto inverse = std::make_shared<MatXd>(n, n);
  add(
      "factorisation", "eigen_llt_of_given_M", *states,
      [llt, matrices](std::size_t k) { llt->compute((*matrices)[k]); }, out);
  add(
      "mass_matrix_inverse", "eigen_llt_of_given_M", *states,
      [llt, inverse, matrices](std::size_t k) {
        llt->compute((*matrices)[k]);
        inverse->setIdentity();
        llt->solveInPlace(*inverse);
      },
      out);
}

}  // namespace dyn::bench
