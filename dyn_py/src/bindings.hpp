// What the parts of the module share; one file for each part.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include <pybind11/eigen.h>
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "dyn_core/motion/trajectory.hpp"
#include "dyn_core/robot/chain.hpp"

namespace dyn::python {

/// A result, named in signatures as what it is.
class Array : public py::object {
 public:
  Array() = default;
  explicit Array(py::object array) : py::object(std::move(array)) {}
};
/// `out=` of a query.
struct Out {
  py::object array;
};

// pybind11 shares what is not const; a Chain has nothing that changes it.
using SharedChain = std::shared_ptr<Chain>;
[[nodiscard]] inline SharedChain shared(const ChainPtr& chain) {
  return std::const_pointer_cast<Chain>(chain);
}

using SharedTrajectory = std::shared_ptr<Trajectory>;

/// A list for repr: "a, b and c".
[[nodiscard]] std::string listed(const std::vector<std::string>& names);
/// Shows the attributes of an object, one on each line.
[[nodiscard]] std::string attributes_text(const py::object& object);
/// Sets attributes by name.
void set_attributes(const py::object& object, const py::kwargs& values);

/// An enumerator by its name.
template <class Value>
struct Named {
  const char* name;
  Value value;
};

/// The value of the entry of that name, or a Failure that lists the names.
template <class Entries>
[[nodiscard]] auto chosen(const char* what, const Entries& entries, const std::string& name) {
  std::string names;
  for (const auto& entry : entries) {
    if (entry.name == name) return entry.value;
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw Failure(std::string(what) + ": there is no '" + name + "'; choose one of " + names);
}

/// Lets Ctrl-C end a long computation: true where it goes on. For its callbacks, without the lock.
[[nodiscard]] bool no_interrupt();
/// Throws what Python has to say after a computation that was ended so.
void raise_interrupt();

/// True once in `every` calls.
class Seldom {
 public:
  explicit Seldom(int every) : every_(every) {}
  bool operator()() { return ++count_ % every_ == 0; }

 private:
  int every_, count_ = 0;
};

void bind_chain(py::module_& module);
void bind_solver(py::module_& module);
void bind_parameters(py::module_& module);
void bind_control(py::module_& module);
void bind_motion(py::module_& module);
void bind_identify(py::module_& module);
void bind_study(py::module_& module);

}  // namespace dyn::python

namespace pybind11::detail {

template <>
struct handle_type_name<dyn::python::Array> {
  static constexpr auto name = const_name("numpy.ndarray");
};

template <>
struct type_caster<dyn::python::Out> {
  PYBIND11_TYPE_CASTER(dyn::python::Out, const_name("Optional[numpy.ndarray]"));
  bool load(handle source, bool /*convert*/) {
    value.array = reinterpret_borrow<object>(source);
    return true;
  }
};

}  // namespace pybind11::detail
