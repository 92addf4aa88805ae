// COLLADA: the triangles and polygons of a scene.
#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <tinyxml2.h>

#include "dyn_core/base/number.hpp"
#include "mesh_formats.hpp"
#include "urdf_tags.hpp"

namespace dyn::internal {
namespace {

using Tag = tinyxml2::XMLElement;

std::string_view attribute_of(const Tag& tag, const char* name) {
  const char* const value = tag.Attribute(name);
  return value == nullptr ? "" : value;
}

const Tag* child(const Tag* tag, const char* name) {
  return tag == nullptr ? nullptr : tag->FirstChildElement(name);
}

// Up to what is not a number.
std::vector<double> numbers_in(const Tag* tag) {
  constexpr std::string_view kBetweenNumbers = " \t\r\n";
  const char* const text = tag == nullptr ? nullptr : tag->GetText();
  std::string_view rest = text == nullptr ? "" : text;
  std::vector<double> numbers;
  while (true) {
    rest.remove_prefix(std::min(rest.find_first_not_of(kBetweenNumbers), rest.size()));
    const std::string_view word = rest.substr(0, rest.find_first_of(kBetweenNumbers));
    const auto number = parse_number(word);
    if (!number) return numbers;
    numbers.push_back(*number);
    rest.remove_prefix(word.size());
  }
}

// What the parser may take: memory many times the text of short tags, time by the square of attributes.
std::string objection_to_tags(std::string_view xml) {
  constexpr std::size_t kMostTags = 200'000, kMostValues = 100;
  std::size_t at = 0, tags = 0;
  while (const auto tag = next_tag(xml, at)) {
    if (++tags > kMostTags || tag->values > kMostValues) {
      return fmt::format(
          "it has more than {} tags or a tag with more than {} attributes; export it as STL",
          kMostTags, kMostValues);
    }
  }
  return {};
}

// A node's own steps, one after the other; what has too few numbers is none.
Eigen::Affine3d placement_of(const Tag& node) {
  Eigen::Affine3d pose = Eigen::Affine3d::Identity();
  for (const Tag* step = node.FirstChildElement(); step != nullptr;
       step = step->NextSiblingElement()) {
    const std::string_view kind = step->Name();
    if (kind != "matrix" && kind != "translate" && kind != "rotate" && kind != "scale") continue;
    const std::vector<double> x = numbers_in(step);
    if (kind == "matrix" && x.size() == 16) {
      pose = pose * Eigen::Affine3d(
                        Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(x.data()));
    } else if (kind == "translate" && x.size() == 3) {
      pose.translate(Vec3d(x[0], x[1], x[2]));
    } else if (kind == "rotate" && x.size() == 4) {
      pose.rotate(Eigen::AngleAxisd(x[3] * M_PI / 180.0, Vec3d(x[0], x[1], x[2]).normalized()));
    } else if (kind == "scale" && x.size() == 3) {
      pose.scale(Vec3d(x[0], x[1], x[2]));
    }
  }
  return pose;
}

class SceneReader {
 public:
  std::string read(const std::string& xml, Mesh& mesh);

 private:
  void collect_ids();
  [[nodiscard]] const Tag* target(const Tag* tag, const char* attribute) const;
  std::string place(const Tag& node, const Eigen::Affine3d& above, Mesh& mesh);
  std::string add(const Mesh& part, const Eigen::Affine3d& pose, Mesh& mesh) const;
  const Mesh& geometry(const Tag& tag);
  [[nodiscard]] std::vector<Vec3d> positions(const Tag& mesh) const;
  static void add_polygons(const Tag& list, Mesh& mesh);

