#include "urdf_outline.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <tinyxml2.h>

#include "dyn_core/base/number.hpp"

namespace dyn::internal {
namespace {

using Element = tinyxml2::XMLElement;

// An attribute that dynamics reads: how many numbers it holds and whether it may be left out.
struct NumericAttribute {
  std::string_view tag, name;
  int count = 1;
  bool required = false;
};

constexpr NumericAttribute kJointNumbers[] = {
    {"origin", "xyz", 3},
    {"origin", "rpy", 3},
    {"axis", "xyz", 3, true},
    {"limit", "lower"},
    {"limit", "upper"},
    {"limit", "effort", 1, true},
    {"limit", "velocity", 1, true},
    {"dynamics", "damping"},
    {"dynamics", "friction"},
    {"mimic", "multiplier"},
    {"mimic", "offset"},
};
constexpr NumericAttribute kInertialNumbers[] = {
    {"origin", "xyz", 3},        {"origin", "rpy", 3},        {"mass", "value", 1, true},
    {"inertia", "ixx", 1, true}, {"inertia", "ixy", 1, true}, {"inertia", "ixz", 1, true},
    {"inertia", "iyy", 1, true}, {"inertia", "iyz", 1, true}, {"inertia", "izz", 1, true},
};
constexpr std::string_view kJointTypes[] = {"revolute", "continuous", "prismatic",
                                            "fixed",    "floating",   "planar"};

// As urdfdom reads it: space may precede a number, nothing may follow it, no locale has a say.
bool is_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  const std::optional<double> value = parse_number(text);
  return value && std::isfinite(*value);
}

bool holds_numbers(std::string_view text, int count) {
  if (count == 1) return is_number(text);
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    if (space > 0 && (!is_number(text.substr(0, space)) || --count < 0)) return false;
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return count == 0;
}

// What a name may not be, as the end of a sentence; empty if it is a good name.
std::string objection_to_name(std::string_view name) {
  constexpr std::size_t kLongest = 200;
  if (name.empty()) return "has an empty name; give it one";
  if (name.size() > kLongest) {
    return fmt::format("has a name of more than {} characters; shorten it", kLongest);
  }
  if (name.find_first_of("&%") != std::string_view::npos || printable(name) != name) {
    return fmt::format(
        "has the name '{}' with a character that a name may not have (&, %, a control "
        "character or invalid UTF-8); rename it",
        printable(name));
  }
  return {};
}

// Walks through the parsed document; the first objection ends the walk.
class OutlineReader : public tinyxml2::XMLVisitor {
 public:
  bool VisitEnter(const Element& tag, const tinyxml2::XMLAttribute* /*first*/) override {
    ++depth_;
    tag_ = &tag;
    objection_ = enter();
    return objection_.empty();
  }
  bool VisitExit(const Element& tag) override {
    if (objection_.empty()) {
      tag_ = &tag;
      objection_ = leave();
    }
    --depth_;
    return objection_.empty();
  }
  bool Visit(const tinyxml2::XMLUnknown& unknown) override {
    objection_ = fmt::format(
        "line {}: a declaration with definitions in it, which no URDF has; "
        "remove it",
        unknown.GetLineNum());
    return false;
  }

  [[nodiscard]] const std::string& objection() const { return objection_; }
  [[nodiscard]] UrdfOutline take() { return std::move(outline_); }

 private:
  enum class Section { kOther, kLink, kJoint };

  // Each returns an empty string, or the sentence of the error.
  std::string enter();
  std::string leave();
  std::string enter_robot();
  std::string enter_section();
  std::string enter_joint_part();
  [[nodiscard]] std::string objection_to_macro() const;
  [[nodiscard]] std::string check_numbers(std::span<const NumericAttribute> known) const;

