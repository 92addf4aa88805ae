// dyn bench: time per call of every algorithm, of many states at once, and of other libraries.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "../bench/chain_text.hpp"
#include "bench_cases.hpp"
#include "common.hpp"
#include "dyn_core/fast/fast_dynamics.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "dyn_core/robot/robot_name.hpp"
#include "output.hpp"
#include "progress.hpp"

namespace dyn::tool {
namespace {

using bench::Timing;

struct BenchOptions {
  RobotOptions robot;
  std::string dof;
  std::string batch;
  std::vector<std::string> only;
  std::string target;
  int threads = 1;
  int rounds = 15;
  bool no_peers = false;
  bool specialise = false;
  bool json = false;
};

constexpr double kUnrest = 1.10;

std::vector<Index> sizes(const std::string& text, const std::string& option, double most) {
  std::vector<Index> out;
  for (const double n : numbers(text, option)) {
    if (n < 1.0 || n > most || n != std::floor(n)) {
      throw Failure(fmt::format("{} takes whole numbers from 1 to {:.0f}", option, most));
    }
    out.push_back(static_cast<Index>(n));
  }
  return out;
}

// What dyn_bench_peers, where it stands beside this program, says on the chain.
class Peers {
 public:
  explicit Peers(bool wanted) {
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::filesystem::path path = self.parent_path() / "dyn_bench_peers";
    if (wanted && !error && access(path.c_str(), X_OK) == 0) program_ = path;
  }
  [[nodiscard]] bool present() const { return !program_.empty(); }

  void round(const Chain& chain, std::vector<Timing>& timings) const {
    std::string name = std::filesystem::temp_directory_path() / "dyn_bench_chain_XXXXXX";
    const int file = mkstemp(name.data());
    if (file < 0) return;
    std::ostringstream text;
    bench::write_chain(chain, text);
    const std::string content = text.str();
    const bool written =
        write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size());
    close(file);
    if (written) read_from(fmt::format("'{}' 3 < '{}'", program_.string(), name), timings);
    std::filesystem::remove(name);
  }

 private:
  static void read_from(const std::string& command, std::vector<Timing>& timings) {
    std::FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return;
    char quantity[64], peer[64];
    double ns = 0.0;
    while (std::fscanf(pipe, "%63s %63s %lf", quantity, peer, &ns) == 3) {
      const auto known = std::ranges::find_if(
          timings, [&](const Timing& t) { return t.quantity == quantity && t.algorithm == peer; });
      if (known != timings.end()) {
        known->ns.push_back(ns);
      } else {
        timings.push_back({quantity, peer, 1, 1, {}, {ns}});
      }
    }
    pclose(pipe);
  }

