// guard_instructions CASE N: calls one query a hundred times, on the baseline instruction set, inside
// guarded_region(), of which guard_instructions.sh has the instructions counted by callgrind.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "dyn_core/fast/batch.hpp"
#include "dyn_core/fast/fast_dynamics.hpp"
#include "dyn_core/robot/random_chain.hpp"

namespace {

struct Work {
  explicit Work(dyn::Index joints)
      : n(joints),
        model(dyn::random_chain(n, 1)),
        fast(model),
        matrix(n, n),
        by_qd(n, n),
        third(n, n),
        vector(n),
        batch(std::move(dyn::Batch::make(model).value())),
        states(n, dyn::BatchArray::kPacket),
        out(n, dyn::BatchArray::kPacket) {
    dyn::Random random(2);
    q = random.vector(n, 3.0), qd = random.vector(n, 1.0), x = random.vector(n, 1.0);
    states.fill(0.5);
  }

  dyn::Index n;
  dyn::Model model;
  dyn::FastDynamics fast;
  dyn::VecXd q, qd, x;
  dyn::MatXd matrix, by_qd, third;
  dyn::VecXd vector;
  dyn::Batch batch;
  dyn::BatchArray states, out;
};

dyn::Status run(Work& w, const std::string& name) {
  if (name == "mass_matrix") return w.fast.mass_matrix(w.q, w.matrix);
  if (name == "mass_matrix_inverse") return w.fast.mass_matrix_inverse(w.q, w.matrix);
  if (name == "coriolis") return w.fast.coriolis_matrix(w.q, w.qd, w.matrix);
  if (name == "inverse_dynamics") return w.fast.inverse_dynamics(w.q, w.qd, w.x, w.vector);
  if (name == "inverse_dynamics_derivatives") {
    return w.fast.inverse_dynamics_derivatives(w.q, w.qd, w.x, w.matrix, w.by_qd, w.third);
  }
  if (name == "forward_dynamics_derivatives") {
    return w.fast.forward_dynamics_derivatives(w.q, w.qd, w.x, w.matrix, w.by_qd, w.third);
  }
  if (name == "batch_forward_dynamics") {
    return w.batch.forward_dynamics(w.states, w.states, w.states, w.out);
  }
  return w.fast.forward_dynamics(w.q, w.qd, w.x, w.vector);
}

}  // namespace

extern "C" [[gnu::noinline]] int guarded_region(void* work, const char* name) {
  int bad = 0;
  for (int i = 0; i < 100; ++i) {
    bad += run(*static_cast<Work*>(work), name) == dyn::Status::kOk ? 0 : 1;
  }
  return bad;
}

int main(int argc, char** argv) {
  if (argc < 3 || !dyn::force_simd_target("baseline")) return 2;
  Work work(std::atol(argv[2]));
  (void)run(work, argv[1]);
  return guarded_region(&work, argv[1]) == 0 ? 0 : 1;
}