  [[nodiscard]] std::string_view name() const { return tag_->Name(); }
  [[nodiscard]] std::optional<std::string_view> attribute(std::string_view key) const {
    const char* value = tag_->Attribute(std::string(key).c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string_view>(value);
  }
  // "joint 'shoulder' (line 7)"
  [[nodiscard]] std::string owner() const {
    const bool joint = section_ == Section::kJoint;
    return fmt::format("{} '{}' (line {})", joint ? "joint" : "link",
                       joint ? outline_.joints.back().name : outline_.links.back(), section_line_);
  }
  [[nodiscard]] std::string here() const {
    return fmt::format("line {}: <{}>", tag_->GetLineNum(), name());
  }

  UrdfOutline outline_;
  std::string objection_;
  const Element* tag_ = nullptr;
  int depth_ = 0;
  Section section_ = Section::kOther;
  int section_line_ = 0;
  bool in_inertial_ = false, has_mass_ = false, has_inertia_ = false, has_limit_ = false;
};

std::string OutlineReader::enter() {
  if (std::string text = objection_to_macro(); !text.empty()) return text;
  if (depth_ == 1) return enter_robot();
  if (depth_ == 2) return enter_section();
  if (depth_ == 3 && section_ == Section::kJoint) return enter_joint_part();
  if (depth_ == 3 && section_ == Section::kLink && name() == "inertial") {
    in_inertial_ = true;
    has_mass_ = has_inertia_ = false;
  }
  if (depth_ == 4 && in_inertial_) {
    has_mass_ = has_mass_ || name() == "mass";
    has_inertia_ = has_inertia_ || name() == "inertia";
    return check_numbers(kInertialNumbers);
  }
  return {};
}

std::string OutlineReader::leave() {
  if (depth_ == 3 && in_inertial_) {
    in_inertial_ = false;
    if (!has_mass_) {
      return owner() + ": its <inertial> has no <mass>; add <mass value=\"…\"/> in kg";
    }
    if (!has_inertia_) {
      return owner() +
             ": its <inertial> has no <inertia>; add it with ixx, ixy, ixz, iyy, iyz and "
             "izz in kg m²";
    }
  }
  if (depth_ != 2 || section_ != Section::kJoint) return {};
  const UrdfOutline::Joint& joint = outline_.joints.back();
  for (const auto& [part, name] : {std::pair("parent", &joint.parent), {"child", &joint.child}}) {
    if (name->empty()) {
      return fmt::format("{0}: it has no {1} link; add <{1} link=\"…\"/>", owner(), part);
    }
  }
  if (!has_limit_ && (joint.type == "revolute" || joint.type == "prismatic")) {
    return fmt::format(
        "{}: a {} joint needs limits; add <limit lower=\"…\" upper=\"…\" "
        "effort=\"…\" velocity=\"…\"/>{}",
        owner(), joint.type, joint.type == "revolute" ? " or make it continuous" : "");
  }
  return {};
}

std::string OutlineReader::objection_to_macro() const {
  bool macro = name().starts_with("xacro:");
  for (const auto* entry = tag_->FirstAttribute(); entry != nullptr; entry = entry->Next()) {
    const std::string_view value = entry->Value();
    macro = macro || value.find("${") != std::string_view::npos ||
            value.find("$(") != std::string_view::npos;
  }
  if (!macro) return {};
  return fmt::format(
      "the robot description is a xacro macro file ({}); expand it first: "
      "xacro FILE.xacro > FILE.urdf",
      here());
}

std::string OutlineReader::enter_robot() {
  if (name() == "sdf") {
    return "the robot description is SDF, not URDF; export a URDF from its source";
  }
  if (name() != "robot") {
    return fmt::format(
        "the outermost tag of the robot description is <{}>, not <robot>; give a URDF "
        "file",
        printable(name()));
  }
  const auto given = attribute("name");
  if (!given) return here() + " has no name; write <robot name=\"…\">";
  if (std::string text = objection_to_name(*given); !text.empty()) return here() + " " + text;
  return {};
}

std::string OutlineReader::enter_section() {
  section_ =
      name() == "link" ? Section::kLink : (name() == "joint" ? Section::kJoint : Section::kOther);
  if (section_ == Section::kOther) return {};
  section_line_ = tag_->GetLineNum();
  const auto given = attribute("name");
  if (!given) return here() + " has no name; give it one";
  if (std::string text = objection_to_name(*given); !text.empty()) return here() + " " + text;
  if (section_ == Section::kLink) {
    outline_.links.emplace_back(*given);
    return {};
  }
  has_limit_ = false;
  outline_.joints.push_back({std::string(*given), {}, {}, {}});
  const auto type = attribute("type");
  if (!type || std::ranges::find(kJointTypes, *type) == std::end(kJointTypes)) {
    return fmt::format(
        "{}: {}; choose revolute, continuous, prismatic, fixed, floating or planar", owner(),
        type ? fmt::format("its type '{}' is unknown", printable(*type, 60)) : "it has no type");
  }
  outline_.joints.back().type = *type;
  return {};
}

std::string OutlineReader::enter_joint_part() {
  const std::string_view part = name();
  UrdfOutline::Joint& joint = outline_.joints.back();
  if (part == "parent" || part == "child") {
    std::string& link = part == "parent" ? joint.parent : joint.child;
    if (const auto other = attribute("link"); other && link.empty()) link = *other;
  }
  has_limit_ = has_limit_ || part == "limit";
  if (part == "axis" && (joint.type == "fixed" || joint.type == "floating")) return {};
  return check_numbers(kJointNumbers);
}

std::string OutlineReader::check_numbers(std::span<const NumericAttribute> known) const {
  const std::string_view tag = name();
  for (const NumericAttribute& entry : known) {
    if (entry.tag != tag) continue;
    const auto value = attribute(entry.name);
    if (!value && entry.required) {
      return fmt::format("{}: its <{}> has no {}; add {}=\"…\"", owner(), tag, entry.name,
                         entry.name);
    }
    if (!value || holds_numbers(*value, entry.count)) continue;
    return fmt::format(
        "{}: {}=\"{}\" in its <{}> is not {}", owner(), entry.name, printable(*value, 60), tag,
        entry.count == 1 ? "a finite number; write it with a decimal point, as in \"0.5\""
                         : "three finite numbers; write them with decimal points and spaces, as in "
                           "\"0 0 0.5\"");
  }
  return {};
}

std::string_view cause_of(tinyxml2::XMLError error) {
  switch (error) {
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
      return "a tag is not closed by its own end tag";
    case tinyxml2::XML_ERROR_PARSING_ELEMENT:
      return "a tag is not written as <name …> or </name>";
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
      return "an attribute is not written as name=\"value\"";
    case tinyxml2::XML_ERROR_PARSING_COMMENT:
      return "a comment has no end";
    case tinyxml2::XML_ERROR_PARSING_DECLARATION:
    case tinyxml2::XML_ERROR_PARSING_UNKNOWN:
      return "a declaration has no end or stands in the wrong place";
    case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED:
      return "the tags are nested too deep, as when one is never closed";
    case tinyxml2::XML_ERROR_EMPTY_DOCUMENT:
      return "there is no tag in it";
    case tinyxml2::XML_ERROR_PARSING_TEXT:
    case tinyxml2::XML_ERROR_PARSING:
      return "text stands outside the outermost tag, or that tag is never closed";
    default:
      return "it is not well-formed";
  }
}

// Where the XML itself is wrong; empty if it is one well-formed element.
std::string objection_to_xml(const tinyxml2::XMLDocument& document) {
  if (document.Error()) {
    return fmt::format("line {}: {}; correct the XML", document.ErrorLineNum(),
                       cause_of(document.ErrorID()));
  }
  int elements = 0;
  for (const auto* node = document.FirstChild(); node != nullptr; node = node->NextSibling()) {
    elements += node->ToElement() != nullptr ? 1 : 0;
    if (node->ToText() != nullptr || elements > 1) {
      return fmt::format("line {}: there is something beside the outermost tag; remove it",
                         node->GetLineNum());
    }
  }
  return elements == 1 ? "" : "line 1: there is no tag in it; correct the XML";
}

}  // namespace

Result<UrdfOutline> outline_of(std::string_view xml) {
  tinyxml2::XMLDocument document;
  document.Parse(xml.data(), xml.size());
  if (std::string text = objection_to_xml(document); !text.empty()) return fail(std::move(text));
  OutlineReader reader;
  document.Accept(&reader);
  if (!reader.objection().empty()) return fail(reader.objection());
  UrdfOutline outline = reader.take();
  tinyxml2::XMLPrinter printer(nullptr, true);
  document.Print(&printer);
  outline.xml = printer.CStr();
  return outline;
}

}  // namespace dyn::internal
