// A paper reproduced: its tables, figures, equations, examples, claims and misprints one by one, what it
// prints beside what the running code gives.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common.hpp"
#include "dyn_core/math/counted.hpp"
#include "plot.hpp"

namespace dyn::tool {

enum class ItemKind { kTable, kFigure, kEquation, kExample, kClaim, kErratum };
[[nodiscard]] const char* to_string(ItemKind kind);

struct PaperItem {
  ItemKind kind = ItemKind::kClaim;
  std::string item;  ///< the paper's own name for it: "Table I, Featherstone, M"
  std::string printed, measured;
  std::optional<bool> agrees = {};  ///< none where there is nothing to compare
  std::string note = {};            ///< why it does not agree, or how it was settled
  bool timed =
      false;  ///< by a clock or by what is rounded away: another machine gives other figures
  std::vector<Chart> charts = {};  ///< a figure drawn again
};

/// The items of one paper in its order.
class PaperItems {
 public:
  /// `agrees` as it was computed by the caller.
  PaperItem& add(ItemKind kind, std::string item, std::string printed, std::string measured,
                 std::optional<bool> agrees, std::string note = {});
  /// Agrees where it is the printed number to half a unit of its last digit.
  PaperItem& number(ItemKind kind, std::string item, std::string printed, double measured,
                    std::string note = {});
  /// Agrees where both counts are the printed ones, halves included.
  PaperItem& count(ItemKind kind, std::string item, PrintedCount printed, PrintedCount measured,
                   std::string note = {});
  /// Agrees where `deviation`, a relative one, is round-off: at most `most`.
  PaperItem& identity(ItemKind kind, std::string item, std::string printed, double deviation,
                      double most = 1e-12, std::string note = {});
  /// A figure drawn again; `shows` says what the printed one shows, `agrees` whether the run does.
  PaperItem& figure(std::string item, std::string shows, std::string measured,
                    std::optional<bool> agrees, std::vector<Chart> charts, std::string note = {});

  [[nodiscard]] std::vector<PaperItem> take() { return std::move(items_); }

 private:
  std::vector<PaperItem> items_;
};

struct PaperRoom {
  std::string_view name;      ///< of the command: "saha"
  std::string_view citation;  ///< authors, title, where, year
  std::vector<PaperItem> (*items)(const std::function<void(double)>& progress);
};

/// All five, in the order of the README.
[[nodiscard]] std::span<const PaperRoom> paper_rooms();

// One file each. `progress` is told the share that is done.
std::vector<PaperItem> safeea_items(const std::function<void(double)>& progress);
std::vector<PaperItem> kang_items(const std::function<void(double)>& progress);
std::vector<PaperItem> kozlowski_items(const std::function<void(double)>& progress);
std::vector<PaperItem> saha_items(const std::function<void(double)>& progress);
std::vector<PaperItem> bhangale_items(const std::function<void(double)>& progress);

using ReproducedPapers = std::vector<std::pair<const PaperRoom*, std::vector<PaperItem>>>;

/// The page with every picture, and the same as Markdown without pictures and without what a clock measured.
[[nodiscard]] std::string paper_page(const ReproducedPapers& papers);
[[nodiscard]] std::string paper_markdown(const ReproducedPapers& papers);

}  // namespace dyn::tool
