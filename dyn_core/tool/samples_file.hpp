// Samples of a motion as CSV, such as read_log takes.
#pragma once

#include <initializer_list>

#include "common.hpp"
#include "output.hpp"

namespace dyn::tool {

/// Columns t, q_1…, qd_1…, tau_1…, then those of `more` (",name,name").
class SamplesFile {
 public:
  SamplesFile(const std::string& path, Index dof, std::string_view more = {});

  void write(double time, const VecXd& q, const VecXd& qd, const VecXd& tau,
             std::initializer_list<double> more = {});
  void finish() { file_.finish(); }

 private:
  OutputFile file_;
  fmt::memory_buffer line_;
};

}  // namespace dyn::tool
