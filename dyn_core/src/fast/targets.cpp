// Which kernels run on this processor.
#include <array>
#include <cmath>

#include "fast_dynamics.hpp"

namespace dyn {
namespace fast {
namespace {

struct Targets {
  std::array<const Kernels*, 3> kernels{};
  std::array<std::string_view, 3> names{};
  std::size_t count = 0;

  void add(const Kernels& k) {
    kernels[count] = &k;
    names[count++] = k.name;
  }
};

const Targets& targets() {
  static const Targets found = [] {
    Targets t;
    t.add(baseline::kKernels);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) t.add(avx2::kKernels);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      t.add(avx512::kKernels);
    }
#endif
    return t;
  }();
  return found;
}

const Kernels*& forced() {
  static const Kernels* kernels = nullptr;
  return kernels;
}

}  // namespace

void sincos_far(double angle, double& sine, double& cosine) noexcept {
  sine = std::sin(angle);
  cosine = std::cos(angle);
}

const Kernels& kernels_for(Index joints) {
  if (forced() != nullptr) return *forced();
  const Targets& t = targets();
  // Lanes without a joint are wasted.
  std::size_t best = t.count - 1;
  while (best > 0 && t.kernels[best - 1]->width >= joints) --best;
  return *t.kernels[best];
}

Status status_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOk:
      return Status::kOk;
    case Outcome::kNotFinite:
      return Status::kNotFinite;
    default:
      return Status::kSingular;
  }
}

}  // namespace fast

std::span<const std::string_view> simd_targets() {
  const fast::Targets& t = fast::targets();
  return std::span(t.names).first(t.count);
}

bool force_simd_target(std::string_view name) {
  fast::forced() = nullptr;
  for (const fast::Kernels* kernels : fast::targets().kernels) {
    if (kernels != nullptr && kernels->name == name) fast::forced() = kernels;
  }
  return name.empty() || fast::forced() != nullptr;
}

}  // namespace dyn
