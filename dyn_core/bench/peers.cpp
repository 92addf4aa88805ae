// dyn_bench_peers ROUNDS: times other libraries on the chain that comes as text on stdin. Prints a line
// `quantity library ns` for each function. `dyn bench` starts it; built only where a library is found.
#include "peers.hpp"

#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "chain_text.hpp"
#include "dyn_core/robot/random_chain.hpp"

int main(int argc, char** argv) {
  using namespace dyn::bench;
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  const dyn::ChainPtr chain = read_chain(std::cin);
  if (chain == nullptr) {
    std::fputs("dyn_bench_peers: stdin holds no chain; start it through `dyn bench`\n", stderr);
    return 2;
  }
  dyn::Random random(77);
  auto states = std::make_shared<PeerStates>();
  for (int k = 0; k < 16; ++k) {
    const dyn::Index n = chain->dof();
    dyn::VecXd q = random.vector(n, 3.1), qd = random.vector(n, 1.0);
    dyn::VecXd qdd = random.vector(n, 2.0), tau = random.vector(n, 10.0);
    states->push_back({std::move(q), std::move(qd), std::move(qdd), std::move(tau)});
  }
  std::vector<Timing> timings;
#ifdef DYN_PEER_KDL
  add_kdl(*chain, states, timings);
#endif
#ifdef DYN_PEER_MUJOCO
  add_mujoco(*chain, states, timings);
#endif
#ifdef DYN_PEER_DART
  add_dart(*chain, states, timings);
#endif
  add_eigen(chain, states, timings);
  const Stopwatch stopwatch;
  for (int r = 0; r < rounds; ++r) stopwatch.round(timings);
  for (const Timing& timing : timings) {
    std::printf("%s %s %.17g\n", timing.quantity.c_str(), timing.algorithm.c_str(),
                timing.median());
  }
  return 0;
}
