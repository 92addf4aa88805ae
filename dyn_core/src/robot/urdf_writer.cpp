#include "dyn_core/robot/urdf_writer.hpp"

#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "dyn_core/base/printable.hpp"
#include "urdf_document.hpp"
#include "urdf_tags.hpp"

namespace dyn {
namespace {

using internal::XmlTag;

/// What stands in place of the bytes from `begin` to `end`.
struct Edit {
  std::size_t begin = 0, end = 0;
  std::string text = {};
};

/// A link or a joint in the text, and its <inertial> or <dynamics>.
struct UrdfSection {
  XmlTag tag = {};
  std::optional<XmlTag> first_child = {}, part = {};
  std::size_t part_end = 0;
};

std::string attribute_with(const char* key, double value) {
  return fmt::format("{}=\"{}\"", key, value);
}

// The tag with this value in place of the attribute's own.
std::string with_attribute(std::string tag, const char* key, double value) {
  const XmlTag whole{.text = tag};
  if (const auto own = whole.attribute(key)) {
    const auto at = static_cast<std::size_t>(own->data() - tag.data());
    return tag.replace(at, own->size(), fmt::format("{}", value));
  }
  return tag.insert(1 + whole.name().size(), " " + attribute_with(key, value));
}

class UrdfRewriter {
 public:
  UrdfRewriter(std::string_view urdf, std::string_view note)
      : urdf_(urdf), newline_(urdf.find("\r\n") == std::string_view::npos ? "\n" : "\r\n") {
    read_sections();
    if (note.empty()) return;
    note_ = "<!-- ";
    for (const char c : printable(note)) {
      if (c == '-' && note_.back() == '-') note_ += ' ';  // no -- in a comment
      note_ += c;
    }
    note_ += " -->";
  }

  /// Empty, or the sentence of the error.
  std::string put(const LinkInertia& given) {
    const auto link = links_.find(given.link);
    if (link == links_.end()) return unknown("link", given.link);
    const RigidBody& body = given.body;
    if (!std::isfinite(body.mass) || !body.com.allFinite() || !body.inertia.allFinite()) {
      return not_finite("link", given.link, "mass, centre of mass or inertia");
    }
    put_part(link->second, [&](const std::string& line) { return inertial(body, line); });
    return {};
  }
  std::string put(const JointFriction& given) {
    const auto joint = joints_.find(given.joint);
    if (joint == joints_.end()) return unknown("joint", given.joint);
    if (!std::isfinite(given.damping) || !std::isfinite(given.friction)) {
      return not_finite("joint", given.joint, "damping or friction");
    }
    const auto& own = joint->second.part;
    put_part(joint->second, [&](const std::string& /*line*/) { return dynamics(given, own); });
    return {};
  }

  [[nodiscard]] std::string text() const {
    std::string out;
    std::size_t at = 0;
    for (const auto& [begin, edit] : edits_) {
      out += urdf_.substr(at, edit.begin - at);
      out += edit.text;
      at = edit.end;
    }
    return out += urdf_.substr(at);
  }

 private:
  void read_sections();
  UrdfSection* section_of(const XmlTag& tag);

  static std::string unknown(const char* what, const std::string& name) {
    return fmt::format("the robot description has no {} '{}' to write to; check the name", what,
                       printable(name));
  }
  static std::string not_finite(const char* what, const std::string& name, const char* numbers) {
    return fmt::format("{} '{}': the {} to be written is not finite; correct it", what, name,
                       numbers);
  }

  // The line break and the white space before a tag; empty where it is not the first of its line.
  [[nodiscard]] std::string line_before(const XmlTag& tag) const {
    const std::size_t end = urdf_.substr(0, tag.begin).find_last_not_of(" \t") + 1;
    if (end == 0 || urdf_[end - 1] != '\n') return {};
    return newline_ + std::string(urdf_.substr(end, tag.begin - end));
  }
  [[nodiscard]] std::string line_of_part(const UrdfSection& section) const {
    const auto& like = section.part ? section.part : section.first_child;
    if (like && !line_before(*like).empty()) return line_before(*like);
    const std::string line = line_before(section.tag);
    return (line.empty() ? newline_ : line) + "  ";
  }

