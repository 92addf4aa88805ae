// Every quantity of a Solver by name, of one state or of K.
#include <cmath>
#include <type_traits>

#include "bindings.hpp"
#include "fields.hpp"
#include "queries.hpp"

namespace dyn::python {
namespace {

using Class = py::class_<Queries>;

// ---- the library's queries, on rows of numbers -------------------------------------------------------
/// The next argument or result, as the function wants it.
template <class Wanted>
auto next(const Worker& w, In& in, Results& out) {
  if constexpr (std::is_same_v<Wanted, VecIn<double>>) {
    return w.vector(*in++);
  } else if constexpr (std::is_same_v<Wanted, VecOut<double>>) {
    return w.vector(*out++);
  } else if constexpr (std::is_same_v<Wanted, MatOut<double>>) {
    return w.square(*out++);
  } else {
    return std::ref(**out++);
  }
}
/// numpy's matrices go row by row.
template <class Value>
void by_rows(Value& value) {
  if constexpr (std::is_same_v<Value, Eigen::Map<MatXd>>) value.transposeInPlace();
}
template <auto query, class... Wanted>
Status ask(Worker& w, In in, Results out, Status (Solver::*)(const Posture&, Wanted...) noexcept) {
  const auto q = w.vector(*in++);
  std::tuple<decltype(next<Wanted>(w, in, out))...> values{next<Wanted>(w, in, out)...};
  return std::apply(
      [&](auto&... value) {
        const Status status = (w.solver.*query)(q, value...);
        (by_rows(value), ...);
        return status;
      },
      values);
}
template <auto query>
Status one(Worker& w, In in, Results out) {
  return ask<query>(w, in, out, query);
}

std::vector<MatXd>& squares(Worker& w) {
  w.squares.resize(static_cast<std::size_t>(w.dof()), MatXd(w.dof(), w.dof()));
  return w.squares;
}

Status inertia_power(Worker& w, In in, Results out) {
  const Status status = w.solver.inertia_power(w.vector(in[0]), squares(w));
  double* row = out[0];
  for (const MatXd& P : w.squares) {
    for (Index j = 0; j < w.dof(); ++j, row += w.dof()) w.vector(row) = P.row(j);
  }
  return status;
}

Status mass_matrix_derivatives(Worker& w, In in, Results out) {
  const Status status = w.solver.mass_matrix_derivatives(w.vector(in[0]), squares(w));
  double* to = out[0];
  for (const MatXd& dM : w.squares) {
    w.square(to) = dM;  // symmetric
    to += dM.size();
  }
  return status;
}

Status tip_pose(Worker& w, In in, Results out) {
  const Status status = w.kinematics.update(w.vector(in[0]));
  const Posed tip = w.kinematics.tip_pose();
  Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(out[0]) << tip.R, tip.p, 0.0, 0.0, 0.0,
      1.0;
  return status;
}

Status find_jacobian(Worker& w, In in) {
  const Status status = w.kinematics.update(w.vector(in[0]));
  return status == Status::kOk ? w.kinematics.jacobian(w.jacobian) : status;
}
Status jacobian(Worker& w, In in, Results out) {
  const Status status = find_jacobian(w, in);
  for (Index r = 0; r < 6; ++r) w.vector(out[0] + r * w.dof()) = w.jacobian.row(r);
  return status;
}
Status manipulability_of(Worker& w, In in, Results out) {
  const Status status = find_jacobian(w, in);
  *out[0] = manipulability(w.solver.chain(), w.jacobian);
  return status;
}

Status friction_torque(Worker& w, In in, Results out) {
  return w.solver.friction_torque(w.vector(in[0]), w.vector(out[0]));
}

// ---- quasi-velocities --------------------------------------------------------------------------------
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

Status quasi(Worker& w, In in, Results out) {
  if (!w.quasi) w.quasi.emplace(w.dof());
  const Status status = w.solver.quasi(w.vector(in[0]), w.vector(in[1]), w.vector(in[2]), *w.quasi);
  for (const auto& [name, member] : kQuasiVectors) w.vector(*out++) = (*w.quasi).*member;
  for (const auto& [name, member] : kQuasiMatrices) {
    w.square(*out++) = ((*w.quasi).*member).transpose();
  }
  return status;
}

struct QuasiResult {
  py::tuple arrays;
};

std::vector<const char*> quasi_shapes() {
  std::vector<const char*> shapes(std::size(kQuasiVectors), "n");
  shapes.resize(shapes.size() + std::size(kQuasiMatrices), "nn");
  return shapes;
}

void bind_quasi(py::module_& module) {
  py::class_<QuasiResult> quasi(
      module, "Quasi",
      "Diagonalized dynamics: M = U D Uᵀ = m mᵀ with m the mass_factor, nu = mᵀ "
      "qd, xi = Uᵀ qd,\nnu' + coriolis_nu + gravity_nu = epsilon, "
      "D xi' + coriolis_xi + gravity_xi = kappa; pivot_rate is that of D.");
  auto add = [&, i = std::size_t{0}](const char* name) mutable {
    quasi.def_property_readonly(name,
                                [at = i++](const QuasiResult& q) { return Array(q.arrays[at]); });
  };
  for (const auto& [name, member] : kQuasiVectors) add(name);
  for (const auto& [name, member] : kQuasiMatrices) add(name);
  show_all(quasi);
}

// ---- as methods ----------------------------------------------------------------------------------------
template <std::size_t>
using EachFloats = const Floats&;
template <std::size_t>
using EachArray = Array;

template <std::size_t... A, std::size_t... R>
void def_indexed(Class& solver, const Query& query, const char* doc,
                 std::index_sequence<A...> /*arguments*/, std::index_sequence<R...> /*results*/) {
  if constexpr (sizeof...(R) == 1) {
    solver.def(
        query.name,
        [query](Queries& queries, EachFloats<A>... values, const Out& out) {
          const Floats* const in[] = {&values...};
          return Array(queries.answer(query, in, out.array));
        },
        py::arg(query.arguments[A])..., "out"_a = py::none(), doc);
  } else {
    solver.def(
        query.name,
        [query](Queries& queries, EachFloats<A>... values) {
          const Floats* const in[] = {&values...};
          const py::tuple results = queries.answer(query, in);
          return std::tuple<EachArray<R>...>(Array(results[R])...);
        },
        py::arg(query.arguments[A])..., doc);
  }
}
/// A query of so many arguments and results.
template <std::size_t arguments, std::size_t results = 1>
void def(Class& solver, const Query& query, const char* doc) {
  def_indexed(solver, query, doc, std::make_index_sequence<arguments>(),
              std::make_index_sequence<results>());
}

void bind_of_posture(Class& solver) {
  using S = Solver;
  using B = BatchQuery;
  constexpr auto kMass = &Algorithms::mass_matrix;
  const auto add = [&](const Query& query, const char* doc) { def<1>(solver, query, doc); };
  add({"mass_matrix", {"q"}, {"nn"}, one<&S::mass_matrix>, B::kMassMatrix, kMass},
      "M(q), armature included: (n, n).");
  add({"mass_matrix_inverse",
       {"q"},
       {"nn"},
       one<&S::mass_matrix_inverse>,
       B::kMassMatrixInverse,
       kMass},
      "M(q)⁻¹: (n, n).");
  add({.name = "gravity_torque",
       .arguments = {"q"},
       .shapes = {"n"},
       .one = one<&S::gravity_torque>,
       .many = B::kBiasTorque,
       .algorithm = &Algorithms::inverse_dynamics,
       .at_rest = true},
      "g(q): (n,).");
  add({"potential_energy", {"q"}, {""}, one<&S::potential_energy>},
      "J; zero where every centre of mass is at the base link's origin.");
  add({"tip_pose", {"q"}, {"44"}, tip_pose},
      "Pose of the tip link in the base link frame: (4, 4).");
  add({"jacobian", {"q"}, {"6n"}, jacobian},
      "Of the tip link's origin, in the base link frame, rows linear, then angular: (6, n).");
  add({"inertia_power", {"q"}, {"nnn"}, inertia_power},
      "P of torque_i = Σ P[i, j, k] qd_j qd_k: (n, n, n).");
  add({"manipulability", {"q"}, {""}, manipulability_of}, "Yoshikawa's measure of the jacobian.");
  add({"friction_torque", {"qd"}, {"n"}, friction_torque},
      "Damping and Coulomb friction of the joints: (n,).");
  def<1, 2>(solver, {"udut", {"q"}, {"nn", "n"}, one<&S::factor>, B::kFactor, kMass},
            "M = U D Uᵀ, U unit upper triangular: (U, D), of (n, n) and (n,).");
}

void bind_of_motion(Class& solver) {
  using S = Solver;
  using B = BatchQuery;
  constexpr auto kInverse = &Algorithms::inverse_dynamics;
  def<2>(solver,
         {"coriolis_matrix",
          {"q", "qd"},
          {"nn"},
          one<&S::coriolis_matrix>,
          B::kCoriolisMatrix,
          &Algorithms::coriolis},
         "C(q, qd), C qd the Coriolis torque: (n, n).");
  def<2>(solver, {"coriolis_torque", {"q", "qd"}, {"n"}, one<&S::coriolis_torque>},
         "C(q, qd) qd, without gravity: (n,).");
  def<2>(solver,
         {"bias_torque", {"q", "qd"}, {"n"}, one<&S::bias_torque>, B::kBiasTorque, kInverse},
         "C(q, qd) qd + g(q): (n,).");
  def<2>(solver, {"kinetic_energy", {"q", "qd"}, {""}, one<&S::kinetic_energy>}, "½ qdᵀ M qd, J.");
  def<3>(solver,
         {"inverse_dynamics",
          {"q", "qd", "qdd"},
          {"n"},
          one<&S::inverse_dynamics>,
          B::kInverseDynamics,
          kInverse,
          true},
         "The torque that makes qdd: (n,).");
  def<3>(solver,
         {"forward_dynamics",
          {"q", "qd", "tau"},
          {"n"},
          one<&S::forward_dynamics>,
          B::kForwardDynamics,
          &Algorithms::forward_dynamics,
          true},
         "The acceleration that tau makes: (n,).");
  const Query all_quasi = {"quasi", {"q", "qd", "tau"}, quasi_shapes(), quasi};
  solver.def(
      "quasi",
      [all_quasi](Queries& s, const Floats& q, const Floats& qd, const Floats& tau) {
        const Floats* const in[] = {&q, &qd, &tau};
        return QuasiResult{s.answer(all_quasi, in)};
      },
      "q"_a, "qd"_a, "tau"_a, "The diagonalized dynamics of one state or K.");
}

// ---- derivatives -------------------------------------------------------------------------------------
template <class Matrix>
void write(const Matrix& m, double* at) {
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(at, m.rows(),
                                                                                     m.cols()) = m;
}

std::tuple<Array, Array> linearize(Queries& solver, const Floats& q, const Floats& qd,
                                   const Floats& tau, const std::optional<double>& dt) {
  if (dt && !(*dt > 0.0 && std::isfinite(*dt)))
    throw Failure("dt has to be a time above zero, in s");
  const Query query = {
      "linearize", {"q", "qd", "tau"}, {"mm", "mn"}, [dt](Worker& w, In in, Results out) {
        if (!w.linearization) w.linearization.emplace(w.dof());
        Linearization& found = *w.linearization;
        const Status status =
            w.solver.linearize(w.vector(in[0]), w.vector(in[1]), w.vector(in[2]), found);
        if (dt && status == Status::kOk) found.discretize(*dt);
        write(found.A, out[0]);
        write(found.B, out[1]);
        return status;
      }};
  const Floats* const in[] = {&q, &qd, &tau};
  const py::tuple results = solver.answer(query, in);
  return {Array(results[0]), Array(results[1])};
}

void bind_derivatives(Class& solver) {
  using S = Solver;
  using B = BatchQuery;
  def<3, 3>(solver,
            {"inverse_dynamics_derivatives",
             {"q", "qd", "qdd"},
             {"nn", "nn", "nn"},
             one<&S::inverse_dynamics_derivatives>,
             B::kInverseDynamicsDerivatives,
             &Algorithms::inverse_dynamics,
             true},
            "Of inverse_dynamics by q, qd and qdd; row i is that of element i: three of (n, n).");
  def<3, 3>(solver,
            {"forward_dynamics_derivatives",
             {"q", "qd", "tau"},
             {"nn", "nn", "nn"},
             one<&S::forward_dynamics_derivatives>,
             B::kForwardDynamicsDerivatives,
             &Algorithms::forward_dynamics,
             true},
            "Of forward_dynamics by q, qd and tau; row i is that of element i: three of (n, n).");
  def<1>(solver, {"gravity_torque_derivatives", {"q"}, {"nn"}, one<&S::gravity_torque_derivatives>},
         "Of gravity_torque by q: (n, n).");
  def<2, 2>(solver,
            {"coriolis_torque_derivatives",
             {"q", "qd"},
             {"nn", "nn"},
             one<&S::coriolis_torque_derivatives>},
            "Of coriolis_torque by q and qd: two of (n, n).");
  def<1>(solver, {"mass_matrix_derivatives", {"q"}, {"nnn"}, mass_matrix_derivatives},
         "Of M by q: (n, n, n), [k, i, j] that of M[i, j] by q[k].");
  solver.def("linearize", &linearize, "q"_a, "qd"_a, "tau"_a, "dt"_a = py::none(),
             "Near a state x = (q, qd): (A, B) of x' = A x + B tau, of (2n, 2n) and (2n, n); with "
             "`dt`, of\nx[k+1] = A x[k] + B tau[k].");
}

}  // namespace

void bind_queries(py::module_& module, py::class_<Queries>& solver) {
  bind_quasi(module);
  bind_of_posture(solver);
  bind_of_motion(solver);
  bind_derivatives(solver);
}

}  // namespace dyn::python
