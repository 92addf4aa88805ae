#include "bench_cases.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "common.hpp"
#include "dyn_core/fast/batch.hpp"
#include "dyn_core/registry.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "dyn_core/robot/urdf.hpp"
#include "dyn_core/solver.hpp"

namespace dyn::tool {
namespace {

using bench::Timing;

constexpr int kStates = 16;
constexpr double kMostMemory = 2e9;

struct States {
  explicit States(Index n) {
    Random random(77);
    for (int k = 0; k < kStates; ++k) {
      q.push_back(random.vector(n, 3.1));
      qd.push_back(random.vector(n, 1.0));
      x.push_back(random.vector(n, 10.0));
    }
  }
  std::vector<VecXd> q, qd, x;
};

// A solver with room for its answers, and the states.
struct Case {
  Case(const ChainPtr& chain, const Algorithms& names)
      : solver(require(Solver::make(chain, names))),
        states(chain->dof()),
        all(*chain),
        matrix(chain->dof(), chain->dof()),
        by_qd(matrix),
        third(matrix),
        vector(chain->dof()) {}

  Solver solver;
  States states;
  Dynamics all;
  MatXd matrix, by_qd, third;
  VecXd vector;
};

// `query(case, state number)` returns a Status; an algorithm that refuses this chain is left out.
template <class Query>
void add(const Selection& selection, const char* quantity, std::string algorithm,
         const Algorithms& names, Query query, std::vector<Timing>& out) {
  if (!selection.wants(algorithm)) return;
  const ChainPtr& chain = selection.chain;
  const auto state = std::make_shared<Case>(chain, names);
  if (query(*state, 0) != Status::kOk) return;
  out.push_back({quantity, std::move(algorithm), kStates, 1, [state, query] {
                   for (std::size_t k = 0; k < kStates; ++k) (void)query(*state, k);
                 }});
}

void add_matrices(const Selection& selection, std::vector<Timing>& out) {
  for (const auto& entry : mass_matrix_algorithms<double>()) {
    const std::string name(entry.name);
    const Algorithms names{.mass_matrix = name};
    add(
        selection, "mass_matrix", name, names,
        [](Case& c, std::size_t k) { return c.solver.mass_matrix(c.states.q[k], c.matrix); }, out);
    if (name != "fast" && name != "gdahj") continue;
    const char* factored = name == "fast" ? "fast" : "udut";
    add(
        selection, "mass_matrix_inverse", factored, names,
        [](Case& c, std::size_t k) {
          return c.solver.mass_matrix_inverse(c.states.q[k], c.matrix);
        },
        out);
    add(
        selection, "factorisation", factored, names,
        [](Case& c, std::size_t k) { return c.solver.factor(c.states.q[k], c.matrix, c.vector); },
        out);
  }
  for (const auto& entry : coriolis_algorithms<double>()) {
    if (selection.only.empty() && !is_comparable(entry.cost, selection.chain->dof())) continue;
    add(
        selection, "coriolis", std::string(entry.name), {.coriolis = std::string(entry.name)},
        [](Case& c, std::size_t k) {
          return c.solver.coriolis_matrix(c.states.q[k], c.states.qd[k], c.matrix);
        },
        out);
  }
}

void add_vectors(const Selection& selection, std::vector<Timing>& out) {
  for (const auto& entry : inverse_dynamics_algorithms<double>()) {
    const std::string name(entry.name);
    const Algorithms names{.inverse_dynamics = name};
    add(
        selection, "inverse_dynamics", name, names,
        [](Case& c, std::size_t k) {
          const States& s = c.states;
          return c.solver.inverse_dynamics(s.q[k], s.qd[k], s.x[k], c.vector);
        },
        out);
    add(
        selection, "bias", name, names,
        [](Case& c, std::size_t k) {
          return c.solver.bias_torque(c.states.q[k], c.states.qd[k], c.vector);
        },
        out);
  }
  for (const auto& entry : forward_dynamics_algorithms<double>()) {
    const std::string name(entry.name);
    if (selection.chain->has_mimic() && name != "cholesky") continue;
    add(
        selection, "forward_dynamics", name, {.forward_dynamics = name},
        [](Case& c, std::size_t k) {
          const States& s = c.states;
          return c.solver.forward_dynamics(s.q[k], s.qd[k], s.x[k], c.vector);
        },
        out);
  }
}

// By the texts on Dual, which cost 3 n times what they differentiate, only one each and of short chains, or where they
// are asked for.
void add_derivatives(const Selection& selection, std::vector<Timing>& out) {
  const auto wanted = [&](const std::string& name) {
    const bool is_short = selection.chain->dof() <= 30;
    return name == "fast" || !selection.only.empty() ||
           (is_short && (name == "rnea" || name == "udut"));
  };
  for (const auto& entry : inverse_dynamics_algorithms<double>()) {
    const std::string name(entry.name);
    if (!wanted(name)) continue;
    add(
        selection, "inverse_dynamics_derivatives", name, {.inverse_dynamics = name},
        [](Case& c, std::size_t k) {
          const States& s = c.states;
          return c.solver.inverse_dynamics_derivatives(s.q[k], s.qd[k], s.x[k], c.matrix, c.by_qd,
                                                       c.third);
        },
        out);
  }
  for (const auto& entry : forward_dynamics_algorithms<double>()) {
    const std::string name(entry.name);
    if (!wanted(name) || (selection.chain->has_mimic() && name != "cholesky")) continue;
    add(
        selection, "forward_dynamics_derivatives", name, {.forward_dynamics = name},
        [](Case& c, std::size_t k) {
          const States& s = c.states;
          return c.solver.forward_dynamics_derivatives(s.q[k], s.qd[k], s.x[k], c.matrix, c.by_qd,
                                                       c.third);
        },
        out);
  }
}

void add_all_at_once(const Selection& selection, std::vector<Timing>& out) {
  const auto query = [](Case& c, std::size_t k) {
    return c.solver.dynamics(c.states.q[k], c.states.qd[k], c.all);
  };
  add(selection, "all", "papers", {}, query, out);
  add(selection, "all", "fast", {.mass_matrix = "fast", .inverse_dynamics = "fast"}, query, out);
}

// A batch with room for its answers, and its states.
struct BatchCase {
  BatchCase(Batch made, Index states)
      : batch(std::move(made)),
        n(batch.joints()),
        q(n, states),
        qd(n, states),
        x(n, states),
        vector(n, states),
        matrix(n * n, states),
        by_qd(n * n, states),
        third(n * n, states),
        moving_q(n, states),
        moving_qd(n, states) {
    Random random(77);
    for (Index k = 0; k < states; ++k) {
      q.set(k, random.vector(n, 3.1));
      qd.set(k, random.vector(n, 1.0));
      x.set(k, random.vector(n, 10.0));
      moving_q.set(k, random.vector(n, 3.1));
    }
  }

