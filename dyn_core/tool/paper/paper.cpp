#include "paper.hpp"

#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace dyn::tool {

const char* to_string(ItemKind kind) {
  switch (kind) {
    case ItemKind::kTable:
      return "table";
    case ItemKind::kFigure:
      return "figure";
    case ItemKind::kEquation:
      return "equation";
    case ItemKind::kExample:
      return "example";
    case ItemKind::kClaim:
      return "claim";
    case ItemKind::kErratum:
      return "erratum";
  }
  return "?";
}

PaperItem& PaperItems::add(ItemKind kind, std::string item, std::string printed,
                           std::string measured, std::optional<bool> agrees, std::string note) {
  items_.push_back(
      {kind, std::move(item), std::move(printed), std::move(measured), agrees, std::move(note)});
  return items_.back();
}

namespace {

// Half a unit of the last digit that is printed: 0.05 for "2.2", 0.005e-3 for "1.23e-3".
double half_a_digit(const std::string& printed) {
  const std::size_t exponent = printed.find_first_of("eE");
  const std::string digits = printed.substr(0, exponent);
  const std::size_t point = digits.find('.');
  const double decimals =
      point == std::string::npos ? 0.0 : static_cast<double>(digits.size() - point - 1);
  const double power =
      exponent == std::string::npos ? 0.0 : std::atof(printed.c_str() + exponent + 1);
  return 0.5 * std::pow(10.0, power - decimals);
}

}  // namespace

PaperItem& PaperItems::number(ItemKind kind, std::string item, std::string printed, double measured,
                              std::string note) {
  const double error = std::abs(measured - std::atof(printed.c_str()));
  const bool agrees = error <= half_a_digit(printed) * (1.0 + 1e-9);
  return add(kind, std::move(item), std::move(printed), fmt::format("{:.6g}", measured), agrees,
             std::move(note));
}

PaperItem& PaperItems::count(ItemKind kind, std::string item, PrintedCount printed,
                             PrintedCount measured, std::string note) {
  return add(kind, std::move(item), text(printed), text(measured), printed == measured,
             std::move(note));
}

PaperItem& PaperItems::identity(ItemKind kind, std::string item, std::string printed,
                                double deviation, double most, std::string note) {
  return add(kind, std::move(item), std::move(printed),
             deviation <= most ? fmt::format("holds, to {:.0e}", most)
                               : fmt::format("off by {:.1g}", deviation),
             deviation <= most, std::move(note));
}

PaperItem& PaperItems::figure(std::string item, std::string shows, std::string measured,
                              std::optional<bool> agrees, std::vector<Chart> charts,
                              std::string note) {
  PaperItem& out = add(ItemKind::kFigure, std::move(item), std::move(shows), std::move(measured),
                       agrees, std::move(note));
  out.charts = std::move(charts);
  return out;
}

std::span<const PaperRoom> paper_rooms() {
  static constexpr auto kRooms = std::to_array<PaperRoom>({
      {"safeea",
       "M. Safeea, R. Béarée, P. Neto: Reducing the computational complexity of mass-matrix "
       "calculation for high DOF robots. IROS 2018",
       safeea_items},
      {"kang",
       "H.-J. Kang: Computationally efficient KIC-based dynamic modeling of robot manipulators",
       kang_items},
      {"saha",
       "S. K. Saha: Simulation of industrial manipulators based on the UDUᵀ decomposition of "
       "inertia "
       "matrix. Multibody System Dynamics 9, 2003",
       saha_items},
      {"kozlowski",
       "K. Kozłowski: Robot dynamics models in terms of generalized and quasi-coordinates: a "
       "comparison. Applied Mathematics and Computer Science 5, 1995",
       kozlowski_items},
      {"bhangale",
       "P. P. Bhangale, S. K. Saha, V. P. Agrawal: A dynamic model based robot arm selection "
       "criterion. Journal of Intelligent and Robotic Systems 2004",
       bhangale_items},
  });
  return kRooms;
}

}  // namespace dyn::tool
