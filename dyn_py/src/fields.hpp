// Attributes of bound classes, many in one call: names and where the values are, by turns.
#pragma once

#include <functional>
#include <string>
#include <type_traits>

#include "bindings.hpp"

namespace dyn::python {

/// The value at the end of a path of members.
template <class Owner, class First, class... Rest>
decltype(auto) reach(const Owner& owner, First first, Rest... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return std::invoke(first, owner);
  } else {
    return reach(std::invoke(first, owner), rest...);
  }
}
template <class Owner, class Part, class... Rest>
auto at(Part Owner::*first, Rest... rest) {
  return [=](const Owner& owner) { return reach(owner, first, rest...); };
}

/// Unless the class has one of its own already.
template <class Class>
Class& show_all(Class& kind) {
  if (!kind.attr("__dict__").contains("__repr__")) kind.def("__repr__", &attributes_text);
  return kind;
}

/// Attributes to read: members, member functions or functions of the object.
template <class Class, class Get, class... More>
Class& show(Class& kind, const char* name, Get get, More... more) {
  if constexpr (std::is_member_object_pointer_v<Get>) {
    kind.def_readonly(name, get);
  } else {
    kind.def_property_readonly(name, get);
  }
  if constexpr (sizeof...(more) == 0) {
    return show_all(kind);
  } else {
    return show(kind, more...);
  }
}

/// Attributes to read and write. A vector is read as a copy that says so when written to, and set as a whole:
/// by as many numbers as there are, or by one for all.
template <class Class, class Owner, class Value, class... More>
Class& hold(Class& kind, const char* name, Value Owner::*member, More... more) {
  if constexpr (std::is_same_v<Value, VecXd>) {
    kind.def_property(
        name,
        [member](const Owner& owner) {
          Array copy(py::cast(owner.*member, py::return_value_policy::copy));
          copy.attr("setflags")("write"_a = false);
          return copy;
        },
        [name, member](Owner& owner, const Floats& values) {
          VecXd& own = owner.*member;
          if (values.dimensions == 0) {
            own.setConstant(*values.data);
          } else {
            own = values.vector(own.size(), name);
          }
        });
  } else {
    kind.def_readwrite(name, member);
  }
  if constexpr (sizeof...(more) == 0) {
    return show_all(kind);
  } else {
    return hold(kind, more...);
  }
}

}  // namespace dyn::python
