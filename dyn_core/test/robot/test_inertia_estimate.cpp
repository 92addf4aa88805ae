// Bodies from shapes and files: what a file says, where it is looked for, and files made to do harm.
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "dyn_core/robot/inertia_estimate.hpp"
#include "meshes.hpp"
#include "support.hpp"

namespace dyn::test::inertia_estimate_tests {
namespace {

namespace fs = std::filesystem;

/// A folder of this test, gone when it ends.
class Folder {
 public:
  Folder() : path_(fs::path(::testing::TempDir()) / ("dyn_meshes_" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string str() const { return path_.string(); }
  std::string put(const std::string& name, const std::string& bytes) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return (path_ / name).string();
  }

 private:
  fs::path path_;
};

// ---- files --------------------------------------------------------------------------------------

template <class Number>
void append(std::string& bytes, Number number) {
  char part[sizeof number];
  std::memcpy(part, &number, sizeof number);
  bytes.append(part, sizeof number);
}

std::string binary_stl(const Mesh& mesh) {
  std::string bytes(80, ' ');
  append(bytes, static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const auto& triangle : mesh.triangles) {
    for (int k = 0; k < 3; ++k) append(bytes, 0.0F);
    for (const std::uint32_t corner : triangle) {
      for (const double x : mesh.corners[corner]) append(bytes, static_cast<float>(x));
    }
    append(bytes, std::uint16_t{0});
  }
  return bytes;
}

std::string text_stl(const Mesh& mesh) {
  std::string text = "solid part\n";
  for (const auto& triangle : mesh.triangles) {
    text += "facet normal 0 0 0\n outer loop\n";
    for (const std::uint32_t corner : triangle) {
      const Vec3d& p = mesh.corners[corner];
      text += fmt::format("  vertex {} {} {}\n", p.x(), p.y(), p.z());
    }
    text += " endloop\nendfacet\n";
  }
  return text + "endsolid part\n";
}

std::string obj(const Mesh& mesh) {
  std::string text = "# a comment\nmtllib /dev/zero\no part\n";
  for (const Vec3d& p : mesh.corners) text += fmt::format("v {} {} {}\n", p.x(), p.y(), p.z());
  text += "usemtl red\n";
  for (const auto& [a, b, c] : mesh.triangles) {
    text += fmt::format("f {} {} {}\n", a + 1, b + 1, c + 1);
  }
  return text;
}

// In units of `unit` metres, under two nodes, the outer one turned and shifted by `matrix`.
std::string dae(const Mesh& mesh, double unit, const std::string& matrix) {
  std::string numbers, triangles;
  for (const Vec3d& p : mesh.corners) numbers += fmt::format("{} {} {} ", p.x(), p.y(), p.z());
  for (const auto& [a, b, c] : mesh.triangles) triangles += fmt::format("{} {} {} ", a, b, c);
  return fmt::format(
      R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="u" meter="{}"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="a" count="{}">{}</float_array><technique_common>
<accessor source="#a" count="{}" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles count="{}"><input semantic="VERTEX" source="#v" offset="0"/><p>{}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node id="n"><matrix>{}</matrix>
<node id="m"><instance_geometry url="#g"/></node></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>
)",
      unit, 3 * mesh.corners.size(), numbers, mesh.corners.size(), mesh.triangles.size(), triangles,
      matrix);
}

// ---- robots -------------------------------------------------------------------------------------

std::string shape(const std::string& geometry, const std::string& kind = "collision",
                  const std::string& origin = "") {
  return "<" + kind + ">" + origin + "<geometry>" + geometry + "</geometry></" + kind + ">";
}
std::string mesh_tag(const std::string& file, const std::string& more = "") {
  return "<mesh filename=\"" + file + "\" " + more + "/>";
}

// base - arm, whose shapes these are.
std::string robot_with(const std::string& shapes, const std::string& base = "") {
  return "<robot name=\"r\"><link name=\"base\">" + base + "</link><link name=\"arm\">" + shapes +
         "</link><joint name=\"j\" type=\"continuous\"><parent link=\"base\"/><child "
         "link=\"arm\"/><axis xyz=\"0 1 0\"/></joint></robot>";
}

RigidBody only_body(const Result<InertiaEstimate>& estimate) {
  EXPECT_TRUE(estimate) << (estimate ? "" : estimate.error().sentence);
  if (!estimate || estimate->bodies.empty()) return {};
  EXPECT_EQ(estimate->bodies[0].link, "arm");
  return estimate->bodies[0].body;
}

void expect_body(const RigidBody& body, const RigidBody& expected, const std::string& what,
                 double tolerance = 1e-12) {
  EXPECT_NEAR(body.mass, expected.mass, tolerance * expected.mass) << what;
  EXPECT_LT((body.com - expected.com).norm(), tolerance * (1.0 + expected.com.norm())) << what;
  EXPECT_LT((body.inertia - expected.inertia).norm(), tolerance * expected.inertia.norm()) << what;
}

std::string sentence_of(const std::string& urdf, const EstimateOptions& options = {}) {
  const auto estimate = estimate_inertia(urdf, options);
  return estimate ? "estimated" : estimate.error().sentence;
}

void expect_words(const std::string& sentence, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    EXPECT_NE(sentence.find(word), std::string::npos) << "no \"" << word << "\" in: " << sentence;
  }
  EXPECT_NE(sentence.find("; "), std::string::npos) << "no remedy in: " << sentence;
  EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
}

TEST(InertiaEstimate, PrimitivesStandWhereTheyAre) {
  const std::string origin = "<origin xyz=\"0.1 0.2 0.3\" rpy=\"0 1.5707963267948966 0\"/>";
  const std::string shapes = shape("<box size=\"1 2 3\"/>") +
                             shape("<cylinder radius=\"0.1\" length=\"2\"/>", "collision", origin) +
                             shape("<sphere radius=\"9\"/>", "visual");
  const Posed pose{Eigen::AngleAxisd(M_PI_2, Vec3d::UnitY()).toRotationMatrix(), {0.1, 0.2, 0.3}};
  const RigidBody expected = Solid::box({1, 2, 3}).body(1000.0) +
                             Solid::cylinder(0.1, 2.0).body(1000.0).expressed_in(pose);
  expect_body(only_body(estimate_inertia(robot_with(shapes))), expected, "collision alone");
  const RigidBody visual =
      only_body(estimate_inertia(robot_with(shape("<sphere radius=\"0.5\"/>", "visual"))));
  expect_body(visual, Solid::sphere(0.5).body(1000.0), "visual where there is no collision");
}

TEST(InertiaEstimate, TheRobotWeighsWhatIsAsked) {
  const std::string base =
      "<inertial><mass value=\"3\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" "
      "izz=\"1\"/></inertial>" +
      shape("<sphere radius=\"5\"/>");
  const std::string urdf = robot_with(shape("<box size=\"1 1 0.5\"/>"), base);
  const auto estimate = estimate_inertia(urdf, {.mass = 5.0});
  ASSERT_TRUE(estimate);
  ASSERT_EQ(estimate->bodies.size(), 1u);
  EXPECT_DOUBLE_EQ(estimate->density, 4.0);
  EXPECT_DOUBLE_EQ(estimate->bodies[0].body.mass, 2.0);
  expect_words(sentence_of(urdf, {.mass = 2.5}), {"weigh 3 kg already", "2.5 kg", "larger"});
  const auto written = rewrite_urdf(urdf, estimate->bodies, {}, "estimated");
  ASSERT_TRUE(written);
  const auto chain = parse_urdf(*written);
  ASSERT_TRUE(chain);
  EXPECT_DOUBLE_EQ((*chain)->total_mass(), 5.0);
  EXPECT_TRUE((*chain)->has_dynamics());
  const auto again = estimate_inertia(*written, {.mass = 5.0});
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->bodies.empty()) << "nothing left to estimate";
}

