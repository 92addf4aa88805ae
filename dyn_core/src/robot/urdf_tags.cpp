#include "urdf_tags.hpp"

#include <algorithm>

namespace dyn::internal {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

}  // namespace

std::optional<XmlTag> next_tag(std::string_view xml, std::size_t& at) {
  for (at = xml.find('<', at); at < xml.size(); at = xml.find('<', at)) {
    const bool comment = xml.substr(at, 4) == "<!--";
    if (!comment && xml.substr(at, 9) != "<![CDATA[") break;
    at = std::min(xml.find(comment ? "-->" : "]]>", at), xml.size());
  }
  if (at >= xml.size()) return std::nullopt;
  XmlTag tag;
  tag.begin = at;
  tag.declaration = xml.substr(at, 2) == "<!" || xml.substr(at, 2) == "<?";
  for (at = xml.find_first_of("\"'>", at); at < xml.size(); at = xml.find_first_of("\"'>", at)) {
    if (xml[at] == '>' || tag.declaration) break;
    at = xml.find(xml[at], at + 1);
    if (at < xml.size()) ++at;
    ++tag.values;
  }
  at = std::min(xml.find('>', at), xml.size());
  if (at < xml.size()) ++at;
  tag.end = at;
  tag.text = xml.substr(tag.begin, tag.end - tag.begin);
  return tag;
}

std::string_view XmlTag::name() const {
  const std::string_view rest = text.substr(closes() ? 2 : 1);
  return rest.substr(0, rest.find_first_of(" \t\r\n/>"));
}

std::optional<std::string_view> XmlTag::attribute(std::string_view key) const {
  std::size_t at = 1 + name().size();
  while (true) {
    const std::size_t key_begin = text.find_first_not_of(kSpace, at);
    const std::size_t open = text.find_first_of("\"'", at);
    if (open == std::string_view::npos) return std::nullopt;
    const std::size_t close = text.find(text[open], open + 1);
    if (close == std::string_view::npos) return std::nullopt;
    if (text.substr(key_begin, text.find_first_of(" \t\r\n=", key_begin) - key_begin) == key) {
      return text.substr(open + 1, close - open - 1);
    }
    at = close + 1;
  }
}

}  // namespace dyn::internal
