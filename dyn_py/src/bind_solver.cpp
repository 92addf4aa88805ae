// Solver: every quantity by name, of one state or of K.
#include <algorithm>
#include <cmath>
#include <map>

#include "bindings.hpp"
#include "dyn_core/registry.hpp"
#include "pool.hpp"

namespace dyn::python {
namespace {

using In = const double* const*;
using Results = double* const*;
using Inputs = std::span<const BatchArray>;
using Outputs = std::span<BatchArray>;

Eigen::Map<const VecXd> vector(const Worker& w, const double* at) { return {at, w.solver.dof()}; }
Eigen::Map<VecXd> vector(const Worker& w, double* at) { return {at, w.solver.dof()}; }
Eigen::Map<MatXd> square(const Worker& w, double* at) {
  return {at, w.solver.dof(), w.solver.dof()};
}
/// numpy's matrices go row by row.
Status by_rows(Status status, Eigen::Map<MatXd> m) {
  m.transposeInPlace();
  return status;
}

Shape vector_of(const Pool& pool) { return {{pool.dof()}, 1}; }
Shape square_of(const Pool& pool) { return {{pool.dof(), pool.dof()}, 2}; }

/// `query` of these arguments, with one result.
template <class... Arguments>
Array ask(Pool& pool, const Query& query, const Shape& shape, const Out& out,
          const Arguments&... arguments) {
  const Argument in[] = {arguments...};
  return Array(pool.answer(query, in, {&shape, 1}, out.array));
}
std::tuple<Array, Array> pair_of(const py::tuple& results) {
  return {Array(results[0]), Array(results[1])};
}

// ---- queries of q ------------------------------------------------------------------------------------
const Query kMassMatrix = {
    "mass_matrix",
    [](Worker& w, In in, Results out) {
      return by_rows(w.solver.mass_matrix(vector(w, in[0]), square(w, out[0])), square(w, out[0]));
    },
    [](Batch& b, Inputs in, Outputs out) { return b.mass_matrix(in[0], out[0]); },
    &Algorithms::mass_matrix};

const Query kMassMatrixInverse = {
    "mass_matrix_inverse",
    [](Worker& w, In in, Results out) {
      return by_rows(w.solver.mass_matrix_inverse(vector(w, in[0]), square(w, out[0])),
                     square(w, out[0]));
    },
    [](Batch& b, Inputs in, Outputs out) { return b.mass_matrix_inverse(in[0], out[0]); },
    &Algorithms::mass_matrix};

const Query kFactor = {
    "udut",
    [](Worker& w, In in, Results out) {
      return by_rows(w.solver.factor(vector(w, in[0]), square(w, out[0]), vector(w, out[1])),
                     square(w, out[0]));
    },
    [](Batch& b, Inputs in, Outputs out) { return b.factor(in[0], out[0], out[1]); },
    &Algorithms::mass_matrix};

const Query kGravity = {"gravity_torque", [](Worker& w, In in, Results out) {
                          return w.solver.gravity_torque(vector(w, in[0]), vector(w, out[0]));
                        }};

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

const Query kPotential = {"potential_energy", [](Worker& w, In in, Results out) {
                            return w.solver.potential_energy(vector(w, in[0]), *out[0]);
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

// ---- queries of q, q̇ and more ----------------------------------------------------------------------
const Query kCoriolis = {
    "coriolis_matrix",
    [](Worker& w, In in, Results out) {
      return by_rows(
          w.solver.coriolis_matrix(vector(w, in[0]), vector(w, in[1]), square(w, out[0])),
          square(w, out[0]));
    },
    [](Batch& b, Inputs in, Outputs out) { return b.coriolis_matrix(in[0], in[1], out[0]); },
    &Algorithms::coriolis};

const Query kCoriolisTorque = {"coriolis_torque", [](Worker& w, In in, Results out) {
                                 return w.solver.coriolis_torque(vector(w, in[0]), vector(w, in[1]),
                                                                 vector(w, out[0]));
                               }};

const Query kBias = {
    "bias_torque",
    [](Worker& w, In in, Results out) {
      return w.solver.bias_torque(vector(w, in[0]), vector(w, in[1]), vector(w, out[0]));
    },
    [](Batch& b, Inputs in, Outputs out) { return b.bias_torque(in[0], in[1], out[0]); },
    &Algorithms::inverse_dynamics};

const Query kFriction = {"friction_torque", [](Worker& w, In in, Results out) {
                           return w.solver.friction_torque(vector(w, in[0]), vector(w, out[0]));
                         }};

const Query kKinetic = {"kinetic_energy", [](Worker& w, In in, Results out) {
                          return w.solver.kinetic_energy(vector(w, in[0]), vector(w, in[1]),
                                                         *out[0]);
                        }};

const Query kInverse = {"inverse_dynamics",
                        [](Worker& w, In in, Results out) {
                          return w.solver.inverse_dynamics(vector(w, in[0]), vector(w, in[1]),
                                                           vector(w, in[2]), vector(w, out[0]));
                        },
                        [](Batch& b, Inputs in, Outputs out) {
                          return b.inverse_dynamics(in[0], in[1], in[2], out[0]);
                        },
                        &Algorithms::inverse_dynamics, true};

const Query kForward = {"forward_dynamics",
                        [](Worker& w, In in, Results out) {
                          return w.solver.forward_dynamics(vector(w, in[0]), vector(w, in[1]),
                                                           vector(w, in[2]), vector(w, out[0]));
                        },
                        [](Batch& b, Inputs in, Outputs out) {
                          return b.forward_dynamics(in[0], in[1], in[2], out[0]);
                        },
                        &Algorithms::forward_dynamics, true};

// ---- quasi-velocities --------------------------------------------------------------------------------
/// The results of quasi(), arrays of (n,) or (K, n), matrices of (n, n) or (K, n, n).
struct QuasiArrays {
  Array nu, xi, coriolis_nu, coriolis_xi, gravity_nu, gravity_xi, epsilon, kappa, D, pivot_rate,
      nu_rate, xi_rate, U, mass_factor, mass_factor_rate;
};
using QuasiVector = std::pair<VecXd Quasi::*, Array QuasiArrays::*>;
using QuasiMatrix = std::pair<MatXd Quasi::*, Array QuasiArrays::*>;
constexpr QuasiVector kQuasiVectors[] = {{&Quasi::nu, &QuasiArrays::nu},
                                         {&Quasi::xi, &QuasiArrays::xi},
                                         {&Quasi::coriolis_nu, &QuasiArrays::coriolis_nu},
                                         {&Quasi::coriolis_xi, &QuasiArrays::coriolis_xi},
                                         {&Quasi::gravity_nu, &QuasiArrays::gravity_nu},
                                         {&Quasi::gravity_xi, &QuasiArrays::gravity_xi},
                                         {&Quasi::epsilon, &QuasiArrays::epsilon},
                                         {&Quasi::kappa, &QuasiArrays::kappa},
                                         {&Quasi::D, &QuasiArrays::D},
                                         {&Quasi::pivot_rate, &QuasiArrays::pivot_rate},
                                         {&Quasi::nu_rate, &QuasiArrays::nu_rate},
                                         {&Quasi::xi_rate, &QuasiArrays::xi_rate}};
constexpr QuasiMatrix kQuasiMatrices[] = {
    {&Quasi::U, &QuasiArrays::U},
    {&Quasi::mass_factor, &QuasiArrays::mass_factor},
    {&Quasi::mass_factor_rate, &QuasiArrays::mass_factor_rate}};

// All of them one after the other.
const Query kQuasi = {"quasi", [](Worker& w, In in, Results out) {
                        if (!w.quasi) w.quasi.emplace(w.solver.dof());
                        const Status status = w.solver.quasi(vector(w, in[0]), vector(w, in[1]),
                                                             vector(w, in[2]), *w.quasi);
                        const Index n = w.solver.dof();
                        double* to = out[0];
                        for (const QuasiVector& v : kQuasiVectors) {
                          vector(w, to) = *w.quasi.*v.first;
                          to += n;
                        }
                        for (const QuasiMatrix& m : kQuasiMatrices) {
                          square(w, to) = (*w.quasi.*m.first).transpose();
                          to += n * n;
                        }
                        return status;
                      }};

QuasiArrays quasi(Pool& pool, const Floats& q, const Floats& qd, const Floats& tau) {
  const Index n = pool.dof();
  const Shape shape{{static_cast<Index>(std::size(kQuasiVectors)) * n +
                     static_cast<Index>(std::size(kQuasiMatrices)) * n * n},
                    1};
  const Array all = ask(pool, kQuasi, shape, {py::none()}, Argument{"q", q}, Argument{"qd", qd},
                        Argument{"tau", tau});
  QuasiArrays out;
  Index begin = 0;
  const auto part = [&](Index size) {
    return all[py::make_tuple(py::ellipsis(), py::slice(begin, begin + size, 1))];
  };
  for (const QuasiVector& v : kQuasiVectors) {
    out.*v.second = Array(part(n));
    begin += n;
  }
  for (const QuasiMatrix& m : kQuasiMatrices) {
    const py::object flat = part(n * n);
    const py::tuple lengths = flat.attr("shape");
    out.*m.second = Array(lengths.size() == 1 ? flat.attr("reshape")(n, n)
                                              : flat.attr("reshape")(lengths[0], n, n));
    begin += n * n;
  }
  return out;
}

void bind_quasi(py::module_& module) {
  py::class_<QuasiArrays>(
      module, "Quasi",
      "Diagonalized dynamics: M = U D Uᵀ = m mᵀ with m the mass_factor, nu = mᵀ "
      "qd, xi = Uᵀ qd,\nnu' + coriolis_nu + gravity_nu = epsilon, "
      "D xi' + coriolis_xi + gravity_xi = kappa.")
      .def_readonly("nu", &QuasiArrays::nu)
      .def_readonly("xi", &QuasiArrays::xi)
      .def_readonly("coriolis_nu", &QuasiArrays::coriolis_nu)
      .def_readonly("coriolis_xi", &QuasiArrays::coriolis_xi)
      .def_readonly("gravity_nu", &QuasiArrays::gravity_nu)
      .def_readonly("gravity_xi", &QuasiArrays::gravity_xi)
      .def_readonly("epsilon", &QuasiArrays::epsilon)
      .def_readonly("kappa", &QuasiArrays::kappa)
      .def_readonly("U", &QuasiArrays::U)
      .def_readonly("D", &QuasiArrays::D)
      .def_readonly("mass_factor", &QuasiArrays::mass_factor)
      .def_readonly("mass_factor_rate", &QuasiArrays::mass_factor_rate)
      .def_readonly("pivot_rate", &QuasiArrays::pivot_rate, "Rate of D.")
      .def_readonly("nu_rate", &QuasiArrays::nu_rate)
      .def_readonly("xi_rate", &QuasiArrays::xi_rate)
      .def("__repr__", &attributes_text);
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

using Class = py::class_<Pool>;

// Names of arguments, and of results by their shapes, are the same in all queries.
void bind_of_posture(Class& solver) {
  const auto add = [&](const char* name, const Query& query, Shape (*shape)(const Pool&),
                       const char* doc) {
    solver.def(
        name,
        [&query, shape](Pool& pool, const Floats& q, const Out& out) {
          return ask(pool, query, shape(pool), out, Argument{"q", q});
        },
        "q"_a, "out"_a = py::none(), doc);
  };
  constexpr auto kScalar = +[](const Pool&) { return Shape{{}, 0}; };
  add("mass_matrix", kMassMatrix, &square_of, "M(q), armature included: (n, n).");
  add("mass_matrix_inverse", kMassMatrixInverse, &square_of, "M(q)⁻¹: (n, n).");
  add("gravity_torque", kGravity, &vector_of, "g(q): (n,).");
  add(
      "tip_pose", kTipPose,
      +[](const Pool&) {
        return Shape{{4, 4}, 2};
      },
      "Pose of the tip link in the base link frame: (4, 4).");
  add(
      "jacobian", kJacobian,
      +[](const Pool& p) {
        return Shape{{6, p.dof()}, 2};
      },
      "Of the tip link's origin, in the base link frame, rows linear, then angular: (6, n).");
  add(
      "inertia_power", kPower,
      +[](const Pool& p) {
        return Shape{{p.dof(), p.dof(), p.dof()}, 3};
      },
      "P of torque_i = Σ P[i, j, k] qd_j qd_k: (n, n, n).");
  add("potential_energy", kPotential, kScalar,
      "J; zero where every centre of mass is at the base link's origin.");
  add("manipulability", kManipulability, kScalar, "Yoshikawa's measure of the jacobian.");
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
  const auto add = [&](const char* name, const Query& query, Shape (*shape)(const Pool&),
                       const char* doc) {
    solver.def(
        name,
        [&query, shape](Pool& pool, const Floats& q, const Floats& qd, const Out& out) {
          return ask(pool, query, shape(pool), out, Argument{"q", q}, Argument{"qd", qd});
        },
        "q"_a, "qd"_a, "out"_a = py::none(), doc);
  };
  add("coriolis_matrix", kCoriolis, &square_of, "C(q, qd), C qd the Coriolis torque: (n, n).");
  add("coriolis_torque", kCoriolisTorque, &vector_of, "C(q, qd) qd, without gravity: (n,).");
  add("bias_torque", kBias, &vector_of, "C(q, qd) qd + g(q): (n,).");
  add(
      "kinetic_energy", kKinetic,
      +[](const Pool&) {
        return Shape{{}, 0};
      },
      "½ qdᵀ M qd, J.");
  solver
      .def(
          "friction_torque",
          [](Pool& pool, const Floats& qd, const Out& out) {
            return ask(pool, kFriction, vector_of(pool), out, Argument{"qd", qd});
          },
          "qd"_a, "out"_a = py::none(), "Damping and Coulomb friction of the joints: (n,).")
      .def(
          "inverse_dynamics",
          [](Pool& pool, const Floats& q, const Floats& qd, const Floats& qdd, const Out& out) {
            return ask(pool, kInverse, vector_of(pool), out, Argument{"q", q}, Argument{"qd", qd},
                       Argument{"qdd", qdd});
          },
          "q"_a, "qd"_a, "qdd"_a, "out"_a = py::none(), "The torque that makes qdd: (n,).")
      .def(
          "forward_dynamics",
          [](Pool& pool, const Floats& q, const Floats& qd, const Floats& tau, const Out& out) {
            return ask(pool, kForward, vector_of(pool), out, Argument{"q", q}, Argument{"qd", qd},
                       Argument{"tau", tau});
          },
          "q"_a, "qd"_a, "tau"_a, "out"_a = py::none(), "The acceleration that tau makes: (n,).")
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
  py::class_<ListedAlgorithm>(module, "Algorithm")
      .def_readonly("quantity", &ListedAlgorithm::quantity)
      .def_readonly("name", &ListedAlgorithm::name)
      .def_readonly("paper", &ListedAlgorithm::paper)
      .def_readonly("cost", &ListedAlgorithm::cost)
      .def("__repr__", &attributes_text);
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
