// Solver: every quantity by name, of one state or of K.
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <type_traits>

#include "bindings.hpp"
#include "dyn_core/registry.hpp"
#include "fields.hpp"
#include "queries.hpp"

namespace dyn::python {
namespace {

// ---- queries of other layouts --------------------------------------------------------------------------
const Query kPower = {"inertia_power", [](Worker& w, In in, Results out) {
                        const Index n = w.solver.dof();
                        w.power.resize(static_cast<std::size_t>(n), MatXd(n, n));
                        const Status status = w.solver.inertia_power(vector(w, in[0]), w.power);
                        double* row = out[0];
                        for (const MatXd& P : w.power) {
                          for (Index j = 0; j < n; ++j, row += n) vector(w, row) = P.row(j);
                        }
                        return status;
                      }};

const Query kTipPose = {"tip_pose", [](Worker& w, In in, Results out) {
                          const Status status = w.kinematics.update(vector(w, in[0]));
                          Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> pose(out[0]);
                          const Posed tip = w.kinematics.tip_pose();
                          pose << tip.R, tip.p, 0.0, 0.0, 0.0, 1.0;
                          return status;
                        }};

const Query kJacobian = {"jacobian", [](Worker& w, In in, Results out) {
                           const Index n = w.solver.dof();
                           w.jacobian.resize(6, n);
                           Status status = w.kinematics.update(vector(w, in[0]));
                           if (status == Status::kOk) status = w.kinematics.jacobian(w.jacobian);
                           for (Index r = 0; r < 6; ++r) {
                             vector(w, out[0] + r * n) = w.jacobian.row(r);
                           }
                           return status;
                         }};

const Query kManipulability = {"manipulability", [](Worker& w, In in, Results out) {
                                 w.jacobian.resize(6, w.solver.dof());
                                 Status status = w.kinematics.update(vector(w, in[0]));
                                 if (status == Status::kOk)
                                   status = w.kinematics.jacobian(w.jacobian);
                                 if (status == Status::kOk)
                                   *out[0] = manipulability(w.solver.chain(), w.jacobian);
                                 return status;
                               }};

const Query kFriction = {"friction_torque", [](Worker& w, In in, Results out) {
                           return w.solver.friction_torque(vector(w, in[0]), vector(w, out[0]));
                         }};

Shape number_of(const Pool& /*pool*/) { return {{}, 0}; }
Shape vector_of(const Pool& pool) { return {{pool.dof()}, 1}; }
Shape square_of(const Pool& pool) { return {{pool.dof(), pool.dof()}, 2}; }

std::tuple<Array, Array> pair_of(const py::tuple& results) {
  return {Array(results[0]), Array(results[1])};
}

// ---- quasi-velocities --------------------------------------------------------------------------------
/// The results of quasi() by name, arrays of (n,) or (K, n), matrices of (n, n) or (K, n, n).
using QuasiArrays = std::map<std::string, Array>;
constexpr std::pair<const char*, VecXd Quasi::*> kQuasiVectors[] = {
    {"nu", &Quasi::nu},
    {"xi", &Quasi::xi},
    {"coriolis_nu", &Quasi::coriolis_nu},
    {"coriolis_xi", &Quasi::coriolis_xi},
    {"gravity_nu", &Quasi::gravity_nu},
    {"gravity_xi", &Quasi::gravity_xi},
    {"epsilon", &Quasi::epsilon},
    {"kappa", &Quasi::kappa},
    {"D", &Quasi::D},
    {"pivot_rate", &Quasi::pivot_rate},
    {"nu_rate", &Quasi::nu_rate},
    {"xi_rate", &Quasi::xi_rate}};
constexpr std::pair<const char*, MatXd Quasi::*> kQuasiMatrices[] = {
    {"U", &Quasi::U},
    {"mass_factor", &Quasi::mass_factor},
    {"mass_factor_rate", &Quasi::mass_factor_rate}};
struct QuasiResult {
  QuasiArrays arrays;
};

// All of them one after the other.
const Query kQuasi = {"quasi", [](Worker& w, In in, Results out) {
                        if (!w.quasi) w.quasi.emplace(w.solver.dof());
                        const Status status = w.solver.quasi(vector(w, in[0]), vector(w, in[1]),
                                                             vector(w, in[2]), *w.quasi);
                        const Index n = w.solver.dof();
                        double* to = out[0];
                        for (const auto& [name, member] : kQuasiVectors) {
                          vector(w, to) = *w.quasi.*member;
                          to += n;
                        }
                        for (const auto& [name, member] : kQuasiMatrices) {
                          square(w, to) = (*w.quasi.*member).transpose();
                          to += n * n;
                        }
                        return status;
                      }};

QuasiResult quasi(Pool& pool, const Floats& q, const Floats& qd, const Floats& tau) {
  const Index n = pool.dof();
  const Argument in[] = {{"q", q}, {"qd", qd}, {"tau", tau}};
  const Shape shape{{std::ssize(kQuasiVectors) * n + std::ssize(kQuasiMatrices) * n * n}, 1};
  const py::object all = pool.answer(kQuasi, in, {&shape, 1}, py::none());
  QuasiResult out;
  Index begin = 0;
  const auto take = [&](Index size) {
    begin += size;
    return all[py::make_tuple(py::ellipsis(), py::slice(begin - size, begin, 1))];
  };
  for (const auto& [name, member] : kQuasiVectors) out.arrays[name] = Array(take(n));
  for (const auto& [name, member] : kQuasiMatrices) {
    const py::object flat = take(n * n);
    py::list shape_of(flat.attr("shape"));
    shape_of[shape_of.size() - 1] = n;
    shape_of.append(n);
    out.arrays[name] = Array(flat.attr("reshape")(shape_of));
  }
  return out;
}

void bind_quasi(py::module_& module) {
  py::class_<QuasiResult> quasi(
      module, "Quasi",
      "Diagonalized dynamics: M = U D Uᵀ = m mᵀ with m the mass_factor, nu = mᵀ "
      "qd, xi = Uᵀ qd,\nnu' + coriolis_nu + gravity_nu = epsilon, "
      "D xi' + coriolis_xi + gravity_xi = kappa; pivot_rate is that of D.");
  const auto add = [&](const char* name) {
    quasi.def_property_readonly(name, [name](const QuasiResult& q) { return q.arrays.at(name); });
  };
  for (const auto& [name, member] : kQuasiVectors) add(name);
  for (const auto& [name, member] : kQuasiMatrices) add(name);
  show_all(quasi);
}

// ---- motion ------------------------------------------------------------------------------------------
struct Stepping {
  double dt;
  int substeps;
  BatchIntegrator integrator;