TEST(InertiaEstimate, EveryFormatGivesTheSameBody) {
  const Folder folder;
  const Mesh mesh = l_mesh();
  RigidBody expected = l_body();
  expected.mass *= 1000.0, expected.inertia *= 1000.0;
  const std::string same = "1 0 0 0  0 1 0 0  0 0 1 0  0 0 0 1";
  for (const auto& [name, bytes] :
       {std::pair<std::string, std::string>{"binary.stl", binary_stl(mesh)},
        {"text.STL", text_stl(mesh)},
        {"part.obj", obj(mesh)},
        {"part.dae", dae(mesh, 1.0, same)}}) {
    const std::string path = folder.put(name, bytes);
    for (const std::string& uri : {path, "file://" + path, name}) {
      const auto estimate =
          estimate_inertia(robot_with(shape(mesh_tag(uri))), {.urdf_folder = folder.str()});
      expect_body(only_body(estimate), expected, uri, 1e-6);
    }
  }
  // Millimetres, a quarter turn about z and a shift of the node in them; mirrored and stretched by the URDF.
  folder.put("scene.dae", dae(mesh, 0.001, "0 -1 0 1  1 0 0 0  0 0 1 0  0 0 0 1"));
  const auto estimate =
      estimate_inertia(robot_with(shape(mesh_tag("scene.dae", "scale=\"-1000 2000 1000\""))),
                       {.urdf_folder = folder.str()});
  Mesh truth = mesh;
  for (Vec3d& p : truth.corners) p = Vec3d(-1.0 * (-p.y() + 1.0), 2.0 * p.x(), p.z());
  expect_body(only_body(estimate), solid_of(truth)->body(1000.0), "scene", 1e-6);
}

