// Which kernels run on this processor.
#include <array>
#include <cmath>

#include "fast_dynamics_impl.hpp"

namespace dyn {
namespace fast {
namespace {

struct Target {
  const Kernels* kernels = nullptr;
  const PacketKernels* packet_kernels = nullptr;
};

struct Targets {
  std::array<Target, 3> sets{};
  std::array<std::string_view, 3> names{};
  std::size_t count = 0;

  void add(const Kernels& kernels, const PacketKernels& packet_kernels) {
    sets[count] = {&kernels, &packet_kernels};
    names[count++] = kernels.name;
  }
};

const Targets& targets() {
  static const Targets kFound = [] {
    Targets t;
    t.add(baseline::kKernels, baseline::kPacketKernels);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      t.add(avx2::kKernels, avx2::kPacketKernels);
    }
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      t.add(avx512::kKernels, avx512::kPacketKernels);
    }
#endif
    return t;
  }();
  return kFound;
}

const Target*& forced() {
  static const Target* target = nullptr;
  return target;
}

}  // namespace

void sincos_far(double angle, double& sine, double& cosine) noexcept {
  sine = std::sin(angle);
  cosine = std::cos(angle);
}

const Kernels& kernels_for(Index joints) {
  if (forced() != nullptr) return *forced()->kernels;
  const Targets& t = targets();
  // Lanes without a joint are wasted.
  std::size_t best = t.count - 1;
  while (best > 0 && t.sets[best - 1].kernels->width >= joints) --best;
  return *t.sets[best].kernels;
}

const PacketKernels& packet_kernels() {
  const Targets& t = targets();
  return forced() != nullptr ? *forced()->packet_kernels : *t.sets[t.count - 1].packet_kernels;
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
  const fast::Targets& t = fast::targets();
  fast::forced() = nullptr;
  for (std::size_t i = 0; i < t.count; ++i) {
    if (t.names[i] == name) fast::forced() = &t.sets[i];
  }
  return name.empty() || fast::forced() != nullptr;
}

}  // namespace dyn
