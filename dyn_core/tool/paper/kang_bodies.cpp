// Kang, section 4.1: the momenta of the augmented bodies, (11)-(22).
#include <fmt/format.h>

#include "kang.hpp"

namespace dyn::tool {
namespace {

using Momenta = kang::Momenta<double>;
using Modified = kang::ModifiedAlgorithm<double>;
using Body = kang::PrintedAugmentedBody<double>;

// The momentum of the links from exact derivatives of their mass centres.
Vec3d kang_momentum(const KangState& s) {
  kang::PrintedLinks<Dual> links(s.model);
  links.update(s.model, s.moving(s.qd));
  Vec3d P = Vec3d::Zero();
  for (Index k = 0; k < s.n; ++k) P += links[k].M.value * kang_rates(links[k].c);
  return P;
}

// The rate of `momentum(momenta, φ̇_k)` of body k at the rates φ̇ of the joints 1 … k; the rest is fixed.
template <class Momentum>
Vec3d kang_rate_of(const KangState& s, Index k, Momentum momentum) {
  VecXd qd = VecXd::Zero(s.n);
  qd.head(k + 1) = s.qd.head(k + 1);
  kang::Momenta<Dual> travelling(s.model);
  travelling.update(s.model, s.moving(qd));
  return kang_rates(Vec3<Dual>(momentum(travelling, Dual(s.qd[k], s.qdd[k]))));
}

template <class Check>
double kang_worst_body(Check check) {
  return kang_worst_of<Momenta>([&](const Momenta& momenta, const KangState& s) {
    double worst = 0.0;
    for (Index k = 0; k < s.n; ++k) worst = std::max(worst, check(momenta, s, k));
    return worst;
  });
}

void kang_linear(PaperItems& items) {
  const auto against = [](auto form) {
    return kang_worst_of<Momenta>([&](const Momenta& momenta, const KangState& s) {
      return kang_apart(form(momenta, s), kang_momentum(s));
    });
  };
  items.identity(
      ItemKind::kEquation, "(11)", "P, by the velocities of the links",
      against([](const Momenta& m, const KangState& s) { return m.linear_of_links(s.qd); }), 1e-12,
      "against exact derivatives of the mass centres");
  items.identity(
      ItemKind::kEquation, "(12)", "P, by the columns of the KICs",
      against([](const Momenta& m, const KangState& s) { return m.linear_of_columns(s.qd); }));
  items.identity(
      ItemKind::kEquation, "(13)", "P, by the joints",
      against([](const Momenta& m, const KangState& s) { return m.linear_of_joints(s.qd); }));
  items.identity(ItemKind::kEquation, "(14), (15)",
                 "Σ m_j g_k^cj = S_k × Σ m_j r_k^cj = M_k g_k^c*",
                 kang_worst_body([](const Momenta& m, const KangState& s, Index k) {
                   return std::max(kang_apart(m.linear(k, s.qd[k]), m.linear_of_joint(k, s.qd[k])),
                                   kang_apart(m.body(k).gc, Vec3d(m.body(k).Gc.col(k))));
                 }),
                 1e-12, "a sliding joint k has S_k for S_k × r_k^c*, which Appendix 1 gives");
  items.identity(ItemKind::kEquation, "(16)", "P, by the augmented bodies",
                 against([](const Momenta& m, const KangState& s) { return m.linear(s.qd); }));
}

// The angular momentum about O_0: of the links, Σ (L^k + c*_k × P^k), and Σ L^k.
struct KangAngular {
  KangAngular(const Momenta& m, const KangState& s) {
    for (Index k = 0; k < s.n; ++k) {
      const auto& link = m.links()[k];
      links += link.c.cross(Vec3d(link.M * (link.Gc * s.qd))) + link.II * Vec3d(link.G * s.qd);
      plain += m.angular(k, s.qd[k]);
      bodies += m.angular(k, s.qd[k]) + m.centre(k).cross(m.linear(k, s.qd[k]));
    }
  }
  Vec3d links = Vec3d::Zero(), plain = links, bodies = links;
};

// [III^k] by (18) as it is printed, with m_k for m_j.
Mat3d kang_III_printed(const Momenta& m, Index k, Index n) {
  Mat3d III = Mat3d::Zero();
  for (Index j = k; j < n; ++j) {
    const Vec3d r_j = m.links()[j].c - m.centre(k);
    III += m.links()[j].II + kang::parallel_axes<double>(m.links()[k].M, r_j);
  }
  return III;
}

// What body k's inertia is: that of its links about their own axes through c*_k, by the run's bodies.
Mat3d kang_III_run(const KangState& s, const Momenta& m, Index k) {
  AugmentedBodies<double> bodies(s.model);
  bodies.update(s.model, s.poses);
  const Mat3d R = m.links().kic().frame(0).R;  // the run's axes are those of the first link
  const AugmentedBody<double>& b = bodies[k];
  const Vec3d r = b.h / b.mass;
  return R * (b.J.matrix() - kang::parallel_axes<double>(b.mass, r)) * R.transpose();
}

void kang_angular(PaperItems& items) {
  const auto off = [](Vec3d KangAngular::*sum) {
    return kang_worst_of<Momenta>([sum](const Momenta& m, const KangState& s) {
      const KangAngular L(m, s);
      return kang_apart(Vec3d(L.*sum), L.links);
    });
  };
  kang_misprint(
      items, "(17)", "L = Σ L^k", "L = Σ (L^k + c*_k × P^k), about O_0", off(&KangAngular::plain),
      off(&KangAngular::bodies),
      "L^k = [III^k] g_k φ̇_k is about c*_k, another point for every k; nor is the plain sum "
      "the momentum about any one point");
  kang_misprint(items, "(18)", "m_k beside r_j", "m_j, r_j from c*_k to the mass centre of link j",
                kang_worst_body([](const Momenta& m, const KangState& s, Index k) {
                  return kang_apart(kang_III_printed(m, k, s.n), kang_III_run(s, m, k));
                }),
                kang_worst_body([](const Momenta& m, const KangState& s, Index k) {
                  return kang_apart(m.body(k).III, kang_III_run(s, m, k));
                }),
                "against the running recursion's bodies, which refer to O_k, moved to c*_k");
}

void kang_rates_of_momenta(PaperItems& items) {
  items.identity(ItemKind::kEquation, "(19)", "Ṗ^k",
                 kang_worst_body([](const Momenta& m, const KangState& s, Index k) {
                   return kang_apart(m.linear_rate(k, s.qd, s.qdd[k]),
                                     kang_rate_of(s, k, [k](const auto& moved, const Dual& rate) {
                                       return moved.linear(k, rate);
                                     }));
                 }),
                 1e-12, "the joints beyond k fixed; against the exact derivative of (14)");
  const auto off = [](double share) {
    return kang_worst_body([share](const Momenta& m, const KangState& s, Index k) {
      const Body& b = m.body(k);
      const Vec3d surplus = b.III * m.omega(k, s.qd).cross(b.g) * s.qd[k];
      return kang_apart(Vec3d(m.angular_rate(k, s.qd, s.qdd[k]) - share * surplus),
                        kang_rate_of(s, k, [k](const auto& moved, const Dual& rate) {
                          return moved.angular(k, rate);
                        }));
    });
  };
  kang_misprint(
      items, "(20)", "L̇^k with [III^k] (ω^k × g_k) φ̇_k", "L̇^k without that term", off(0.0),
      off(1.0),
      "g_k is fixed to the body, so that the term is in ω^k × [III^k] g_k already; with it "
      "the loads (21) are right, since it stands for what the pairs (k, i) load on joint i");
}

void kang_loads(PaperItems& items) {
  items.identity(ItemKind::kEquation, "(21), (22)", "the load of body k, by momenta and by KICs",
                 kang_worst_body([](const Momenta& m, const KangState& s, Index k) {
                   VecXd load(s.n), of_elements(s.n);
                   m.load(k, s.qd, s.qdd[k], load);
                   m.load_of_elements(k, s.qd, s.qdd[k], of_elements);
                   return kang_apart(load, of_elements);
                 }),
                 1e-12, "(21) by its first line");
  // The velocity part of (21), its third term as printed with g_k^c*, and with g_k.
  const auto off = [](bool printed) {
    return kang_worst_body([printed](const Momenta& m, const KangState& s, Index k) {
      const Body& b = m.body(k);
      const Vec3d w = m.omega(k, s.qd), third = printed ? b.gc : b.g;
      VecXd load(s.n);
      m.load(k, s.qd, 0.0, load);
      VecXd second = b.Gc.transpose() * (b.M * w.cross(b.gc) * s.qd[k]);
      second += b.G.transpose() * (b.III * w.cross(third) * s.qd[k]);
      second += b.G.transpose() * w.cross(Vec3d(b.III * b.g)) * s.qd[k];
      return kang_apart(second, load);
    });
  };
  kang_misprint(
      items, "(21), second line", "[III^k] [ᵏG^k]ᵀ (ω^k × g_k^c*)", "[ᵏG^k]ᵀ [III^k] (ω^k × g_k)",
      off(true), off(false),
      "tried with [III^k] behind [ᵏG^k]ᵀ: in the printed order the sizes 3x3 and nx3 do not "
      "fit. The first term's φ̈_k is right, and (2-33) is (7) of this paper");
  const auto beside_mass = [](bool printed) {
    return kang_worst_body([printed](const Momenta& m, const KangState& s, Index k) {
      const Body& b = m.body(k);
      const VecXd expected = b.Gc.transpose() * (m.linear_rate(k, s.qd, 0.0));
      const Vec3d Hc = b.Hc * s.qd * s.qd[k] * b.M;
      return kang_apart(VecXd((printed ? b.G : b.Gc).transpose() * Hc), expected);
    });
  };
  kang_misprint(items, "(22), second term", "φ̇_kᵀ (M_k [ᵏG^k]ᵀ [H^c*]_k) φ̇_k",
                "φ̇ᵀ (M_k [ᵏG^c*]ᵀ [H^c*]_k) φ̇_k", beside_mass(true), beside_mass(false),
                "against the first line of (21)");
}

}  // namespace

void kang_bodies(PaperItems& items) {
  kang_linear(items);
  kang_angular(items);
  kang_rates_of_momenta(items);
  kang_loads(items);
}

}  // namespace dyn::tool
