// Queries of a Pool made from member functions of Solver and Batch, and bound by the names of their arguments.
#pragma once

#include <array>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "bindings.hpp"
#include "pool.hpp"

namespace dyn::python {

using In = const double* const*;
using Results = double* const*;
using Inputs = std::span<const BatchArray>;
using Outputs = std::span<BatchArray>;

inline Eigen::Map<const VecXd> vector(const Worker& w, const double* at) {
  return {at, w.solver.dof()};
}
inline Eigen::Map<VecXd> vector(const Worker& w, double* at) { return {at, w.solver.dof()}; }
inline Eigen::Map<MatXd> square(const Worker& w, double* at) {
  return {at, w.solver.dof(), w.solver.dof()};
}

// ---- member functions of Solver and Batch, on rows of numbers ------------------------------------------
/// The next argument or result, as the function wants it.
template <class Wanted>
auto next(const Worker& w, In& in, Results& out) {
  if constexpr (std::is_same_v<Wanted, VecIn<double>>) {
    return vector(w, *in++);
  } else if constexpr (std::is_same_v<Wanted, VecOut<double>>) {
    return vector(w, *out++);
  } else if constexpr (std::is_same_v<Wanted, MatOut<double>>) {
    return square(w, *out++);
  } else {
    return std::ref(**out++);
  }
}
/// numpy's matrices go row by row.
template <class Value>
void by_rows(Value& value) {
  if constexpr (std::is_same_v<Value, Eigen::Map<MatXd>>) value.transposeInPlace();
}
template <class... Wanted>
One one(Status (Solver::*query)(const Posture&, Wanted...) noexcept) {
  return [query](Worker& w, In in, Results out) {
    const auto q = vector(w, *in++);
    std::tuple<decltype(next<Wanted>(w, in, out))...> values{next<Wanted>(w, in, out)...};
    return std::apply(
        [&](auto&... value) {
          const Status status = (w.solver.*query)(q, value...);
          (by_rows(value), ...);
          return status;
        },
        values);
  };
}
template <class Wanted>
Wanted& next(Inputs& in, Outputs& out) {
  if constexpr (std::is_const_v<Wanted>) {
    const BatchArray& first = in.front();
    in = in.subspan(1);
    return first;
  } else {
    BatchArray& first = out.front();
    out = out.subspan(1);
    return first;
  }
}
template <class... Wanted>
Many many(Status (Batch::*query)(Wanted&...) noexcept) {
  return [query](Batch& batch, Inputs in, Outputs out) {
    const std::tuple<Wanted&...> values{next<Wanted>(in, out)...};
    return std::apply([&](auto&... value) { return (batch.*query)(value...); }, values);
  };
}

// ---- as methods ------------------------------------------------------------------------------------------
using Class = py::class_<Pool>;

template <std::size_t>
using EachFloats = const Floats&;

/// A query of arguments with these names, with one result.
template <std::size_t N, std::size_t... I>
void def_indexed(Class& solver, const Query& query, Shape (*shape)(const Pool&),
                 const char* const (&names)[N], const char* doc,
                 std::index_sequence<I...> /*all*/) {
  solver.def(
      query.name,
      [query, shape, names = std::to_array(names)](Pool& pool, EachFloats<I>... values,
                                                   const Out& out) {
        const Argument in[] = {{names[I], values}...};
        const Shape result = shape(pool);
        return Array(pool.answer(query, in, {&result, 1}, out.array));
      },
      py::arg(names[I])..., "out"_a = py::none(), doc);
}
template <std::size_t N>
void def(Class& solver, const Query& query, Shape (*shape)(const Pool&),
         const char* const (&names)[N], const char* doc) {
  def_indexed(solver, query, shape, names, doc, std::make_index_sequence<N>());
}

}  // namespace dyn::python
