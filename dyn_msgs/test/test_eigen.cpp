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

#include <dyn_msgs/eigen.hpp>
#include <dyn_msgs/msg/coriolis_matrix.hpp>
#include <dyn_msgs/msg/diagonalized_dynamics.hpp>
#include <dyn_msgs/msg/inertia_power.hpp>
#include <dyn_msgs/msg/mass_matrix.hpp>
#include <gtest/gtest.h>

namespace {

Eigen::MatrixXd numbered(Eigen::Index rows, Eigen::Index columns) {
  Eigen::MatrixXd m(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < columns; ++j) m(i, j) = static_cast<double>(10 * (i + 1) + j + 1);
  }
  return m;
}

template <class Message>
Message named() {
  Message message;
  message.joint_names = {"a", "b", "c"};
  return message;
}

}  // namespace

TEST(Eigen, MatricesAreFlatRowByRow) {
  auto message = named<dyn_msgs::msg::CoriolisMatrix>();
  dyn_msgs::from_eigen(numbered(3, 3), message.data);
  EXPECT_EQ(message.data, (std::vector<double>{11, 12, 13, 21, 22, 23, 31, 32, 33}));
  EXPECT_EQ(dyn_msgs::to_eigen(message), numbered(3, 3));
}

TEST(Eigen, RectanglesKeepTheirShape) {
  std::vector<double> data;
  dyn_msgs::from_eigen(numbered(2, 3), data);
  EXPECT_EQ(data, (std::vector<double>{11, 12, 13, 21, 22, 23}));
  EXPECT_EQ(dyn_msgs::to_eigen(data, 2, 3), numbered(2, 3));
}

TEST(Eigen, VectorsAndExpressionsAreWritten) {
  std::vector<double> data;
  const Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(4, 0.0, 3.0);
  dyn_msgs::from_eigen(2.0 * v, data);
  EXPECT_EQ(data, (std::vector<double>{0, 2, 4, 6}));
  EXPECT_EQ(dyn_msgs::to_eigen(data), 2.0 * v);
  dyn_msgs::from_eigen(numbered(3, 3).transpose(), data);
  EXPECT_EQ(data, (std::vector<double>{11, 21, 31, 12, 22, 32, 13, 23, 33}));
}

TEST(Eigen, NothingIsAllocatedWhereThereIsRoom) {
  std::vector<double> data(3);
  data.reserve(9);
  const std::size_t capacity = data.capacity();
  dyn_msgs::from_eigen(numbered(3, 3), data);
  EXPECT_EQ(data.capacity(), capacity);
}

TEST(Eigen, InertiaPowerIsOneMatrixPerJoint) {
  auto message = named<dyn_msgs::msg::InertiaPower>();
  message.data.resize(27);
  for (Eigen::Index i = 0; i < 3; ++i) {
    dyn_msgs::write(100.0 * static_cast<double>(i + 1) * numbered(3, 3), message.data,
                    static_cast<std::size_t>(9 * i));
  }
  EXPECT_EQ(message.data[(1 * 3 + 2) * 3 + 0], 200.0 * 31.0);
  EXPECT_EQ(dyn_msgs::inertia_power_to_eigen(message, 2), 300.0 * numbered(3, 3));
}

TEST(Eigen, TheFactorIsReadAsAMatrix) {
  auto message = named<dyn_msgs::msg::DiagonalizedDynamics>();
  dyn_msgs::from_eigen(numbered(3, 3), message.unit_upper);
  EXPECT_EQ(dyn_msgs::unit_upper_to_eigen(message), numbered(3, 3));
}

TEST(Eigen, WrongSizesGiveAnEmptyView) {
  auto matrix = named<dyn_msgs::msg::MassMatrix>();
  matrix.data.resize(8);
  EXPECT_EQ(dyn_msgs::to_eigen(matrix).size(), 0);
  EXPECT_EQ(dyn_msgs::to_eigen(matrix.data, 3, 3).size(), 0);
  auto power = named<dyn_msgs::msg::InertiaPower>();
  power.data.resize(27);
  EXPECT_EQ(dyn_msgs::inertia_power_to_eigen(power, 3).size(), 0);
  EXPECT_EQ(dyn_msgs::inertia_power_to_eigen(power, -1).size(), 0);
  EXPECT_EQ(dyn_msgs::to_eigen(dyn_msgs::msg::MassMatrix()).size(), 0);
}
