// Kang, section 4.1: the independent elements by the augmented bodies, (23)-(29), and Figs. 3 and 4.
#include <fmt/format.h>

#include "kang.hpp"

namespace dyn::tool {
namespace {

using Momenta = kang::Momenta<double>;
using Modified = kang::ModifiedAlgorithm<double>;
using Older = kang::OlderAlgorithm<double>;

// (25) and (26) with g_1 as printed, i = 1 whatever i is, beside those with g_i.
double kang_first_index_off(bool printed) {
  return kang_worst_of<Momenta>([printed](const Momenta& m, const KangState& s) {
    Modified modified(s.model);
    modified.update(s.model, s.poses);
    double worst = 0.0, size = kKangSmall;
    for (Index k = 0; k < s.n; ++k) {
      const auto& b = m.body(k);
      for (Index i = 0; i <= k; ++i) {
        const Index of = printed ? 0 : i;
        const VecXd P1 = b.M * (b.Hc.transpose() * b.Gc.col(of));
        const VecXd P2 = b.H.transpose() * (b.III * b.G.col(of));
        for (Index j = 0; j <= k; ++j) {
          const auto plane = static_cast<std::size_t>(i);
          worst = std::max({worst, std::abs(P1[j] - modified.P1()[plane](j, k)),
                            std::abs(P2[j] - modified.P2()[plane](j, k))});
          size = std::max({size, std::abs(P1[j]), std::abs(P2[j])});
        }
      }
    }
    return worst / size;
  });
}

void kang_element_equations(PaperItems& items) {
  items.identity(ItemKind::kEquation, "(23), (24), (P2)", "their sum is [I*]",
                 kang_worst_of<Modified>([](const Modified& m, const KangState& s) {
                   return kang_apart(m.I(), kang_mass_matrix(s));
                 }));
  items.add(ItemKind::kErratum, "(24)", "[I2*]_ik = g_jᵀ [III^k] g_k", "g_iᵀ [III^k] g_k", false,
            "j is no index of the left side; with i the sum with (23) is the mass matrix");
  items.identity(ItemKind::kEquation, "(25)-(27), (P3)-(P10)",
                 "with the properties they give the full [P*]",
                 kang_worst_of<Modified>([](const Modified& m, const KangState& s) {
                   return kang_apart(kang_symmetric(m.P()), kang_christoffel(s));
                 }),
                 1e-12, "the part symmetric in j and k against the Christoffel symbols of [I*]");
  kang_misprint(items, "(25), (26)", "g_1^c*, g_1", "g_i^c*, g_i", kang_first_index_off(true),
                kang_first_index_off(false), "a digit for the letter; both tried");
}

void kang_two_algorithms(PaperItems& items) {
  double terms = 1e9, whole = 0.0, symmetric = 0.0;
  const double inertia = kang_worst_of<Modified>([&](const Modified& m, const KangState& s) {
    Older older(s.model);
    older.update(s.model, s.poses);
    if (s.n == 6) {
      terms = std::min({terms, kang_apart(m.P1(), older.P1()), kang_apart(m.P2(), older.P2()),
                        kang_apart(m.P3(), older.P3())});
    }
    whole = std::max(whole, kang_apart(m.P(), older.P()));
    symmetric = std::max(symmetric, kang_apart(kang_symmetric(m.P()), kang_symmetric(older.P())));
    return kang_apart(m.I(), older.I());
  });
  items.add(ItemKind::kClaim, "section 4.1: [P1*], [P2*], [P3*] differ from the older algorithm's",
            "numerical values are different",
            fmt::format("each by {:.1g} of its largest element at least", terms), terms > 1e-3);
  items.add(
      ItemKind::kClaim, "section 4.1: the complete [I*] and [P*] are identical",
      "identical for both algorithms",
      fmt::format("[I*] to {:.0e}; [P*] differs by {:.1g}, its part symmetric in j and k by {:.0e}",
                  std::max(inertia, 1e-16), whole, std::max(symmetric, 1e-16)),
      inertia <= 1e-12 && whole <= 1e-12,
      "[P2*] and [P3*] depend on the point of reference: P*_ij;k - P*_ik;j = tr(J) g_i·(g_j × "
      "g_k), J = Σ [II^j] there, [III^m] here. Torques see the symmetric part only");
}

// The last column of I* and the last planes k = n, where body n is link n.
void kang_last_body(PaperItems& items) {
  items.identity(ItemKind::kClaim, "section 4.1: the n-th body gives the last column and plane",
                 "easily checked using the previous algorithm: its last elements are the same",
                 kang_worst_of<Modified>([](const Modified& m, const KangState& s) {
                   Older older(s.model);
                   older.update(s.model, s.poses);
                   const Index last = s.n - 1;
                   double worst = kang_apart(m.I().col(last), older.I().col(last));
                   for (std::size_t i = 0; i < m.P().size(); ++i) {
                     worst =
                         std::max({worst, kang_apart(m.P1()[i].col(last), older.P1()[i].col(last)),
                                   kang_apart(m.P2()[i].col(last), older.P2()[i].col(last)),
                                   kang_apart(m.P3()[i].col(last), older.P3()[i].col(last))});
                   }
                   return worst;
                 }),
                 1e-12, "[I*]_in and [P1*]_ij;n, [P2*]_ij;n, [P3*]_ij;n of both");
}

// Frames in the axes of the first link, as in the modified algorithm.
Momenta kang_momenta_of_first(const KangState& s) {
  std::vector<JointPose<double>> poses = s.poses;
  poses.front() = {};
  Momenta momenta(s.model);
  momenta.update(s.model, poses);
  return momenta;
}

void kang_recursion(PaperItems& items) {
  const auto off = [](bool printed) {
    return kang_worst_of<Momenta>([printed](const Momenta& m, const KangState& s) {
      double worst = 0.0;
      for (Index k = 0; k + 1 < s.n; ++k) {
        const auto& next = m.body(k + 1);
        const Vec3d O = m.links().kic().O(k), Q = m.links().kic().O(k + 1) - O;
        const Vec3d r_ck = m.links()[k].c - O;
        const double mass = m.links()[k].M;
        const Vec3d r = printed ? Vec3d((r_ck + next.r + Q) / m.body(k).M)
                                : Vec3d((mass * r_ck + next.M * (next.r + Q)) / m.body(k).M);
        worst = std::max(worst, kang_apart(r, m.body(k).r));
      }
      return worst;
    });
  };
  kang_misprint(items, "(28)", "r_k^c* = (r_k^ck + r_k+1^c* + Q_k^k+1) / M_k",
                "(m_k r_k^ck + M_k+1 (r_k+1^c* + Q_k^k+1)) / M_k", off(true), off(false),
                "printed without the masses the mean is weighted with; against (15)");
  items.identity(ItemKind::kEquation, "(28), (29)", "by recursion the sums (15) and (18)",
                 kang_worst_of<Modified>([](const Modified& modified, const KangState& s) {
                   const Momenta m = kang_momenta_of_first(s);
                   double worst = 0.0;
                   for (Index k = 0; k < s.n; ++k) {
                     worst = std::max({worst, kang_apart(modified.r(k), m.body(k).r),
                                       kang_apart(modified.III(k), m.body(k).III),
                                       std::abs(modified.M(k) / m.body(k).M - 1.0)});
                   }
                   return worst;
                 }));
}

// ---- Figs. 3 and 4 ------------------------------------------------------------------------------

// Drawn in the plane of x and z.
Curve kang_line(std::string label, const std::vector<Vec3d>& points, bool dashed = false) {
  Curve curve{.label = std::move(label), .x = {}, .y = {}, .dashed = dashed};
  for (const Vec3d& point : points) {
    curve.x.push_back(point.x());
    curve.y.push_back(point.z());
  }
  return curve;
}

Curve kang_cross(std::string label, const Vec3d& at, double size) {
  const Vec3d x = Vec3d::UnitX() * size, z = Vec3d::UnitZ() * size;
  return kang_line(std::move(label), {at - x, at + x, at, at - z, at + z});
}

struct KangDrawing {
  KangDrawing() : state(random_chain(5, 8), 8), momenta(state.model) {
    momenta.update(state.model, state.poses);
  }
  [[nodiscard]] Vec3d O(Index j) const { return momenta.links().kic().O(j); }
  [[nodiscard]] Vec3d C(Index j) const { return momenta.links()[j].c; }
  KangState state;
  Momenta momenta;
  Index k = 2;
};

void kang_figure_3(PaperItems& items) {
  const KangDrawing d;
  Chart chart{.title = "joint k = 3 of 5, seen along y",
              .x_label = "x, m",
              .y_label = "z, m",
              .curves = {}};
  std::vector<Vec3d> inner, outer;
  Vec3d sum = Vec3d::Zero();
  for (Index j = 0; j < d.state.n; ++j) {
    if (j <= d.k) inner.push_back(d.O(j));
    if (j >= d.k) outer.push_back(d.O(j));
    if (j >= d.k) sum += d.momenta.links()[j].M * d.C(j);
  }
  outer.push_back(d.C(d.state.n - 1));
  chart.curves = {kang_line("links 1 … k-1", inner, true), kang_line("augmented body k", outer),
                  kang_line("r_k^c*", {d.O(d.k), d.momenta.centre(d.k)})};
  for (Index j = d.k; j < d.state.n; ++j) {
    chart.curves.push_back(kang_cross("mass centres of its links", d.C(j), 0.02));
  }
  chart.curves.push_back(kang_cross("c*_k", d.momenta.centre(d.k), 0.03));
  const double off = kang_apart(d.momenta.centre(d.k), Vec3d(sum / d.momenta.body(d.k).M));
  items.figure(
      "Fig. 3, the k-th generalized augmented body",
      "link k and all links outboard of it as one body with mass centre c*_k",
      fmt::format("c*_k is the mass centre of links k … n to {:.0e}", std::max(off, 1e-16)),
      off <= 1e-12, {chart});
}

void kang_figure_4(PaperItems& items) {
  const KangDrawing d;
  const auto& b = d.momenta.body(d.k);
  const auto& next = d.momenta.body(d.k + 1);
  const Vec3d centre = d.momenta.centre(d.k), next_centre = d.momenta.centre(d.k + 1);
  Chart chart{.title = "joint k = 3 of 5, seen along y",
              .x_label = "x, m",
              .y_label = "z, m",
              .curves = {}};
  chart.curves = {kang_line("r_k^ck", {d.O(d.k), d.C(d.k)}),
                  kang_line("Q_k^k+1", {d.O(d.k), d.O(d.k + 1)}),
                  kang_line("r_k+1^c*", {d.O(d.k + 1), next_centre}),
                  kang_line("r_k^c*", {d.O(d.k), centre}),
                  kang_line("from C_k to c*_k+1", {d.C(d.k), next_centre}, true),
                  kang_cross("c*_k", centre, 0.02)};
  const double share = (centre - d.C(d.k)).norm() / (next_centre - d.C(d.k)).norm();
  const double off = kang_apart(Vec3d(d.C(d.k) + next.M / b.M * (next_centre - d.C(d.k))), centre);
  items.figure(
      "Fig. 4, the augmented body for the recursion",
      "c*_k of link k and of augmented body k+1: r_k^ck, Q_k^k+1, r_k+1^c*, r_k^c*",
      fmt::format("c*_k divides the way from C_k to c*_k+1 at {:.4f} = M_k+1 / M_k", share),
      off <= 1e-12, {chart}, "this is (28) with its weights");
}

}  // namespace

void kang_elements(PaperItems& items) {
  kang_figure_3(items);
  kang_last_body(items);
  kang_element_equations(items);
  kang_two_algorithms(items);
  kang_recursion(items);
  kang_figure_4(items);
}

}  // namespace dyn::tool