TEST(InertiaEstimate, PackagesAreFoundWhereTheyAre) {
  const Folder folder;
  const std::string stl = binary_stl(cube_mesh());
  const std::string urdf = robot_with(shape(mesh_tag("package://my_robot/meshes/a.stl")));
  ::unsetenv("AMENT_PREFIX_PATH");
  ::unsetenv("ROS_PACKAGE_PATH");
  const std::string places = "/nowhere:" + folder.str();
  const auto found = [&](const EstimateOptions& options) {
    return only_body(estimate_inertia(urdf, options)).mass;
  };
  expect_words(sentence_of(urdf), {"link 'arm'", "'package://my_robot/meshes/a.stl'",
                                   "AMENT_PREFIX_PATH", "--mesh-path"});
  folder.put("share/my_robot/meshes/a.stl", stl);
  ::setenv("AMENT_PREFIX_PATH", places.c_str(), 1);
  EXPECT_NEAR(found({}), 1000.0, 1e-9);
  fs::remove_all(folder.str() + "/share");
  expect_words(sentence_of(urdf),
               {folder.str() + "/share/my_robot/meshes/a.stl", "/nowhere/share"});
  ::unsetenv("AMENT_PREFIX_PATH");
  folder.put("my_robot/meshes/a.stl", stl);
  ::setenv("ROS_PACKAGE_PATH", places.c_str(), 1);
  EXPECT_NEAR(found({}), 1000.0, 1e-9);
  ::setenv("ROS_PACKAGE_PATH", (folder.str() + "/my_robot").c_str(), 1);
  EXPECT_NEAR(found({}), 1000.0, 1e-9);
  ::unsetenv("ROS_PACKAGE_PATH");
  EXPECT_NEAR(found({.urdf_folder = folder.str() + "/my_robot/urdf/arms"}), 1000.0, 1e-9);
  EXPECT_NEAR(found({.mesh_folders = {folder.str()}}), 1000.0, 1e-9);
  EXPECT_NEAR(found({.mesh_folders = {folder.str() + "/my_robot"}}), 1000.0, 1e-9);
  EXPECT_NEAR(found({.mesh_folders = {"/nowhere", folder.str() + "/my_robot/meshes"}}), 1000.0,
              1e-9);
  expect_words(sentence_of(robot_with(shape(mesh_tag("b.stl"))), {.urdf_folder = folder.str()}),
               {"'b.stl'", "not found at '" + folder.str() + "/b.stl'"});
}