  template <class Write>
  void put_part(const UrdfSection& section, Write write) {
    const std::string line = line_of_part(section), part = write(line);
    const XmlTag& tag = section.tag;
    if (section.part) {
      edits_[section.part->begin] = {section.part->begin, section.part_end, part};
    } else if (!tag.is_empty()) {
      edits_[tag.end] = {tag.end, tag.end, line + part};
    } else {
      const std::string own_line = line_before(tag);
      edits_[tag.end] = {tag.end - 2, tag.end,
                         fmt::format(">{}{}{}</{}>", line, part,
                                     own_line.empty() ? newline_ : own_line, tag.name())};
    }
  }

  [[nodiscard]] std::string inertial(const RigidBody& body, const std::string& line) const {
    const Mat3d& I = body.inertia;
    const std::string inner = line + "  ";
    return fmt::format(
        "<inertial>{0}{1}<origin xyz=\"{2} {3} {4}\" rpy=\"0 0 0\"/>{1}<mass value=\"{5}\"/>{1}"
        "<inertia ixx=\"{6}\" ixy=\"{7}\" ixz=\"{8}\" iyy=\"{9}\" iyz=\"{10}\" izz=\"{11}\"/>{12}"
        "</inertial>",
        note_.empty() ? "" : inner + note_, inner, body.com.x(), body.com.y(), body.com.z(),
        body.mass, I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2), line);
  }

  [[nodiscard]] std::string dynamics(const JointFriction& joint,
                                     const std::optional<XmlTag>& own) const {
    std::string tag(own ? own->text : "<dynamics/>");
    tag = with_attribute(with_attribute(std::move(tag), "friction", joint.friction), "damping",
                         joint.damping);
    if (tag.ends_with("/>")) tag.replace(tag.size() - 2, 2, ">");
    if (!note_.empty()) return tag + note_ + "</dynamics>";
    return tag.insert(tag.size() - 1, "/");
  }

  std::string_view urdf_;
  std::string newline_, note_;
  std::map<std::string, UrdfSection, std::less<>> links_, joints_;
  std::map<std::size_t, Edit> edits_;
};

// Null for what is neither a link nor a joint.
UrdfSection* UrdfRewriter::section_of(const XmlTag& tag) {
  if (tag.name() != "link" && tag.name() != "joint") return nullptr;
  const std::string name(tag.attribute("name").value_or(""));
  return &((tag.name() == "link" ? links_ : joints_)[name] = {.tag = tag});
}

// The text is known to be well-formed.
void UrdfRewriter::read_sections() {
  std::size_t at = 0;
  int depth = 0;
  UrdfSection* section = nullptr;
  while (const auto tag = internal::next_tag(urdf_, at)) {
    if (tag->declaration) continue;
    if (tag->closes()) {
      --depth;
      if (depth == 1) section = nullptr;
      if (depth == 2 && section != nullptr && section->part_end == 0 && section->part) {
        section->part_end = tag->end;
      }
      continue;
    }
    if (depth == 1) section = section_of(*tag);
    if (depth == 2 && section != nullptr) {
      if (!section->first_child) section->first_child = tag;
      const char* part = section->tag.name() == "link" ? "inertial" : "dynamics";
      if (!section->part && tag->name() == part) {
        section->part = tag;
        section->part_end = tag->is_empty() ? tag->end : 0;
      }
    }
    if (!tag->is_empty()) ++depth;
  }
}

}  // namespace

Result<std::string> rewrite_urdf(std::string_view urdf, const std::vector<LinkInertia>& links,
                                 const std::vector<JointFriction>& joints, std::string_view note) {
  if (auto tree = internal::read_urdf(urdf); !tree) return tl::unexpected(tree.error());
  UrdfRewriter rewriter(urdf, note);
  std::string objection;
  for (const LinkInertia& link : links) {
    if (objection.empty()) objection = rewriter.put(link);
  }
  for (const JointFriction& joint : joints) {
    if (objection.empty()) objection = rewriter.put(joint);
  }
  if (!objection.empty()) return fail(std::move(objection));
  return rewriter.text();
}

}  // namespace dyn
