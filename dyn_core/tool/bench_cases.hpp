// What `dyn bench` times.
#pragma once

#include <string>
#include <vector>

#include "../bench/stopwatch.hpp"
#include "dyn_core/robot/chain.hpp"

namespace dyn::tool {

struct Selection {
  ChainPtr chain;
  std::vector<std::string> only;  ///< names of algorithms; empty: all

  [[nodiscard]] bool wants(const std::string& algorithm) const;
};

/// The names that a Selection can choose of.
[[nodiscard]] std::vector<std::string> timed_names();

/// Every algorithm selected of every quantity through a Solver, one state a call.
void add_single_states(const Selection& selection, std::vector<bench::Timing>& out);
/// A Batch of so many states a call, by the kernels or by code for the chain; nothing for chains that a Batch refuses.
void add_batch(const ChainPtr& chain, Index states, int threads, bool specialise,
               std::vector<bench::Timing>& out);

/// From the file of a robot description to a solver.
void add_loading(const std::string& path, const ChainPtr& chain, std::vector<bench::Timing>& out);

}  // namespace dyn::tool
