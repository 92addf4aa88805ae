#include "dyn_core/base/printable.hpp"

#include <algorithm>
#include <cstdint>

namespace dyn {
namespace {

// Number of bytes of the UTF-8 character that `text` begins with; 0 if it is not one.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const std::size_t length = byte(0) >= 0xf0 ? 4 : (byte(0) >= 0xe0 ? 3 : 2);
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xf0 && byte(1) < 0x90);
  const bool no_character =
      (byte(0) == 0xed && byte(1) >= 0xa0) || (byte(0) == 0xf4 && byte(1) >= 0x90);
  return overlong || no_character ? 0 : length;
}

// Of a whole character: a control character (also those above ASCII), or one that breaks or reorders a line.
bool disturbs_a_line(std::string_view character) {
  std::uint32_t code = static_cast<unsigned char>(character[0]);
  if (character.size() > 1) code &= 0x7fU >> character.size();
  for (const char c : character.substr(1))
    code = code << 6 | (static_cast<unsigned char>(c) & 0x3f);
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c ||
         (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string_view without_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return text;
}

std::string printable(std::string_view text, std::size_t longest) {
  std::string line;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (line.size() + std::max<std::size_t>(length, 1) > longest) return line + "…";
    const std::string_view character = text.substr(0, length);
    line += length == 0 ? "?" : disturbs_a_line(character) ? " " : character;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return line;
}

}  // namespace dyn
