#include "modular_time.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>

#include "dyn_core/study/modular_program.hpp"

namespace dyn {
namespace {

constexpr int kSteps = 1000, kRounds = 101;

// One program's time from one assessment to the next, with nothing else changed: where its branches fall in
// the processor's tables.
constexpr double kRepeatability = 0.02;

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

// The states of an arm, one after the other; every `stride`th point for a long program, so that a round is
// too short for others to come between.
std::vector<double> states_of(const ModularProgram& program, std::size_t stride) {
  std::vector<double> states;
  const std::vector<std::array<double, 3>> points = trajectory();
  for (std::size_t k = 0; k < points.size(); k += stride) {
    for (const double value : points[k]) states.insert(states.end(), program.joints(), value);
  }
  return states;
}

// A program and its states, somewhere in memory.
struct Copy {
  ModularProgram program;
  std::vector<double> states;
};

// µs for one state.
double time_once(Copy& copy) {
  const std::size_t width = 3 * copy.program.joints(), count = copy.states.size() / width;
  copy.program.run(copy.states.data());  // its memory is warm
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t k = 0; k < count; ++k) copy.program.run(copy.states.data() + k * width);
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
  return spent.count() / static_cast<double>(count);
}

}  // namespace

void time_by_turns(const std::vector<ChainPtr>& chains, std::vector<ArmAssessment>& arms) {
  constexpr std::size_t kPlaces = 8;  // copies that live at a time: each new one lies elsewhere
  std::vector<Copy> originals;
  std::vector<std::vector<double>> times(chains.size());
  for (const ChainPtr& chain : chains) {
    ModularProgram program(chain);
    const OperationCount& count = program.operations();
    const auto operations = static_cast<std::size_t>(count.multiplications + count.additions);
    std::vector<double> states = states_of(program, 1 + std::min<std::size_t>(operations / 50, 99));
    originals.push_back({std::move(program), std::move(states)});
  }
  std::vector<std::unique_ptr<Copy>> copies(kPlaces * chains.size());
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (std::size_t turn = 0; turn < originals.size(); ++turn) {
      const std::size_t k = (round + turn) % originals.size();
      auto fresh = std::make_unique<Copy>(originals[k]);
      times[k].push_back(time_once(*fresh));
      copies[(round * originals.size() + turn) % copies.size()] = std::move(fresh);
    }
  }
  for (std::size_t k = 0; k < arms.size(); ++k) {
    std::ranges::sort(times[k]);
    arms[k].microseconds = times[k][kRounds / 2];
    arms[k].microseconds_error = times[k][kRounds - 1 - kRounds / 4] - times[k][kRounds / 4] +
                                 kRepeatability * arms[k].microseconds;
    arms[k].timed = originals[k].program.operations();
    arms[k].timed_functions = originals[k].program.functions();
  }
}

}  // namespace dyn
