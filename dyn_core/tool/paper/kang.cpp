// Kang item by item: the room, and what its items share.
#include "kang.hpp"

#include <fmt/format.h>

#include "dyn_core/papers/classic/crba.hpp"
#include "dyn_core/papers/classic/rnea.hpp"

namespace dyn::tool {

double kang_apart(const KangArray& a, const KangArray& b) {
  double difference = 0.0, size = kKangSmall;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, (a[i] - b[i]).cwiseAbs().maxCoeff());
    size = std::max({size, a[i].cwiseAbs().maxCoeff(), b[i].cwiseAbs().maxCoeff()});
  }
  return difference / size;
}

KangArray kang_symmetric(KangArray P) {
  make_christoffel_symbols<double>(P);
  return P;
}

MatXd kang_mass_matrix(const KangState& state) {
  MatXd M(state.n, state.n);
  Crba<double>(state.model).mass_matrix(state.model, state.poses, M);
  return M;
}

KangArray kang_christoffel(const KangState& state) {
  const Index n = state.n;
  KangArray M_rates;
  for (Index k = 0; k < n; ++k) {
    MatX<Dual> M(n, n);
    Crba<Dual>(state.model).mass_matrix(state.model, state.moving(VecXd::Unit(n, k)), M);
    M_rates.push_back(kang_rates(M));
  }
  KangArray c(M_rates.size(), MatXd(n, n));
  for (std::size_t i = 0; i < M_rates.size(); ++i) {
    for (std::size_t j = 0; j < M_rates.size(); ++j) {
      for (std::size_t k = 0; k < M_rates.size(); ++k) {
        const auto r = static_cast<Index>(i), s = static_cast<Index>(j), t = static_cast<Index>(k);
        c[i](s, t) = 0.5 * (M_rates[k](r, s) + M_rates[j](r, t) - M_rates[i](s, t));
      }
    }
  }
  return c;
}

VecXd kang_torque(const KangState& state, const VecXd& qd, const VecXd& qdd) {
  VecXd tau(state.n);
  Rnea<double>(state.model).inverse_dynamics(state.model, state.poses, Vec3d::Zero(), qd, qdd, tau);
  return tau;
}

void kang_misprint(PaperItems& items, std::string item, std::string printed,
                   const std::string& right, double printed_off, double right_off,
                   std::string note) {
  constexpr double kRoundOff = 1e-12;
  const bool settled = right_off <= kRoundOff && printed_off > kRoundOff;
  items.add(ItemKind::kErratum, std::move(item), std::move(printed),
            fmt::format("{}{}: off by {:.0e}; as printed by {:.1g}", settled ? "" : "not settled: ",
                        right, std::max(right_off, 1e-16), printed_off),
            printed_off <= kRoundOff, std::move(note));
}

std::vector<PaperItem> kang_items(const std::function<void(double)>& progress) {
  PaperItems items;
  kang_abstract(items);
  progress(0.2);
  kang_links(items);
  progress(0.4);
  kang_properties(items);
  progress(0.6);
  kang_bodies(items);
  kang_elements(items);
  progress(0.8);
  kang_steps(items);
  kang_tip_speed(items);
  progress(0.9);
  kang_appendix(items);
  progress(1.0);
  return items.take();
}

}  // namespace dyn::tool
