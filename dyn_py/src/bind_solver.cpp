// Solver: its settings, motion by steps, and the class itself.
#include <cmath>
#include <map>

#include "bindings.hpp"
#include "dyn_core/registry.hpp"
#include "fields.hpp"
#include "queries.hpp"

namespace dyn::python {
namespace {

using Class = py::class_<Queries>;

// ---- motion ------------------------------------------------------------------------------------------
using Pair = std::tuple<Array, Array>;
Pair pair_of(const py::tuple& results) { return {Array(results[0]), Array(results[1])}; }

Query motion(const char* name, double dt, int substeps, const std::string& integrator) {
  constexpr std::array<Named<BatchIntegrator>, 2> kIntegrators = {
      {{"semi_implicit", BatchIntegrator::kSemiImplicitEuler},
       {"rk4", BatchIntegrator::kRungeKutta4}}};
  if (!(dt > 0.0) || !std::isfinite(dt)) throw Failure("dt has to be a time above zero, in s");
  if (substeps < 1) throw Failure("substeps has to be at least 1");
  return {.name = name,
          .arguments = {"q", "qd", "tau"},
          .shapes = {"n", "n"},
          .forces = true,
          .rollout = Batch::Rollout{.dt = dt,
                                    .substeps = substeps,
                                    .integrator = chosen("integrator", kIntegrators, integrator)}};
}

Pair step(Queries& solver, const Floats& q, const Floats& qd, const Floats& tau, double dt,
          int substeps, const std::string& integrator) {
  const Floats* const in[] = {&q, &qd, &tau};
  return pair_of(solver.answer(motion("step", dt, substeps, integrator), in));
}

Pair rollout(Queries& solver, const Floats& q, const Floats& qd, const Floats& tau, double dt,
             int substeps, const std::string& integrator) {
  Query query = motion("rollout", dt, substeps, integrator);
  query.shapes = {"Tn", "Tn"};
  query.rollout->steps =
      tau.dimensions < 2 ? 0 : tau.shape[static_cast<std::size_t>(tau.dimensions - 2)];
  const Floats* const in[] = {&q, &qd, &tau};
  return pair_of(solver.answer(query, in));
}

void bind_stepping(Class& solver) {
  solver
      .def("step", &step, "q"_a, "qd"_a, "tau"_a, "dt"_a, "substeps"_a = 1,
           "integrator"_a = "semi_implicit",
           "The state dt seconds later under constant torque: (q, qd). What diverges becomes nan.\n"
           "integrator: semi_implicit (Euler) or rk4.")
      .def("rollout", &rollout, "q"_a, "qd"_a, "tau"_a, "dt"_a, "substeps"_a = 1,
           "integrator"_a = "semi_implicit",
           "T steps under the torques tau, of (T, n) or (K, T, n), from the state q, qd:\n"
           "(q, qd) after each, of the shape of tau; (K, T, n) where there are K states or "
           "torques.");
}

// ---- settings ----------------------------------------------------------------------------------------
void set_payload(Queries& solver, const std::optional<Floats>& payload) {
  std::vector<RigidBody> bodies;
  if (payload) bodies = bodies_from(*payload);
  solver.set([&](Settings& s) {
    s.payloads = std::move(bodies);
    s.payload_each = payload && payload->dimensions == 2;
  });
}
void set_armature(Queries& solver, const Floats& armature) {
  if (solver.chain().has_mimic()) {
    throw Failure("set_armature: the chain has mimic joints; give it to load_urdf()");
  }
  const VecXd values = armature.vector(solver.dof(), "armature");
  solver.set([&](Settings& s) { s.armature = values; });
}
void set_gravity(Queries& solver, const Floats& gravity) {
  const Vec3d g = gravity.vector(3, "gravity");
  solver.set([&](Settings& s) { s.gravity = g; });
}
void set_tip_wrench(Queries& solver, const Floats& wrench) {
  const VecXd w = wrench.vector(6, "wrench");
  solver.set([&](Settings& s) { s.wrench = {w.head<3>(), w.tail<3>()}; });
}

void bind_settings(Class& solver) {
  solver
      .def("set_payload", &set_payload, "payload"_a,
           "Carried at the tip link, in its frame: mass, centre of mass and, if known, ixx, iyy, "
           "izz, ixy, ixz, iyz\nof (4,) or (10,); of (K, 4) or (K, 10) for each of K states; or "
           "None.")
      .def("set_gravity", &set_gravity, "gravity"_a, "In the base link frame, m/s²: (3,).")
      .def("set_armature", &set_armature, "armature"_a, "Drive inertia of each joint: (n,).")
      .def("set_tip_wrench", &set_tip_wrench, "wrench"_a,
           "Force and torque on the tip, in the base link frame, in inverse_dynamics and "
           "forward_dynamics: (6,).")
      .def("specialise", &Queries::specialise,
           "Compiles code for this robot as it is set now, or takes it from the cache folder: "
           "mass_matrix, "
           "bias_torque,\ninverse_dynamics and forward_dynamics of many states, step and rollout "
           "are faster "
           "from then on, until\npayload, gravity or armature change. An Error says why there is "
           "no such code; "
           "nothing else changes then.")
      .def(
          "set_friction",
          [](Queries& s, bool enabled) { s.set([&](Settings& now) { now.friction = enabled; }); },
          "enabled"_a,
          "Whether the joints' friction acts in inverse_dynamics and forward_dynamics.");
}

std::map<std::string, std::string> algorithms_of(const Queries& solver) {
  const Algorithms& a = solver.algorithms();
  return {{"mass_matrix", a.mass_matrix},
          {"inverse_dynamics", a.inverse_dynamics},
          {"forward_dynamics", a.forward_dynamics},
          {"coriolis", a.coriolis}};
}

struct ListedAlgorithm {
  std::string quantity, name, paper, cost;
};
template <class Entries>
void list(const char* quantity, const Entries& entries, std::vector<ListedAlgorithm>& out) {
  for (const auto& entry : entries) {
    out.push_back(
        {quantity, std::string(entry.name), std::string(entry.paper), std::string(entry.cost)});
  }
}
std::vector<ListedAlgorithm> algorithms() {
  std::vector<ListedAlgorithm> out;
  list("mass_matrix", mass_matrix_algorithms<double>(), out);
  list("inverse_dynamics", inverse_dynamics_algorithms<double>(), out);
  list("forward_dynamics", forward_dynamics_algorithms<double>(), out);
  list("coriolis", coriolis_algorithms<double>(), out);
  return out;
}

std::string solver_text(const Queries& solver) {
  std::string text =
      "Solver of '" + solver.chain().name() + "', " + std::to_string(solver.dof()) + " coordinates";
  for (const auto& [quantity, name] : algorithms_of(solver)) text += ", " + quantity + " " + name;
  return text;
}

}  // namespace

void bind_solver(py::module_& module) {
  using L = ListedAlgorithm;
  py::class_<L> listed_algorithm(module, "Algorithm");
  show(listed_algorithm, "quantity", &L::quantity, "name", &L::name, "paper", &L::paper, "cost",
       &L::cost);
  module.def("algorithms", &algorithms, "Every algorithm with its paper and cost.");
  Class solver(
      module, "Solver",
      R"(The dynamic quantities of one chain: M(q) qdd + C(q, qd) qd + g(q) + friction = tau + Jᵀ wrench.

Every query takes arrays of shape (n,) and answers for that state, or of shape (K, n) and answers for K
states at once, on all cores and without the interpreter's lock; the result then has K in front. Arrays
of both kinds mix. Contiguous float64 is read where it lies; anything that numpy turns into float64 is
copied. `out` takes an array of the result's shape, which is then also returned.

Each quantity is computed by an algorithm of algorithms(); an empty name leaves the choice to the solver.)");
  solver.def(
      py::init([](const SharedChain& chain, const std::string& mass_matrix,
                  const std::string& inverse_dynamics, const std::string& forward_dynamics,
                  const std::string& coriolis, int threads) {
        return std::make_unique<Queries>(
            chain, Algorithms{mass_matrix, inverse_dynamics, forward_dynamics, coriolis}, threads);
      }),
      "chain"_a, "mass_matrix"_a = "", "inverse_dynamics"_a = "", "forward_dynamics"_a = "",
      "coriolis"_a = "", "threads"_a = 0, "`threads` for K states at most; 0: one for each core.");
  bind_queries(module, solver);
  bind_stepping(solver);
  bind_settings(solver);
  solver.def_property_readonly("chain", [](const Queries& s) { return shared(s.chain_ptr()); })
      .def_property_readonly("dof", &Queries::dof)
      .def_property_readonly("threads", &Queries::threads)
      .def_property_readonly("algorithms", &algorithms_of, "The name in use for each quantity.")
      .def("__repr__", &solver_text);
}

}  // namespace dyn::python
