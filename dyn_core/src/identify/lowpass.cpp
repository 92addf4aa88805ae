#include <array>
#include <cmath>
#include <numbers>

#include "dyn_core/identify/prepare.hpp"

namespace dyn {

// The analogue prototype's two pairs of poles by the bilinear transform, prewarped.
ZeroPhase::ZeroPhase(double rate, double cutoff) {
  // Each of the two runs has to leave the square root of what both leave.
  const double both = std::pow(std::numbers::sqrt2 - 1.0, -1.0 / 8.0);
  const double w = both * std::tan(std::numbers::pi * cutoff / rate);
  for (int i = 0; i < 2; ++i) {
    const double damping = 2.0 * std::cos((2 * i + 1) * std::numbers::pi / 8.0);
    const double a0 = 1.0 + damping * w + w * w;
    const double b = w * w / a0;
    sections_[i] = {b, 2.0 * b, b, 2.0 * (w * w - 1.0) / a0, (1.0 - damping * w + w * w) / a0};
  }
  settling_ = static_cast<std::size_t>(std::ceil(3.0 * rate / cutoff)) + 3;
}

// Begins as if the first value had always been there.
void ZeroPhase::run(std::vector<double>& signal) const {
  std::array<double, 4> s{};
  for (std::size_t i = 0; i < 2; ++i) {
    const Section& k = sections_[i];
    s[2 * i + 1] = (k.b2 - k.a2) * signal.front();
    s[2 * i] = (k.b1 - k.a1) * signal.front() + s[2 * i + 1];
  }
  for (double& x : signal) {
    for (std::size_t i = 0; i < 2; ++i) {
      const Section& k = sections_[i];
      const double y = k.b0 * x + s[2 * i];
      s[2 * i] = k.b1 * x - k.a1 * y + s[2 * i + 1];
      s[2 * i + 1] = k.b2 * x - k.a2 * y;
      x = y;
    }
  }
}

void ZeroPhase::filter(std::span<double> signal) const {
  const std::size_t n = signal.size();
  if (n < 2) return;
  const std::size_t beyond = std::min(settling_, n - 1);
  std::vector<double> longer(n + 2 * beyond);
  std::ranges::copy(signal, longer.begin() + beyond);
  for (std::size_t i = 1; i <= beyond; ++i) {
    longer[beyond - i] = 2.0 * signal.front() - signal[i];
    longer[beyond + n - 1 + i] = 2.0 * signal.back() - signal[n - 1 - i];
  }
  run(longer);
  std::ranges::reverse(longer);
  run(longer);
  std::copy_n(longer.rbegin() + beyond, n, signal.begin());
}

}  // namespace dyn
