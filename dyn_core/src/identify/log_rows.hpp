// What the three readers of logs have in common: whose number is whose, which rows are kept.
#pragma once

#include <optional>
#include <span>

#include "dyn_core/identify/log.hpp"
#include "identify/log_bytes.hpp"

namespace dyn {

/// Collects the rows of a log in the order of the file.
class LogRows {
 public:
  /// `path` is what sentences name; chain and options are kept by reference.
  LogRows(const Chain& chain, const LogOptions& options, std::string path);

  /// Says where in a row of the log the numbers of each coordinate stand, `names` being those of the row.
  /// False where not all of them are there.
  bool name_columns(std::span<const std::string_view> names);
  [[nodiscard]] const std::vector<std::string>& wanted() const { return wanted_; }
  [[nodiscard]] const LogOptions& options() const { return options_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// A row of numbers by the columns of name_columns, `at(kind, column)` for q, qd and tau; times in s. An
  /// error where there are more rows than memory should hold.
  template <class At>
  Result<void> add(double stamp, double received, bool has_velocity, At&& at) {
    const std::size_t n = places_.size();
    for (std::size_t i = 0; i < n; ++i) {
      row_[i] = at(0, places_[i]);
      row_[n + i] = has_velocity ? at(1, places_[i]) : kNone;
      row_[2 * n + i] = at(2, places_[i]);
    }
    return keep(stamp, received);
  }

  /// Rows that the reader itself has passed over: without effort, with some of the joints only, broken.
  std::size_t without_effort = 0, incomplete = 0, malformed = 0;
  bool damaged = false;
  std::string topic;  ///< that is read; empty without topics
  std::optional<std::pair<std::int64_t, std::uint64_t>> origin;  ///< first times of a bag, ns

  [[nodiscard]] Result<Log> finish();

 private:
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  Result<void> keep(double stamp, double received);
  bool match(std::span<const std::string_view> names, std::string_view ours,
             std::string_view theirs);
  [[nodiscard]] std::vector<std::size_t> rows_in_time(Log& log);
  [[nodiscard]] std::string objection() const;
  void write_notes(Log& log) const;

  const LogOptions& options_;
  std::string path_;
  std::vector<std::string> wanted_;
  std::vector<std::size_t> places_;
  std::vector<double> row_;
  Log::Column stamps_, received_;
  std::vector<Log::Column> columns_;  // q, qd, tau by coordinate
  std::vector<std::string> names_;    // of the first row
  std::string renamed_;               // how the log's names begin instead of the chain's
  bool numbered_ = false;
  bool named_ = false;  // the joints were found
  std::size_t not_finite_ = 0, without_velocity_ = 0, doubled_ = 0, late_ = 0, set_back_ = 0;
};

/// The readers: an error ends the reading. What is only broken at its end is read up to there.
[[nodiscard]] Result<void> read_csv(Bytes& in, LogRows& rows);
[[nodiscard]] Result<void> read_mcap(Bytes& in, LogRows& rows);
[[nodiscard]] Result<void> read_db3(const std::string& path, LogRows& rows);

}  // namespace dyn
