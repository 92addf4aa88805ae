#include "samples_file.hpp"

namespace dyn::tool {

SamplesFile::SamplesFile(const std::string& path, Index dof, std::string_view more)
    : file_("--csv", path.empty() ? "-" : path) {
  std::string heading = "t";
  for (const char* name : {"q", "qd", "tau"}) {
    for (Index i = 1; i <= dof; ++i) heading += fmt::format(",{}_{}", name, i);
  }
  file_.write(heading.append(more) + "\n");
}

void SamplesFile::write(double time, const VecXd& q, const VecXd& qd, const VecXd& tau,
                        std::initializer_list<double> more) {
  line_.clear();
  const auto out = std::back_inserter(line_);
  fmt::format_to(out, "{}", time);
  for (const VecXd* values : {&q, &qd, &tau}) {
    for (const double value : *values) fmt::format_to(out, ",{}", value);
  }
  for (const double value : more) fmt::format_to(out, ",{}", value);
  line_.push_back('\n');
  file_.write({line_.data(), line_.size()});
}

}  // namespace dyn::tool
