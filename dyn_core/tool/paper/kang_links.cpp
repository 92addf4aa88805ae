// Kang, section 2 and Appendix 1: the influence coefficients and the older algorithm, link by link.
#include <array>

#include <fmt/format.h>

#include "kang.hpp"

namespace dyn::tool {
namespace {

using Kic = InfluenceCoefficients<double>;
using Older = kang::OlderAlgorithm<double>;

template <class Derived>
Mat3d skew_rate(const Eigen::MatrixBase<Derived>& R) {
  return kang_rates(R) * R.unaryExpr([](const Dual& x) { return x.value; }).transpose();
}

// (1), (2): the velocity of the point and of the rotation of the last link, against exact derivatives.
double kang_first_order(const KangState& s) {
  InfluenceCoefficients<Dual> travelling(s.model);
  travelling.update(s.model, s.moving(s.qd));
  const Vec3d in_link(0.2, -0.3, 0.4);
  const Vec3<Dual> point = travelling.frame(s.n - 1) * Vec3<Dual>(in_link.cast<Dual>());
  Kic kic(s.model);
  kic.update(s.model, s.poses);
  Mat3X<double> G(3, s.n), turning(3, s.n);
  for (Index k = 0; k < s.n; ++k) {
    G.col(k) = kic.translation(s.n - 1, k, kic.frame(s.n - 1) * in_link);
    turning.col(k) = kic.rotation(s.n - 1, k);
  }
  return std::max(
      kang_apart(Vec3d(G * s.qd), kang_rates(point)),
      kang_apart(skew<double>(Vec3d(turning * s.qd)), skew_rate(travelling.frame(s.n - 1).R)));
}

// (3), (4): the derivative of [G] φ̇ while the joints speed up.
double kang_second_order(const KangState& s) {
  kang::PrintedLinks<double> links(s.model);
  links.update(s.model, s.poses);
  kang::PrintedLinks<Dual> travelling(s.model);
  travelling.update(s.model, s.moving(s.qd));
  VecX<Dual> rate(s.n);
  for (Index i = 0; i < s.n; ++i) rate[i] = Dual(s.qd[i], s.qdd[i]);
  const auto& link = links[s.n - 1];
  const auto& moved = travelling[s.n - 1];
  const Vec3<Dual> velocity = moved.Gc * rate, turning = moved.G * rate;
  return std::max(
      kang_apart(kang::acceleration<double>(link.Gc, link.Hc, s.qd, s.qdd), kang_rates(velocity)),
      kang_apart(kang::acceleration<double>(link.G, link.H, s.qd, s.qdd), kang_rates(turning)));
}

// (10) with another sign of its third term.
double kang_sign_off(double sign) {
  return kang_worst_of<Older>([&](const Older& older, const KangState& s) {
    KangArray P = older.P1();
    for (std::size_t i = 0; i < P.size(); ++i) P[i] += older.P2()[i] + sign * older.P3()[i];
    return kang_apart(kang_symmetric(P), kang_christoffel(s));
  });
}

void kang_older(PaperItems& items) {
  items.identity(ItemKind::kEquation, "(5)-(7)", "the loads of the links are the inertia torques",
                 kang_worst_of<Older>([](const Older& older, const KangState& s) {
                   VecXd T(s.n);
                   older.loads(s.qd, s.qdd, T);
                   return kang_apart(T, kang_torque(s, s.qd, s.qdd));
                 }),
                 1e-12, "against Newton and Euler's recursion, without gravity");
  items.identity(ItemKind::kEquation, "(8)", "T = [I*] φ̈ + φ̇ᵀ [P*] φ̇",
                 kang_worst_of<Older>([](const Older& older, const KangState& s) {
                   VecXd T(s.n);
                   older.loads_of_model(s.qd, s.qdd, T);
                   return kang_apart(T, kang_torque(s, s.qd, s.qdd));
                 }),
                 1e-12, "printed without the transpose of the first φ̇");
  items.identity(ItemKind::kEquation, "(9)", "[I*] is the mass matrix",
                 kang_worst_of<Older>([](const Older& older, const KangState& s) {
                   return kang_apart(older.I(), kang_mass_matrix(s));
                 }));
  items.identity(ItemKind::kEquation, "(10)", "[P*] gives the torques of motion",
                 kang_sign_off(1.0), 1e-12,
                 "its part symmetric in j and k against the Christoffel symbols of [I*]");
  items.add(ItemKind::kEquation, "(10), third term",
            "([G] × [G])ᵀ, the order of the factors left open",
            fmt::format("g_i × g_j at (i, j): off by {:.0e}; g_j × g_i: by {:.1g}",
                        kang_sign_off(1.0), kang_sign_off(-1.0)),
            kang_sign_off(1.0) <= 1e-12 && kang_sign_off(-1.0) > 1e-3,
            "(6) and (8) fix the sign, as they fix that of (27)");
}

// ---- Appendix 1 ---------------------------------------------------------------------------------

enum class KangRow { kRR, kRRSwapped, kPR, kRP, kRPZero, kPRZero, kOutboard, kPP, kCount };

KangRow kang_row_of(const InfluenceCoefficients<Dual>& kic, Index link, Index j, Index k) {
  if (j > link || k > link) return KangRow::kOutboard;
  if (kic.prismatic(k)) {
    if (kic.prismatic(j)) return KangRow::kPP;
    return j <= k ? KangRow::kPR : KangRow::kPRZero;
  }
  if (kic.prismatic(j)) return k <= j ? KangRow::kRP : KangRow::kRPZero;
  return j <= k ? KangRow::kRR : KangRow::kRRSwapped;
}

/// The largest deviation from the derivative met in each row, and the largest derivative itself.
struct KangRows {
  std::array<double, static_cast<std::size_t>(KangRow::kCount)> off{}, size{};
  double rotation = 0.0, rotation_equal = 0.0;