  Batch batch;
  Index n;
  BatchArray q, qd, x, vector, matrix, by_qd, third, moving_q, moving_qd;
};

}  // namespace

std::vector<std::string> timed_names() {
  std::vector<std::string> names = {"load", "papers", "udut"};
  const auto add = [&names](const auto& entries) {
    for (const auto& entry : entries) {
      const std::string name(entry.name);
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  };
  add(mass_matrix_algorithms<double>());
  add(inverse_dynamics_algorithms<double>());
  add(forward_dynamics_algorithms<double>());
  add(coriolis_algorithms<double>());
  return names;
}

bool Selection::wants(const std::string& algorithm) const {
  return only.empty() || std::find(only.begin(), only.end(), algorithm) != only.end();
}

void add_single_states(const Selection& selection, std::vector<Timing>& out) {
  add_matrices(selection, out);
  add_vectors(selection, out);
  add_derivatives(selection, out);
  add_all_at_once(selection, out);
}

void add_batch(const ChainPtr& chain, Index states, int threads, bool specialise,
               std::vector<Timing>& out) {
  auto batch = Batch::make(Model(chain), threads);
  if (!batch) return;
  const auto n = static_cast<double>(chain->dof());
  const double bytes = 8.0 * static_cast<double>(states) * n * (3.0 * n + 7.0);
  if (bytes > kMostMemory) {
    throw Failure(
        fmt::format("--batch: {} states of {} joints take {:.1f} GB, more than {:.0f}: "
                    "give fewer",
                    states, chain->dof(), bytes * 1e-9, kMostMemory * 1e-9));
  }
  if (specialise) {
    const Result<void> done = batch->specialise();
    if (!done) throw Failure("--specialise: " + done.error().sentence);
  }
  const auto c = std::make_shared<BatchCase>(std::move(*batch), states);
  const auto timing = [&](const char* quantity, std::function<void()> sweep) {
    out.push_back({quantity, specialise ? "batch_specialised" : "batch", static_cast<int>(states),
                   static_cast<long>(states), std::move(sweep)});
  };
  timing("mass_matrix", [c] { (void)c->batch.mass_matrix(c->q, c->matrix); });
  timing("bias", [c] { (void)c->batch.bias_torque(c->q, c->qd, c->vector); });
  timing("inverse_dynamics",
         [c] { (void)c->batch.inverse_dynamics(c->q, c->qd, c->x, c->vector); });
  timing("forward_dynamics",
         [c] { (void)c->batch.forward_dynamics(c->q, c->qd, c->x, c->vector); });
  timing("step", [c] { (void)c->batch.step(1e-9, c->x, c->moving_q, c->moving_qd); });
  if (specialise) return;  // the others have no code of their own
  timing("mass_matrix_inverse", [c] { (void)c->batch.mass_matrix_inverse(c->q, c->matrix); });
  timing("factorisation", [c] { (void)c->batch.factor(c->q, c->matrix, c->vector); });
  timing("coriolis", [c] { (void)c->batch.coriolis_matrix(c->q, c->qd, c->matrix); });
  timing("inverse_dynamics_derivatives", [c] {
    (void)c->batch.inverse_dynamics_derivatives(c->q, c->qd, c->x, c->matrix, c->by_qd, c->third);
  });
  timing("forward_dynamics_derivatives", [c] {
    (void)c->batch.forward_dynamics_derivatives(c->q, c->qd, c->x, c->matrix, c->by_qd, c->third);
  });
}

void add_loading(const std::string& path, const ChainPtr& chain, std::vector<Timing>& out) {
  UrdfOptions options;
  options.base = chain->base();
  options.tip = chain->tip();
  options.allow_nonphysical = true;
  out.push_back({"load", "urdf_to_solver", 1, 1, [path, options] {
                   const Solver solver = require(Solver::make(require(load_urdf(path, options))));
                 }});
}

}  // namespace dyn::tool