  std::filesystem::path program_;
};

struct Measured {
  Index dof = 0;
  std::vector<Timing> timings;  // ours, then the peers'
};

Measured measure(const ChainPtr& chain, const std::vector<Index>& batches,
                 const BenchOptions& options, const Peers& peers, double from, double to,
                 Progress& progress) {
  Measured result{chain->dof(), {}};
  std::vector<Timing> others;
  const Selection selection{chain, options.only};
  add_single_states(selection, result.timings);
  for (const Index batch : batches) {
    add_batch(chain, batch, options.threads, false, result.timings);
    if (options.specialise) add_batch(chain, batch, options.threads, true, result.timings);
  }
  if (const std::string file = robot_named(options.robot.robot).file;
      !file.empty() && file != "-" && selection.wants("load")) {
    add_loading(file, chain, result.timings);
  }
  const bench::Stopwatch stopwatch;
  for (int r = 0; r < options.rounds; ++r) {
    stopwatch.round(result.timings, [&](double share) {
      if (InterruptGuard::requested()) throw Interrupted();
      progress.show(from + (to - from) * (r + share) / options.rounds);
    });
    if (peers.present() && !chain->has_mimic() && r % 5 == 0) peers.round(*chain, others);
  }
  std::ranges::move(others, std::back_inserter(result.timings));
  return result;
}

// Smallest first, then each in ratio to it.
void print(const std::string& title, const Measured& result) {
  fmt::print("{}\n", bold(title));
  std::map<std::pair<std::string, long>, std::vector<const Timing*>> groups;
  for (const Timing& t : result.timings) groups[{t.quantity, t.batch}].push_back(&t);
  for (auto& [key, rows] : groups) {
    std::ranges::sort(rows, {}, [](const Timing* t) { return t->median(); });
    fmt::print("  {}\n", bold(key.second == 1 ? key.first
                                              : fmt::format("{}, {} states at a time, per state",
                                                            key.first, key.second)));
    for (const Timing* t : rows) {
      fmt::print("    {:<26}{:>12.1f} ns{:>9.2f} x\n", t->algorithm, t->median(),
                 t->median() / rows.front()->median());
    }
  }
}

std::vector<ChainPtr> chains_of(const BenchOptions& options) {
  if (!options.robot.robot.empty()) {
    if (!options.dof.empty()) throw Failure("give either a ROBOT or --dof N");
    return {options.robot.load()};
  }
  std::vector<ChainPtr> chains;
  for (const Index n : sizes(options.dof.empty() ? "7" : options.dof, "--dof", 1000)) {
    chains.push_back(random_chain(n, kSeed));
  }
  return chains;
}

// A name that nothing has would time nothing.
void require_known(const std::vector<std::string>& only) {
  const std::vector<std::string> known = timed_names();
  for (const std::string& name : only) {
    if (std::ranges::find(known, name) != known.end()) continue;
    throw Failure(
        fmt::format("--only: there is no '{}'; choose of {}", name, fmt::join(known, ", ")));
  }
}

void choose_target(const BenchOptions& options) {
  if (!force_simd_target(options.target)) {
    std::string names;
    for (const std::string_view name : simd_targets()) names += fmt::format(" {}", name);
    throw Failure(fmt::format("--target: this processor or build has no '{}'; choose one of:{}",
                              options.target, names));
  }
}

void warn_of_noise(double unrest) {
  if (unrest <= kUnrest) return;
  say("the machine is busy: typical rounds take {:.0f} % longer than the quietest one. Compare "
      "ratios within this run only, or run again when it is quiet.",
      100.0 * (unrest - 1.0));
}

void run_bench(const BenchOptions& options) {
  require_known(options.only);
  choose_target(options);
  const std::vector<ChainPtr> chains = chains_of(options);
  const std::vector<Index> batches = sizes(options.batch, "--batch", 1e7);
  const Peers peers(!options.no_peers);
  const InterruptGuard interrupt;
  Progress progress("timing", !options.json);
  Json timings = Json::array();
  double unrest = 1.0;
  for (std::size_t c = 0; c < chains.size(); ++c) {
    const auto share = [&](std::size_t i) {
      return static_cast<double>(i) / static_cast<double>(chains.size());
    };
    const Measured result =
        measure(chains[c], batches, options, peers, share(c), share(c + 1), progress);
    unrest = std::max(unrest, bench::unrest(result.timings));
    for (const Timing& t : result.timings) {
      timings.push_back({{"quantity", t.quantity},
                         {"algorithm", t.algorithm},
                         {"dof", result.dof},
                         {"batch", t.batch},
                         {"ns", t.median()},
                         {"ns_decile", t.at(0.1)}});
    }
    if (!options.json) {
      print(fmt::format("{}, n = {}, {}",
                        options.robot.robot.empty() ? "revolute chain" : chains[c]->name(),
                        result.dof, FastDynamics(Model(chains[c])).target()),
            result);
    }
  }
  if (options.json) fmt::print("{}\n", Json{{"timings", timings}, {"unrest", unrest}}.dump(2));
  warn_of_noise(unrest);
}

}  // namespace

void add_bench(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bench", "Time per call of every algorithm, in ns");
  auto options = std::make_shared<BenchOptions>();
  options->robot.add_to(*command, false);
  command->add_option("--dof", options->dof,
                      "Time random revolute chains instead: N,N,…; 7 where no ROBOT is given");
  command->add_option("--batch", options->batch,
                      "Also so many states at a time, side by side in the processor: K,K,…");
  command->add_flag(
      "--specialise", options->specialise,
      "With --batch: also by code compiled for each chain, and kept in the user's cache folder");
  command
      ->add_option("--only", options->only, "Leave out all other algorithms, and load: NAME,NAME,…")
      ->delimiter(',');
  command->add_option("--threads", options->threads, "Threads that share a batch")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command->add_option("--target", options->target,
                      "Instruction set of the fast algorithms: baseline, avx2, avx512");
  command->add_option("--rounds", options->rounds, "Rounds, of which the median counts")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command->add_flag("--no-peers", options->no_peers, "Leave other libraries out");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->footer(
      "All functions are timed in turn, round after round, on 16 random states; `load` is the way "
      "from the file to a solver. Other libraries are timed where dyn_bench_peers was built.\n"
      "Example: dyn bench --dof 7,30 --batch 8\nExample: dyn bench puma560 --batch 64 "
      "--specialise");
  command->callback([options] { run_bench(*options); });
}

}  // namespace dyn::tool
