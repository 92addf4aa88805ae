#include "dyn_core/identify/base_parameters.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>
#include <fmt/format.h>

#include "dyn_core/robot/random_chain.hpp"

namespace dyn {
namespace {

// The row space of `rows` by rows that are 1 at one column each and 0 at those of the others: columns are
// taken in their order, wherever one is not made of those before it.
std::vector<Index> reduce(MatXd& rows) {
  constexpr double kRounding = 1e-6;  // rows come in orthonormal
  std::vector<Index> columns;
  for (Index c = 0; c < rows.cols(); ++c) {
    const auto done = static_cast<Index>(columns.size());
    if (done == rows.rows()) break;
    Index pivot = 0;
    const double largest = rows.col(c).tail(rows.rows() - done).cwiseAbs().maxCoeff(&pivot);
    if (largest < kRounding) continue;
    rows.row(done).swap(rows.row(done + pivot));
    rows.row(done) /= rows(done, c);
    for (Index r = 0; r < rows.rows(); ++r) {
      if (r != done) rows.row(r) -= rows(r, c) * rows.row(done).eval();
    }
    columns.push_back(c);
  }
  rows.conservativeResize(static_cast<Index>(columns.size()), rows.cols());
  return columns;
}

std::string in_words(const VecXd& coefficients, const std::vector<std::string>& names) {
  constexpr double kNothing = 1e-6;
  std::string text;
  for (Index c = 0; c < coefficients.size(); ++c) {
    const double size = std::abs(coefficients[c]);
    if (size < kNothing) continue;
    const bool minus = coefficients[c] < 0.0;
    text += text.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
    if (const std::string factor = fmt::format("{:.3g}", size); factor != "1") text += factor + " ";
    text += names[static_cast<std::size_t>(c)];
  }
  return text;
}

}  // namespace

BaseParameters base_parameters(const MatXd& normal_matrix, const std::vector<std::string>& names,
                               double tolerance) {
  const VecXd length = normal_matrix.diagonal().cwiseSqrt();
  const double nothing = std::sqrt(tolerance) * length.maxCoeff();
  const VecXd scale = (length.array() > nothing).select(length.cwiseInverse(), 0.0);
  const MatXd scaled = scale.asDiagonal() * normal_matrix * scale.asDiagonal();
  Eigen::ColPivHouseholderQR<MatXd> qr(scaled);
  qr.setThreshold(tolerance);
  BaseParameters base;
  const MatXd all = qr.householderQ() * MatXd::Identity(scaled.rows(), qr.rank());
  base.combination = all.transpose();
  base.columns = reduce(base.combination);
  for (Index r = 0; r < base.rank(); ++r) {
    const Index column = base.columns[static_cast<std::size_t>(r)];
    base.combination.row(r) *= scale[column];
    for (Index c = 0; c < length.size(); ++c) {
      base.combination(r, c) = scale[c] > 0.0 ? base.combination(r, c) * length[c] : 0.0;
    }
    base.names.push_back(in_words(base.combination.row(r), names));
  }
  return base;
}

BaseParameters base_parameters(const ChainPtr& chain, std::uint64_t seed) {
  constexpr double kAngle = 3.0, kRate = 2.0, kChange = 5.0;  // about as large as an arm's
  constexpr Index kMoreThanEnough = 3;
  Regressor<> regressor(chain);
  Random random(seed);
  const Index n = chain->dof(), size = regressor.layout().size();
  MatXd normal = MatXd::Zero(size, size);
  for (Index k = 0; k < kMoreThanEnough * size / n + 1; ++k) {
    const VecXd q = random.vector(n, kAngle), qd = random.vector(n, kRate);
    if (regressor.update(q, qd, random.vector(n, kChange)) != Status::kOk) continue;
    normal.selfadjointView<Eigen::Lower>().rankUpdate(regressor.Y().transpose());
  }
  normal.triangularView<Eigen::StrictlyUpper>() = normal.transpose();
  return base_parameters(normal, parameter_names(*chain));
}

}  // namespace dyn
