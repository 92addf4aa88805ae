// numpy arrays at the border. What is float64, aligned and C-contiguous is read where it lies; all else that
// numpy turns into numbers without loss is copied once.
#pragma once

#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "dyn_core/base/status.hpp"
#include "dyn_core/math/types.hpp"

namespace dyn::python {

namespace py = pybind11;
using py::literals::operator""_a;

/// Becomes dyn.Error.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The value, or a Failure with the sentence.
template <class Value>
[[nodiscard]] Value require(Result<Value> result) {
  if (!result) throw Failure(result.error().sentence);
  return std::move(*result);
}
inline void require(Status status, const std::string& what) {
  if (status != Status::kOk) throw Failure(what + ": " + to_string(status));
}

/// An argument: numbers of up to three dimensions, row by row.
struct Floats {
  static constexpr int kMostDimensions = 3;

  py::object owner;
  const double* data = nullptr;
  int dimensions = 0;
  std::array<Index, kMostDimensions> shape = {};

  [[nodiscard]] Index size() const {
    Index product = 1;
    for (int d = 0; d < dimensions; ++d) product *= shape[static_cast<std::size_t>(d)];
    return product;
  }
  /// "(3, 7)".
  [[nodiscard]] std::string shape_text() const {
    return py::str(owner.attr("shape")).cast<std::string>();
  }
  /// All of it; of one dimension and `n` numbers, or a Failure that begins with `name`.
  [[nodiscard]] VecXd vector(Index n, const char* name) const {
    if (dimensions != 1 || size() != n) {
      throw Failure(std::string(name) + " has the shape " + shape_text() + "; give (" +
                    std::to_string(n) + ",)");
    }
    return Eigen::Map<const VecXd>(data, n);
  }
};

/// A new array of float64.
[[nodiscard]] inline py::object new_array(std::span<const Index> shape) {
  auto& numpy = py::detail::npy_api::get();
  static_assert(sizeof(Index) == sizeof(Py_intptr_t));
  PyObject* array = numpy.PyArray_NewFromDescr_(
      numpy.PyArray_Type_, numpy.PyArray_DescrFromType_(numpy.NPY_DOUBLE_),
      static_cast<int>(shape.size()), reinterpret_cast<const Py_intptr_t*>(shape.data()), nullptr,
      nullptr, 0, nullptr);
  if (array == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(array);
}
[[nodiscard]] inline double* data_of(const py::object& array) {
  return reinterpret_cast<double*>(py::detail::array_proxy(array.ptr())->data);
}

/// Whether `object` is a float64 array of this machine's bytes that may be read, or written, as it lies.
[[nodiscard]] inline bool is_plain(PyObject* object, bool written = false) {
  auto& numpy = py::detail::npy_api::get();
  if (Py_TYPE(object) != numpy.PyArray_Type_) return false;
  const auto* descr = py::detail::array_descriptor_proxy(py::detail::array_proxy(object)->descr);
  const int flags = numpy.NPY_ARRAY_C_CONTIGUOUS_ | numpy.NPY_ARRAY_ALIGNED_ |
                    (written ? numpy.NPY_ARRAY_WRITEABLE_ : 0);
  return descr->type_num == numpy.NPY_DOUBLE_ && descr->byteorder == '=' &&
         py::detail::check_flags(object, flags);
}

}  // namespace dyn::python

namespace pybind11::detail {

template <>
struct type_caster<dyn::python::Floats> {
  PYBIND11_TYPE_CASTER(dyn::python::Floats, const_name("ArrayLike"));

  // Errors are numpy's own.
  bool load(handle source, bool /*convert*/) {
    if (dyn::python::is_plain(source.ptr())) {
      value.owner = reinterpret_borrow<object>(source);
    } else {
      auto& numpy = npy_api::get();
      value.owner = reinterpret_steal<object>(numpy.PyArray_FromAny_(
          source.ptr(), numpy.PyArray_DescrFromType_(numpy.NPY_DOUBLE_), 0, 0,
          numpy.NPY_ARRAY_C_CONTIGUOUS_ | numpy.NPY_ARRAY_ALIGNED_ | numpy.NPY_ARRAY_ENSUREARRAY_,
          nullptr));
      if (!value.owner) throw error_already_set();
    }
    const PyArray_Proxy* array = array_proxy(value.owner.ptr());
    if (array->nd > dyn::python::Floats::kMostDimensions) {
      throw dyn::python::Failure("an array has the shape " + value.shape_text() +
                                 ": none has more than three dimensions");
    }
    value.data = reinterpret_cast<const double*>(array->data);
    value.dimensions = array->nd;
    for (int d = 0; d < array->nd; ++d) {
      value.shape[static_cast<std::size_t>(d)] = array->dimensions[d];
    }
    return true;
  }
};

}  // namespace pybind11::detail
