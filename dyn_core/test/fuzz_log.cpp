// libFuzzer target: whatever a file holds (CSV, .db3 or .mcap, told by its content), read_log gives a log whose
// times grow and whose numbers are finite, or one sentence; prepare and check_log likewise.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <unistd.h>

#include "dyn_core/identify/check.hpp"
#include "dyn_core/robot/random_chain.hpp"

namespace {

void require_log(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

void check_log_sentence(const std::string& sentence) {
  require_log(!sentence.empty() && sentence.size() < 2500, "a sentence of reasonable length");
  require_log(sentence.find_first_of(";?") != std::string::npos, "a remedy");
  for (const char c : sentence)
    require_log(static_cast<unsigned char>(c) >= ' ', "one printable line");
}

void check_columns(const dyn::Log& log) {
  for (std::size_t k = 1; k < log.t.size(); ++k)
    require_log(log.t[k] > log.t[k - 1], "growing times");
  for (const auto* columns : {&log.q, &log.qd, &log.tau}) {
    for (const dyn::Log::Column& column : *columns) {
      require_log(column.size() == log.t.size(), "columns of one length");
      for (const double value : column) require_log(std::isfinite(value), "finite numbers");
    }
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const dyn::ChainPtr chain = dyn::random_chain(2, 1);
  static const std::string path = "/tmp/dyn_fuzz_log_" + std::to_string(getpid());
  std::FILE* file = std::fopen(path.c_str(), "wb");
  require_log(file != nullptr && std::fwrite(data, 1, size, file) == size, "a file to write");
  std::fclose(file);
  dyn::Result<dyn::Log> log = dyn::read_log(path, *chain);
  if (!log) {
    check_log_sentence(log.error().sentence);
    return 0;
  }
  check_columns(*log);
  std::vector<dyn::Log> logs;
  logs.push_back(std::move(*log));
  const dyn::Result<dyn::Prepared> prepared = dyn::prepare(std::move(logs), *chain);
  if (!prepared) {
    check_log_sentence(prepared.error().sentence);
    return 0;
  }
  require_log(prepared->samples.qdd.allFinite(), "finite accelerations");
  const auto report = dyn::check_log(chain, *prepared, dyn::Effort::kCurrent);
  if (!report) check_log_sentence(report.error().sentence);
  return 0;
}
