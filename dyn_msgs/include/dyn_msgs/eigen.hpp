// Copyright 2026 The dyn developers
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

// The arrays of dyn_msgs as Eigen matrices and back. Messages hold matrices flat, row by row.
#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

namespace dyn_msgs {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// Views read the message's own memory: they are valid as long as it is, and copy nothing.
using MatrixView = Eigen::Map<const RowMajorMatrix>;
using VectorView = Eigen::Map<const Eigen::VectorXd>;

[[nodiscard]] inline VectorView to_eigen(const std::vector<double>& data) {
  return {data.data(), static_cast<Eigen::Index>(data.size())};
}

/// Empty (0 x 0) if `data` does not have rows * columns values.
[[nodiscard]] inline MatrixView to_eigen(const std::vector<double>& data, Eigen::Index rows,
                                         Eigen::Index columns) {
  const bool fits = static_cast<Eigen::Index>(data.size()) == rows * columns;
  return {data.data(), fits ? rows : 0, fits ? columns : 0};
}

/// MassMatrix or CoriolisMatrix.
template <class Message>
[[nodiscard]] MatrixView to_eigen(const Message& message) {
  const auto n = static_cast<Eigen::Index>(message.joint_names.size());
  return to_eigen(message.data, n, n);
}

/// U of a DiagonalizedDynamics.
template <class Message>
[[nodiscard]] MatrixView unit_upper_to_eigen(const Message& message) {
  const auto n = static_cast<Eigen::Index>(message.joint_names.size());
  return to_eigen(message.unit_upper, n, n);
}

/// The matrix P_i of an InertiaPower, with torque i = qd' * P_i * qd. Empty if there is no joint i.
template <class Message>
[[nodiscard]] MatrixView inertia_power_to_eigen(const Message& message, Eigen::Index i) {
  const auto n = static_cast<Eigen::Index>(message.joint_names.size());
  const bool fits = i >= 0 && i < n && static_cast<Eigen::Index>(message.data.size()) == n * n * n;
  return {message.data.data() + (fits ? i * n * n : 0), fits ? n : 0, fits ? n : 0};
}

/// Writes a vector, or a matrix row by row, into `data` from `offset` on. `data` must be long
/// enough.
template <class Derived>
void write(const Eigen::MatrixBase<Derived>& values, std::vector<double>& data,
           std::size_t offset) {
  Eigen::Map<RowMajorMatrix>(data.data() + offset, values.rows(), values.cols()) = values;
}

/// Writes a vector, or a matrix row by row, into `data`; allocates only where `data` must grow.
template <class Derived>
void from_eigen(const Eigen::MatrixBase<Derived>& values, std::vector<double>& data) {
  data.resize(static_cast<std::size_t>(values.size()));
  write(values, data, 0);
}

}  // namespace dyn_msgs
