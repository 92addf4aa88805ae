#include "mesh_formats.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "dyn_core/base/number.hpp"
#include "dyn_core/base/printable.hpp"

namespace dyn::internal {
namespace {

constexpr std::string_view kBetweenWords = " \t\r\n\v\f";

// Takes the first word off the text; empty where there is none.
std::string_view take_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kBetweenWords), rest.size()));
  const std::string_view word = rest.substr(0, rest.find_first_of(kBetweenWords));
  rest.remove_prefix(word.size());
  return word;
}

std::optional<Vec3d> take_point(std::string_view& rest) {
  Vec3d point;
  for (double& x : point) {
    const std::optional<double> value = parse_number(take_word(rest));
    if (!value) return std::nullopt;
    x = *value;
  }
  return point;
}

std::string too_many() {
  return fmt::format("it has more than {} triangles; export a coarser one", kMostTriangles);
}

std::string read_binary_stl(const std::string& bytes, std::uint32_t count, Mesh& mesh) {
  constexpr std::size_t kHead = 84, kTriangle = 50, kNormal = 12;
  if (count > kMostTriangles) return too_many();
  for (std::uint32_t t = 0; t < count; ++t) {
    float numbers[9];
    std::memcpy(numbers, bytes.data() + kHead + kTriangle * t + kNormal, sizeof numbers);
    for (int k = 0; k < 3; ++k) {
      mesh.corners.emplace_back(numbers[3 * k], numbers[3 * k + 1], numbers[3 * k + 2]);
    }
    mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  return {};
}

std::string read_text_stl(std::string_view rest, Mesh& mesh) {
  for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
    if (word != "vertex" && word != "VERTEX") continue;
    const auto point = take_point(rest);
    if (!point) return "a vertex of it has not three numbers; export it anew";
    mesh.corners.push_back(*point);
    if (mesh.corners.size() % 3 != 0) continue;
    const auto last = static_cast<std::uint32_t>(mesh.corners.size() - 1);
    mesh.triangles.push_back({last - 2, last - 1, last});
    if (mesh.triangles.size() > kMostTriangles) return too_many();
  }
  if (mesh.corners.size() % 3 != 0) return "its last triangle is not whole; export it anew";
  return {};
}

// "7", "7/1", "7//2", "-1": the number of a corner, counted from 1 or back from the last.
std::optional<std::uint32_t> corner_of(std::string_view word, std::size_t corners) {
  const std::optional<double> number = parse_number(word.substr(0, word.find('/')));
  if (!number) return std::nullopt;
  const double at = *number < 0.0 ? *number + static_cast<double>(corners) : *number - 1.0;
  if (!(at >= 0.0) || !(at < static_cast<double>(corners))) return std::nullopt;
  return static_cast<std::uint32_t>(at);
}

}  // namespace

std::string read_stl(const std::string& bytes, Mesh& mesh) {
  std::uint32_t count = 0;
  const std::size_t room = bytes.size() < 84 ? 0 : (bytes.size() - 84) / 50;
  if (bytes.size() >= 84) std::memcpy(&count, bytes.data() + 80, sizeof count);
  const bool exact = bytes.size() >= 84 && bytes.size() == 84 + 50 * std::size_t{count};
  if (!exact && bytes.starts_with("solid")) return read_text_stl(bytes, mesh);
  if (bytes.size() < 84 || count > room) {
    return fmt::format("it is cut off: it has room for {} triangles and announces {}; copy it anew",
                       room, count);
  }
  return read_binary_stl(bytes, count, mesh);
}

std::string read_obj(const std::string& text, Mesh& mesh) {
  std::string_view rest = text;
  for (int line = 1; !rest.empty(); ++line) {
    std::string_view words = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(words.size() + 1, rest.size()));
    const std::string_view kind = take_word(words);
    if (kind == "v") {
      const auto point = take_point(words);
      if (!point)
        return fmt::format("line {}: a vertex has not three numbers; export it anew", line);
      mesh.corners.push_back(*point);
    }
    if (kind != "f") continue;
    std::array<std::uint32_t, 3> fan{};
    std::size_t size = 0;
    for (auto word = take_word(words); !word.empty(); word = take_word(words)) {
      const auto corner = corner_of(word, mesh.corners.size());
      if (!corner)
        return fmt::format("line {}: there is no vertex '{}'; export it anew", line,
                           printable(word, 30));
      fan = {size == 0 ? *corner : fan[0], fan[2], *corner};
      if (++size > 2) mesh.triangles.push_back(fan);
    }
    if (mesh.triangles.size() > kMostTriangles) return too_many();
  }
  return {};
}

}  // namespace dyn::internal