  Status step(Batch& batch, const BatchArray& tau, BatchArray& q, BatchArray& qd) const {
    Status worst = Status::kOk;
    for (int k = 0; k < substeps; ++k) {
      const Status status = batch.step(dt / substeps, tau, q, qd, integrator);
      if (status != Status::kOk) worst = status;
    }
    return worst;
  }
};

Stepping stepping(double dt, int substeps, const std::string& integrator) {
  if (!(dt > 0.0) || !std::isfinite(dt)) throw Failure("dt has to be a time above zero, in s");
  if (substeps < 1) throw Failure("substeps has to be at least 1");
  if (integrator != "semi_implicit" && integrator != "rk4") {
    throw Failure("there is no integrator '" + integrator + "'; choose semi_implicit or rk4");
  }
  return {
      dt, substeps,
      integrator == "rk4" ? BatchIntegrator::kRungeKutta4 : BatchIntegrator::kSemiImplicitEuler};
}

void copy(const BatchArray& from, Index row, BatchArray& to) {
  for (Index p = 0; p < to.packets(); ++p) {
    std::copy_n(from.packet(p) + row * BatchArray::kPacket, to.rows() * BatchArray::kPacket,
                to.packet(p));
  }
}

void paste(const BatchArray& from, BatchArray& to, Index row) {
  for (Index p = 0; p < from.packets(); ++p) {
    std::copy_n(from.packet(p), from.rows() * BatchArray::kPacket,
                to.packet(p) + row * BatchArray::kPacket);
  }
}

/// The next state of each.
Query step_query(const Stepping& how) {
  return {"step",
          {},
          [how](Batch& b, Inputs in, Outputs out) {
            copy(in[0], 0, out[0]);
            copy(in[1], 0, out[1]);
            return how.step(b, in[2], out[0], out[1]);
          },
          nullptr,
          true};
}

/// All states after the first.
Query rollout_query(const Stepping& how, Index n, Index steps) {
  return {"rollout",
          {},
          [how, n, steps](Batch& b, Inputs in, Outputs out) {
            const Index states = in[0].states();
            BatchArray q(n, states), qd(n, states), tau(n, states);
            copy(in[0], 0, q);
            copy(in[1], 0, qd);
            Status worst = Status::kOk;
            for (Index t = 0; t < steps; ++t) {
              copy(in[2], t * n, tau);
              worst = std::max(worst, how.step(b, tau, q, qd));
              paste(q, out[0], t * n);
              paste(qd, out[1], t * n);
            }
            return worst;
          },
          nullptr,
          true};
}

std::tuple<Array, Array> step(Pool& pool, const Floats& q, const Floats& qd, const Floats& tau,
                              double dt, int substeps, const std::string& integrator) {
  const Argument in[] = {{"q", q}, {"qd", qd}, {"tau", tau}};
  const Shape shapes[] = {vector_of(pool), vector_of(pool)};
  return pair_of(
      pool.answer(step_query(stepping(dt, substeps, integrator)), in, shapes, py::none()));
}

std::tuple<Array, Array> rollout(Pool& pool, const Floats& q, const Floats& qd, const Floats& tau,
                                 double dt, int substeps, const std::string& integrator) {
  const Index n = pool.dof();
  const Index steps =
      tau.dimensions < 2 ? 0 : tau.shape[static_cast<std::size_t>(tau.dimensions - 2)];
  const Argument in[] = {{"q", q}, {"qd", qd}, {"tau", tau, true}};
  const Shape of_all{{steps, n}, 2};
  const Shape shapes[] = {of_all, of_all};
  return pair_of(pool.answer(rollout_query(stepping(dt, substeps, integrator), n, steps), in,
                             shapes, py::none()));
}

// ---- settings ----------------------------------------------------------------------------------------
void set_armature(Pool& pool, const Floats& armature) {
  if (pool.chain().has_mimic()) {
    throw Failure("set_armature: the chain has mimic joints; give it to load_urdf()");
  }
  pool.set_armature(armature.vector(pool.dof(), "armature"));
}
void set_tip_wrench(Pool& pool, const Floats& wrench) {
  const VecXd w = wrench.vector(6, "wrench");
  pool.set_tip_wrench({w.head<3>(), w.tail<3>()});
}

std::map<std::string, std::string> algorithms_of(const Pool& pool) {
  const Algorithms& a = pool.algorithms();
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

std::string solver_text(const Pool& pool) {
  std::string text =
      "Solver of '" + pool.chain().name() + "', " + std::to_string(pool.dof()) + " coordinates";
  for (const auto& [quantity, name] : algorithms_of(pool)) text += ", " + quantity + " " + name;
  return text;
}

void bind_of_posture(Class& solver) {
  constexpr auto kMass = &Algorithms::mass_matrix;
  def(solver, {"mass_matrix", one(&Solver::mass_matrix), many(&Batch::mass_matrix), kMass},
      &square_of, {"q"}, "M(q), armature included: (n, n).");
  def(solver,
      {"mass_matrix_inverse", one(&Solver::mass_matrix_inverse), many(&Batch::mass_matrix_inverse),
       kMass},
      &square_of, {"q"}, "M(q)⁻¹: (n, n).");
  def(solver, {"gravity_torque", one(&Solver::gravity_torque)}, &vector_of, {"q"}, "g(q): (n,).");
  def(solver, {"potential_energy", one(&Solver::potential_energy)}, &number_of, {"q"},
      "J; zero where every centre of mass is at the base link's origin.");
  def(
      solver, kTipPose,
      +[](const Pool&) {
        return Shape{{4, 4}, 2};
      },
      {"q"}, "Pose of the tip link in the base link frame: (4, 4).");
  def(
      solver, kJacobian,
      +[](const Pool& p) {
        return Shape{{6, p.dof()}, 2};
      },
      {"q"},
      "Of the tip link's origin, in the base link frame, rows linear, then angular: (6, n).");
  def(
      solver, kPower,
      +[](const Pool& p) {
        return Shape{{p.dof(), p.dof(), p.dof()}, 3};
      },
      {"q"}, "P of torque_i = Σ P[i, j, k] qd_j qd_k: (n, n, n).");
  def(solver, kManipulability, &number_of, {"q"}, "Yoshikawa's measure of the jacobian.");
  static const Query kFactor = {"udut", one(&Solver::factor), many(&Batch::factor), kMass};
  solver.def(
      "udut",
      [](Pool& pool, const Floats& q) {
        const Argument in[] = {{"q", q}};
        const Shape shapes[] = {square_of(pool), vector_of(pool)};
        return pair_of(pool.answer(kFactor, in, shapes, py::none()));
      },
      "q"_a, "M = U D Uᵀ, U unit upper triangular: (U, D), of (n, n) and (n,).");
}

void bind_of_motion(Class& solver) {
  constexpr auto kInverse = &Algorithms::inverse_dynamics;
  def(solver,
      {"coriolis_matrix", one(&Solver::coriolis_matrix), many(&Batch::coriolis_matrix),
       &Algorithms::coriolis},
      &square_of, {"q", "qd"}, "C(q, qd), C qd the Coriolis torque: (n, n).");
  def(solver, {"coriolis_torque", one(&Solver::coriolis_torque)}, &vector_of, {"q", "qd"},
      "C(q, qd) qd, without gravity: (n,).");
  def(solver, {"bias_torque", one(&Solver::bias_torque), many(&Batch::bias_torque), kInverse},
      &vector_of, {"q", "qd"}, "C(q, qd) qd + g(q): (n,).");
  def(solver, {"kinetic_energy", one(&Solver::kinetic_energy)}, &number_of, {"q", "qd"},
      "½ qdᵀ M qd, J.");
  def(solver, kFriction, &vector_of, {"qd"}, "Damping and Coulomb friction of the joints: (n,).");
  def(solver,
      {"inverse_dynamics", one(&Solver::inverse_dynamics), many(&Batch::inverse_dynamics), kInverse,
       true},
      &vector_of, {"q", "qd", "qdd"}, "The torque that makes qdd: (n,).");
  def(solver,
      {"forward_dynamics", one(&Solver::forward_dynamics), many(&Batch::forward_dynamics),
       &Algorithms::forward_dynamics, true},
      &vector_of, {"q", "qd", "tau"}, "The acceleration that tau makes: (n,).");
  solver
      .def("quasi", &quasi, "q"_a, "qd"_a, "tau"_a, "The diagonalized dynamics of one state or K.")
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

}  // namespace

void bind_solver(py::module_& module) {
  bind_quasi(module);
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
      py::init([](const SharedChain& chain, std::string mass_matrix, std::string inverse_dynamics,
                  std::string forward_dynamics, std::string coriolis, int threads) {
        return std::make_unique<Pool>(
            chain,
            Algorithms{std::move(mass_matrix), std::move(inverse_dynamics),
                       std::move(forward_dynamics), std::move(coriolis)},
            threads);
      }),
      "chain"_a, "mass_matrix"_a = "", "inverse_dynamics"_a = "", "forward_dynamics"_a = "",
      "coriolis"_a = "", "threads"_a = 0, "`threads` for K states at most; 0: one for each core.");
  bind_of_posture(solver);
  bind_of_motion(solver);
  solver
      .def("set_payload", &Pool::set_payload, "payload"_a,
           "Carried at the tip link, in its frame: mass, centre of mass and, if known, ixx, iyy, "
           "izz, "
           "ixy, ixz, iyz\nof (4,) or (10,); of (K, 4) or (K, 10) for each of K states; or None.")
      .def(
          "set_gravity",
          [](Pool& p, const Floats& g) { p.set_gravity(Vec3d(g.vector(3, "gravity"))); },
          "gravity"_a, "In the base link frame, m/s²: (3,).")
      .def("set_armature", &set_armature, "armature"_a, "Drive inertia of each joint: (n,).")
      .def("set_tip_wrench", &set_tip_wrench, "wrench"_a,
           "Force and torque on the tip, in the base link frame, in inverse_dynamics and "
           "forward_dynamics: (6,).")
      .def("set_friction", &Pool::set_friction, "enabled"_a,
           "Whether the joints' friction acts in inverse_dynamics and forward_dynamics.")
      .def_property_readonly("chain", [](const Pool& p) { return shared(p.chain_ptr()); })
      .def_property_readonly("dof", &Pool::dof)
      .def_property_readonly("threads", &Pool::threads)
      .def_property_readonly("algorithms", &algorithms_of, "The name in use for each quantity.")
      .def("__repr__", &solver_text);
}

}  // namespace dyn::python