TEST(InertiaEstimate, FilesThatDoHarmGetASentence) {
  const Folder folder;
  const std::string good = binary_stl(cube_mesh());
  std::string endless = good, half = good.substr(0, good.size() / 2), nan = good;
  std::memset(endless.data() + 80, 0xff, 4);
  std::memset(nan.data() + 84 + 12, 0xff, 12);
  std::string deep, copies = "<COLLADA>";
  for (int i = 0; i < 100000; ++i) deep += "<node>";
  for (int i = 0; i < 60; ++i) {  // each has the next one twice
    const std::string next = fmt::format("<instance_node url=\"#n{}\"/>", (i + 1) % 60);
    copies += fmt::format("<node id=\"n{}\">{}{}</node>", i, next, next);
  }
  copies += "<scene><instance_visual_scene url=\"#n0\"/></scene></COLLADA>";
  std::string quads = obj(cube_mesh());
  for (int i = 0; i < 3; ++i) quads += "f 1 2 3 4 5 6 7 8 900\n";
  const std::pair<std::string, std::string> files[] = {
      {"empty.stl", ""},
      {"endless.stl", endless},
      {"half.stl", half},
      {"nan.stl", nan},
      {"empty.obj", ""},
      {"far.obj", quads},
      {"empty.dae", "<COLLADA/>"},
      {"deep.dae", deep},
      {"copies.dae", copies},
      {"cut.dae", dae(cube_mesh(), 1.0, "1").substr(0, 700)},
      {"stl.obj", good},
      {"part.fbx", good},
      {"zeros.dae", std::string(1000, '\0')},
      {"zeros.obj", std::string(1000, '\0')},
      {"text.stl", "solid \n facet normal 0 0"},
      {"short.stl", "solid \n vertex 0 0 x"}};
  for (const auto& [name, bytes] : files) {
    folder.put(name, bytes);
    expect_words(sentence_of(robot_with(shape(mesh_tag(name))), {.urdf_folder = folder.str()}),
                 {"link 'arm'", name});
  }
  fs::create_directories(folder.str() + "/folder.stl");
  expect_words(
      sentence_of(robot_with(shape(mesh_tag("folder.stl"))), {.urdf_folder = folder.str()}),
      {"not found"});
  const std::string large = folder.put("large.stl", good);
  fs::resize_file(large, std::uintmax_t{1} << 40);  // a hole, on no disk
  expect_words(sentence_of(robot_with(shape(mesh_tag("large.stl"))), {.urdf_folder = folder.str()}),
               {"1048577 MB", "64 MB"});
  expect_words(
      sentence_of(robot_with(shape(mesh_tag(folder.put("ok.stl", good), "scale=\"1 0 1\"")))),
      {"scale"});
  expect_words(sentence_of(robot_with(shape("<box size=\"-1 1 1\"/>"))),
               {"link 'arm'", "positive"});
}

// Bytes of a good file changed by lot: a sentence or a body, and never anything worse.
TEST(InertiaEstimate, SpoiltFilesEndInASentenceOrABody) {
  const Folder folder;
  Random random(3);
  const Mesh mesh = l_mesh();
  const std::pair<std::string, std::string> files[] = {
      {"a.stl", binary_stl(mesh)},
      {"b.stl", text_stl(mesh)},
      {"c.obj", obj(mesh)},
      {"d.dae", dae(mesh, 1.0, "1 0 0 0  0 1 0 0  0 0 1 0  0 0 0 1")}};
  for (const auto& [name, good] : files) {
    for (int i = 0; i < (kSanitized ? 30 : 300); ++i) {
      std::string bytes = good;
      for (int k = 0; k < 1 + i % 8; ++k) {
        bytes[random.next() % bytes.size()] = static_cast<char>(random.next() % 256);
      }
      if (random.chance(0.3)) bytes.resize(random.next() % bytes.size());
      folder.put(name, bytes);
      const auto estimate =
          estimate_inertia(robot_with(shape(mesh_tag(name))), {.urdf_folder = folder.str()});
      if (!estimate) {
        expect_words(estimate.error().sentence, {name});
      } else if (!estimate->bodies.empty()) {
        EXPECT_TRUE(check(estimate->bodies[0].body, 0.0).empty() ||
                    estimate->bodies[0].body.mass > 0);
      }
    }
  }
}

}  // namespace
}  // namespace dyn::test::inertia_estimate_tests
