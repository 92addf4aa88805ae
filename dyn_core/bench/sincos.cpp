// Sine and cosine of eight angles: ours, SLEEF's and std::experimental::simd's, as ratios of one run. Alone,
// for a processor with AVX-512:
//   g++ -std=c++20 -O3 -march=skylake-avx512 -ffp-contract=fast -fno-math-errno -fno-trapping-math
//     dyn_core/bench/sincos.cpp -lsleef -o sincos && ./sincos
#define DYN_SIMD_TARGET avx512
#define DYN_SIMD_LANES 8
#include "../src/fast/sincos.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include <experimental/simd>
#include <sleef.h>

namespace {

using namespace dyn::fast::avx512;
namespace stdx = std::experimental;

constexpr int kAngles = 512;
alignas(64) double x[kAngles], sine[kAngles], cosine[kAngles];

void ours(int i) {
  const SinCos y = sincos(load(x + i));
  store(sine + i, y.sine);
  store(cosine + i, y.cosine);
}

template <auto function>
void sleef(int i) {
  const auto y = function(_mm512_load_pd(x + i));
  _mm512_store_pd(sine + i, y.x);
  _mm512_store_pd(cosine + i, y.y);
}

void standard(int i) {
  const stdx::fixed_size_simd<double, 8> v(x + i, stdx::vector_aligned);
  stdx::sin(v).copy_to(sine + i, stdx::vector_aligned);
  stdx::cos(v).copy_to(cosine + i, stdx::vector_aligned);
}

template <auto function>
double best() {
  double least = 1e9;
  for (int round = 0; round < 20000; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kAngles; i += 8) function(i);
    asm volatile("" ::: "memory");
    least = std::min(
        least,
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
  }
  return least;
}

}  // namespace

namespace dyn::fast {
void sincos_far(double angle, double& s, double& c) noexcept {
  s = std::sin(angle), c = std::cos(angle);
}
}  // namespace dyn::fast

int main() {
  for (int i = 0; i < kAngles; ++i) x[i] = -3.0 + 6.0 * i / kAngles;
  const double mine = best<ours>();
  std::printf("SLEEF to 1.0 ulp %.2f, to 3.5 ulp %.2f, std::experimental::simd %.2f times ours\n",
              best<sleef<Sleef_sincosd8_u10avx512f>>() / mine,
              best<sleef<Sleef_sincosd8_u35avx512f>>() / mine, best<standard>() / mine);
}
