#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <unsupported/Eigen/FFT>

#include "identify/even.hpp"

namespace dyn {
namespace {

// Adds the power of the velocity by frequency, without that of white noise in the position.
void add_power(std::span<const double> q, std::size_t length, std::vector<double>& power) {
  constexpr std::size_t kBlocks = 4;
  std::vector<double> mean(length / 2 + 1), block(length);
  std::vector<std::complex<double>> spectrum;
  Eigen::FFT<double> fft;
  fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  const std::size_t spare = q.size() - 1 - length;
  for (std::size_t b = 0; b < kBlocks; ++b) {
    const std::size_t first = spare * b / (kBlocks - 1);
    for (std::size_t k = 0; k < length; ++k) {
      const double turn =
          2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length);
      block[k] = (q[first + k + 1] - q[first + k]) * (1.0 - std::cos(turn));
    }
    fft.fwd(spectrum, block);
    for (std::size_t f = 0; f < mean.size(); ++f) mean[f] += std::norm(spectrum[f]);
  }
  const auto of_noise = [&](std::size_t f) {
    const double s =
        2.0 * std::sin(std::numbers::pi * static_cast<double>(f) / static_cast<double>(length));
    return s * s;
  };
  std::vector<double> floor;
  for (std::size_t f = mean.size() / 2; f < mean.size(); ++f)
    floor.push_back(mean[f] / of_noise(f));
  const auto middle = floor.begin() + static_cast<std::ptrdiff_t>(floor.size() / 2);
  std::ranges::nth_element(floor, middle);
  constexpr double kAboveNoise = 10.0;
  for (std::size_t f = 1; f < mean.size(); ++f) {
    power[f] += std::max(mean[f] - kAboveNoise * *middle * of_noise(f), 0.0);
  }
}

}  // namespace

double needed_cutoff(const Even& even) {
  constexpr double kShare = 0.99, kTimes = 10.0, kLeast = 3.0, kMost = 50.0;
  constexpr std::size_t kLongestBlock = 16384, kShortestBlock = 32;
  const double most = std::min(kMost, 0.2 * even.rate);
  const Piece& piece = *std::ranges::max_element(even.pieces, {}, &Piece::points);
  std::size_t length = kLongestBlock;
  while (length + 1 > piece.points) length /= 2;
  if (length < kShortestBlock) return most;
  std::vector<double> power(length / 2 + 1);
  for (const Log::Column& q : even.log.q) add_power(even.of(q, piece), length, power);
  double all = 0.0, below = 0.0;
  for (const double p : power) all += p;
  std::size_t f = 0;
  while (f + 1 < power.size() && below <= kShare * all) below += power[++f];
  const double motion = static_cast<double>(f) * even.rate / static_cast<double>(length);
  return std::clamp(kTimes * motion, std::min(kLeast, most), most);
}

}  // namespace dyn
