// Scalars, vectors and matrices shared by all of dyn_core.
#pragma once

#include <type_traits>

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace dyn {

using Index = Eigen::Index;

template <class Scalar>
using Vec3 = Eigen::Matrix<Scalar, 3, 1>;
template <class Scalar>
using Vec6 = Eigen::Matrix<Scalar, 6, 1>;
template <class Scalar>
using Mat3 = Eigen::Matrix<Scalar, 3, 3>;
template <class Scalar>
using Mat6 = Eigen::Matrix<Scalar, 6, 6>;

/// Memory of plain malloc, whatever a program is compiled with: otherwise Eigen has another allocator with
/// AVX than without, and program and library could not free what the other allocated.
inline constexpr int kAnyMemory = Eigen::ColMajor | Eigen::DontAlign;

template <class Scalar>
using VecX = Eigen::Matrix<Scalar, Eigen::Dynamic, 1, kAnyMemory>;
template <class Scalar>
using MatX = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, kAnyMemory>;
template <class Scalar>
using Mat3X = Eigen::Matrix<Scalar, 3, Eigen::Dynamic, kAnyMemory>;

using Vec3d = Vec3<double>;
using Mat3d = Mat3<double>;
using VecXd = VecX<double>;
using MatXd = MatX<double>;

/// Function parameters. A column, a segment or a block of the right kind is passed without a copy;
/// an expression such as `a + b` is evaluated into a temporary and therefore allocates.
template <class Scalar>
using VecIn = const std::type_identity_t<Eigen::Ref<const VecX<Scalar>>>&;
template <class Scalar>
using VecOut = std::type_identity_t<Eigen::Ref<VecX<Scalar>>>;
template <class Scalar>
using MatOut = std::type_identity_t<Eigen::Ref<MatX<Scalar>>>;

}  // namespace dyn