  tinyxml2::XMLDocument document_;
  std::map<std::string_view, const Tag*> ids_;
  std::map<const Tag*, Mesh> geometries_;  // each is read once
  std::vector<std::pair<const Tag*, Eigen::Affine3d>> nodes_;
};

std::string SceneReader::read(const std::string& xml, Mesh& mesh) {
  constexpr std::size_t kMostNodes = 100'000;
  if (std::string text = objection_to_tags(xml); !text.empty()) return text;
  if (document_.Parse(xml.data(), xml.size()) != tinyxml2::XML_SUCCESS) {
    return fmt::format("line {}: it is not well-formed XML; export it anew",
                       document_.ErrorLineNum());
  }
  collect_ids();
  const Tag* const root = document_.RootElement();
  const Tag* const scene = target(child(child(root, "scene"), "instance_visual_scene"), "url");
  if (scene == nullptr) return "it has no scene; export it anew";
  const Tag* const unit = child(child(root, "asset"), "unit");
  const double metre = unit == nullptr ? 1.0 : unit->DoubleAttribute("meter", 1.0);
  nodes_.emplace_back(scene, Eigen::Affine3d(Eigen::Scaling(metre)));
  for (std::size_t seen = 0; !nodes_.empty(); ++seen) {
    const auto [node, above] = nodes_.back();
    nodes_.pop_back();
    if (seen + nodes_.size() > kMostNodes) {
      return fmt::format("it copies nodes into more than {}; export it as STL", kMostNodes);
    }
    if (std::string text = place(*node, above, mesh); !text.empty()) return text;
  }
  return {};
}

void SceneReader::collect_ids() {
  const Tag* tag = document_.RootElement();
  while (tag != nullptr) {
    if (const auto id = attribute_of(*tag, "id"); !id.empty()) ids_.emplace(id, tag);
    const Tag* next = tag->FirstChildElement();
    while (next == nullptr && tag != nullptr) {
      next = tag->NextSiblingElement();
      tag = tag->Parent() == nullptr ? nullptr : tag->Parent()->ToElement();
    }
    tag = next;
  }
}

// "#name", of this file.
const Tag* SceneReader::target(const Tag* tag, const char* attribute) const {
  const std::string_view url = tag == nullptr ? "" : attribute_of(*tag, attribute);
  const auto found = ids_.find(url.starts_with('#') ? url.substr(1) : url);
  return found == ids_.end() ? nullptr : found->second;
}

std::string SceneReader::place(const Tag& node, const Eigen::Affine3d& above, Mesh& mesh) {
  const Eigen::Affine3d pose = above * placement_of(node);
  for (const Tag* part = node.FirstChildElement(); part != nullptr;
       part = part->NextSiblingElement()) {
    const std::string_view kind = part->Name();
    if (kind == "node") nodes_.emplace_back(part, pose);
    if (kind != "instance_node" && kind != "instance_geometry") continue;
    const Tag* const meant = target(part, "url");
    if (meant == nullptr) return "a node of it has what is not in it; export it anew";
    if (kind == "instance_node") {
      nodes_.emplace_back(meant, pose);
    } else if (std::string text = add(geometry(*meant), pose, mesh); !text.empty()) {
      return text;
    }
  }
  return {};
}

std::string SceneReader::add(const Mesh& part, const Eigen::Affine3d& pose, Mesh& mesh) const {
  if (mesh.triangles.size() + part.triangles.size() > kMostTriangles ||
      mesh.corners.size() + part.corners.size() > 3 * kMostTriangles) {
    return fmt::format("it has more than {} triangles; export a coarser one", kMostTriangles);
  }
  const auto first = static_cast<std::uint32_t>(mesh.corners.size());
  for (const Vec3d& corner : part.corners) mesh.corners.push_back(pose * corner);
  for (const auto& [a, b, c] : part.triangles) {
    mesh.triangles.push_back({first + a, first + b, first + c});
  }
  return {};
}

const Mesh& SceneReader::geometry(const Tag& tag) {
  const auto [place, is_new] = geometries_.try_emplace(&tag);
  const Tag* const mesh = child(&tag, "mesh");
  if (!is_new || mesh == nullptr) return place->second;
  place->second.corners = positions(*mesh);
  for (const Tag* list = mesh->FirstChildElement(); list != nullptr;
       list = list->NextSiblingElement()) {
    add_polygons(*list, place->second);
  }
  return place->second;
}

std::vector<Vec3d> SceneReader::positions(const Tag& mesh) const {
  std::vector<Vec3d> out;
  for (const Tag* input = child(child(&mesh, "vertices"), "input"); input != nullptr;
       input = input->NextSiblingElement("input")) {
    if (attribute_of(*input, "semantic") != "POSITION") continue;
    const Tag* const source = target(input, "source");
    const Tag* const accessor = child(child(source, "technique_common"), "accessor");
    const unsigned step = accessor == nullptr ? 3 : accessor->UnsignedAttribute("stride", 3);
    const std::vector<double> x = numbers_in(child(source, "float_array"));
    for (std::size_t i = 0; step >= 3 && i + 3 <= x.size(); i += step) {
      out.emplace_back(x[i], x[i + 1], x[i + 2]);
    }
  }
  return out;
}

// Polygons become fans. What is outside a corner's range is left for solid_of to refuse.
void SceneReader::add_polygons(const Tag& list, Mesh& mesh) {
  const std::string_view kind = list.Name();
  if (kind != "triangles" && kind != "polylist" && kind != "polygons" && kind != "trifans") return;
  std::size_t step = 1, vertex = 0;
  for (const Tag* input = child(&list, "input"); input != nullptr;
       input = input->NextSiblingElement("input")) {
    const std::size_t offset = input->UnsignedAttribute("offset", 0);
    step = std::max(step, offset + 1);
    if (attribute_of(*input, "semantic") == "VERTEX") vertex = offset;
  }
  const std::vector<double> sizes = numbers_in(child(&list, "vcount"));
  for (const Tag* p = child(&list, "p"); p != nullptr; p = p->NextSiblingElement("p")) {
    const std::vector<double> x = numbers_in(p);
    const std::size_t corners = x.size() / step;
    const auto corner = [&](std::size_t i) {
      const double at = x[i * step + vertex];
      return at >= 0.0 && at < 4e9 ? static_cast<std::uint32_t>(at) : 4'000'000'000U;
    };
    for (std::size_t i = 0, polygon = 0; i < corners; ++polygon) {
      const double size = kind == "triangles" ? 3.0
                          : polygon < sizes.size()
                              ? sizes[polygon]
                              : static_cast<double>(kind == "polylist" ? 0 : corners - i);
      if (!(size >= 1.0) || !(size <= static_cast<double>(corners - i))) break;
      const std::size_t end = i + static_cast<std::size_t>(size);
      for (std::size_t k = i + 2; k < end; ++k) {
        mesh.triangles.push_back({corner(i), corner(k - 1), corner(k)});
      }
      i = end;
    }
  }
}

}  // namespace

std::string read_dae(const std::string& xml, Mesh& mesh) { return SceneReader().read(xml, mesh); }

}  // namespace dyn::internal
