#include "modular_time.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "dyn_core/study/modular_program.hpp"

namespace dyn {
namespace {

constexpr int kSteps = 1000, kRounds = 41;

// Bhangale eq. (23): every joint moves through π in 10 s, in steps of 0.01 s. Position, speed, acceleration.
std::vector<std::array<double, 3>> trajectory() {
  constexpr double kPeriod = 10.0, kW = 2.0 * M_PI / kPeriod;
  std::vector<std::array<double, 3>> points;
  for (int step = 0; step <= kSteps; ++step) {
    const double phase = kW * kPeriod * step / kSteps;
    points.push_back({0.5 * (phase - std::sin(phase)), 0.5 * kW * (1.0 - std::cos(phase)),
                      0.5 * kW * kW * std::sin(phase)});
  }
  return points;
}

// The states of an arm, one after the other; every `stride`th point for a long program.
std::vector<double> states_of(const ModularProgram& program, std::size_t stride) {
  std::vector<double> states;
  const std::vector<std::array<double, 3>> points = trajectory();
  for (std::size_t k = 0; k < points.size(); k += stride) {
    for (const double value : points[k]) states.insert(states.end(), program.joints(), value);
  }
  return states;
}

// µs for one state.
double time_once(ModularProgram program, const std::vector<double>& states) {
  const std::size_t width = 3 * program.joints(), count = states.size() / width;
  program.run(states.data());  // its memory is warm
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t k = 0; k < count; ++k) program.run(states.data() + k * width);
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
  return spent.count() / static_cast<double>(count);
}

}  // namespace

void time_by_turns(const std::vector<ChainPtr>& chains, std::vector<ArmAssessment>& arms) {
  std::vector<ModularProgram> programs;
  std::vector<std::vector<double>> states, times(chains.size());
  for (const ChainPtr& chain : chains) {
    programs.emplace_back(chain);
    const auto operations = static_cast<std::size_t>(programs.back().operations().multiplications +
                                                     programs.back().operations().additions);
    states.push_back(states_of(programs.back(), 1 + std::min<std::size_t>(operations / 5000, 99)));
  }
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (std::size_t turn = 0; turn < programs.size(); ++turn) {
      const std::size_t k = (round + turn) % programs.size();
      times[k].push_back(time_once(programs[k], states[k]));
    }
  }
  for (std::size_t k = 0; k < arms.size(); ++k) {
    std::ranges::sort(times[k]);
    arms[k].microseconds = times[k][kRounds / 2];
    arms[k].microseconds_error = times[k][kRounds - 1 - kRounds / 4] - times[k][kRounds / 4];
    arms[k].timed = programs[k].operations();
    arms[k].timed_functions = programs[k].functions();
  }
}

}  // namespace dyn
