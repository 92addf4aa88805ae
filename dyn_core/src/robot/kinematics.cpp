#include "dyn_core/robot/kinematics.hpp"

#include <algorithm>

#include <Eigen/SVD>

namespace dyn {

namespace {

// The product of the singular values that the task can have.
double measure(const MatXd& rows, Index task) {
  const VecXd singular = rows.jacobiSvd().singularValues();
  return singular.head(std::min(task, singular.size())).prod();
}

}  // namespace

double manipulability(const Chain& chain, const MatXd& J) {
  if (chain.is_planar() || chain.dof() < 6) return position_manipulability(chain, J);
  return measure(J, 6);
}

double position_manipulability(const Chain& chain, const MatXd& J) {
  return measure(J.topRows(3), chain.is_planar() ? 2 : 3);
}

}  // namespace dyn