  void take(const KangState& s, Index j) {
    InfluenceCoefficients<Dual> kic(s.model);
    kic.update(s.model, s.moving(VecXd::Unit(s.n, j)));
    for (Index link = 0; link < s.n; ++link) {
      const Vec3<Dual> P = kic.frame(link) * Vec3<Dual>(Vec3d(0.2, -0.3, 0.4).cast<Dual>());
      for (Index k = 0; k < s.n; ++k) {
        const auto row = static_cast<std::size_t>(kang_row_of(kic, link, j, k));
        const Vec3d rate = kang_rates(kic.translation(link, k, P));
        const Vec3<Dual> h = kic.translation(link, j, k, P), turn = kic.rotation(link, j, k);
        const auto value = [](const Dual& x) { return x.value; };
        off[row] = std::max(off[row], (rate - h.unaryExpr(value)).norm());
        size[row] = std::max(size[row], rate.norm());
        const Vec3d turned = kang_rates(kic.rotation(link, k));
        rotation = std::max(rotation, (turned - turn.unaryExpr(value)).norm());
        if (j == k) rotation_equal = std::max(rotation_equal, turned.norm());
      }
    }
  }
};

KangRows kang_rows() {
  KangRows rows;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const KangState state(random_chain(6, seed, {.prismatic = 0.5}), seed);
    for (Index j = 0; j < state.n; ++j) rows.take(state, j);
  }
  return rows;
}

void kang_second_order_rows(PaperItems& items, const KangRows& rows) {
  struct Line {
    KangRow row;
    const char *conditions, *value;
  };
  constexpr std::array kLines = std::to_array<Line>({
      {KangRow::kRR, "R, R, j ≤ k ≤ n", "S^j × (S^k × (P - O^k))"},
      {KangRow::kRRSwapped, "R, R, k ≤ j ≤ n", "S^k × (S^j × (P - O^j))"},
      {KangRow::kPR, "P, R, j ≤ k ≤ n", "S^j × S^k"},
      {KangRow::kRP, "R, P, k ≤ j ≤ n", "S^k × S^j"},
      {KangRow::kPRZero, "P, R, k ≤ j ≤ n", "0"},
      {KangRow::kOutboard, "R or P, j or k > n", "0"},
      {KangRow::kPP, "P, P", "0"},
  });
  for (const Line& line : kLines) {
    items.identity(ItemKind::kTable,
                   fmt::format("Appendix 1, translational second order, {}", line.conditions),
                   line.value, rows.off[static_cast<std::size_t>(line.row)], 1e-12,
                   line.row == KangRow::kRR ? "against exact derivatives of the first order" : "");
  }
  const auto pr = static_cast<std::size_t>(KangRow::kPR);
  const auto zero = static_cast<std::size_t>(KangRow::kRPZero);
  kang_misprint(items, "Appendix 1, translational second order, second row P, R, j ≤ k ≤ n",
                "0, under the conditions of the row with S^j × S^k", "R, P, j ≤ k ≤ n: 0",
                rows.size[pr], rows.size[zero],
                "an inner slide does not turn an outer axis; both tried against derivatives");
}

}  // namespace

void kang_appendix(PaperItems& items) {
  const double first = kang_worst(kang_first_order);
  items.identity(ItemKind::kTable, "Appendix 1, translational first order",
                 "R: S^k × (P - R^k); P: S^k; 0 for k > n", first, 1e-12,
                 "with O^k for R^k: the paper's own last sentence names the origin O^k");
  items.identity(ItemKind::kTable, "Appendix 1, rotational first order",
                 "R: S^k; P: 0; 0 for k > n", first);
  const KangRows rows = kang_rows();
  kang_second_order_rows(items, rows);
  items.add(ItemKind::kErratum, "Appendix 1, second order, headings",
            "both columns of types are headed k; the last table is headed first order",
            "joint k, then joint j; second order", false,
            "the conditions on j and k of each row say which: the rows hold in this order only");
  items.identity(ItemKind::kTable, "Appendix 1, rotational second order",
                 "R, R, j < k ≤ n: S^j × S^k; 0 otherwise", rows.rotation);
  items.add(ItemKind::kErratum, "Appendix 1, rotational second order, R, R, 0",
            "for j > k or k > n; j = k is in no row", "0 for j = k as well", false,
            rows.rotation_equal == 0.0 ? "the derivative for j = k is exactly 0" : "not settled");
}

void kang_links(PaperItems& items) {
  items.identity(ItemKind::kEquation, "(1), (2)", "u̇ = [G] φ̇", kang_worst(kang_first_order), 1e-12,
                 "a point of the last link and its rotation, against exact derivatives");
  items.identity(ItemKind::kEquation, "(3), (4)", "ü = [G] φ̈ + φ̇ᵀ [H] φ̇",
                 kang_worst(kang_second_order), 1e-12,
                 "what (4) names is the rate of [G], times φ̇");
  kang_older(items);
}

}  // namespace dyn::tool
