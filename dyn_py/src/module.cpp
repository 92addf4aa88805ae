#include "bindings.hpp"

namespace dyn::python {

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

std::string attributes_text(const py::object& object) {
  std::string text = py::str(py::type::of(object).attr("__name__"));
  for (const py::handle name : py::module_::import("builtins").attr("dir")(object)) {
    const auto key = name.cast<std::string>();
    if (key.starts_with('_')) continue;
    const py::object value = object.attr(name);
    if (PyCallable_Check(value.ptr()) == 0) {
      text += "\n  " + key + " = " + py::repr(value).cast<std::string>();
    }
  }
  return text;
}

void set_attributes(const py::object& object, const py::kwargs& values) {
  for (const auto& [name, value] : values) object.attr(name) = value;
}

bool no_interrupt() {
  const py::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() == 0) return true;
  return false;
}

void raise_interrupt() {
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
}

}  // namespace dyn::python

PYBIND11_MODULE(_dyn, module) {
  namespace py = pybind11;
  module.doc() = "Dynamics of serial arms; everything is computed by the library dyn_core.";
  py::register_exception<dyn::python::Failure>(module, "Error", PyExc_ValueError).doc() =
      "What is wrong, where, and what to do about it.";
  dyn::python::bind_chain(module);
  dyn::python::bind_solver(module);
  dyn::python::bind_parameters(module);
  dyn::python::bind_motion(module);
  dyn::python::bind_control(module);
  dyn::python::bind_identify(module);
  dyn::python::bind_study(module);
}
