// Portrait: one robot and its dynamics as messages. Internal to dyn_view.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <dyn_core/inspect/frames.hpp>
#include <dyn_core/inspect/inspector.hpp>
#include <dyn_core/inspect/markers.hpp>
#include <nlohmann/json.hpp>

#include "dyn_view/scene.hpp"

namespace dyn::view {

using Json = nlohmann::ordered_json;

inline MessagePtr text_message(const Json& json) {
  return std::make_shared<const Message>(
      Message{false, json.dump(-1, ' ', false, Json::error_handler_t::replace)});
}

/// What an object has under this name; null where it has nothing.
inline const Json& member(const Json& object, const char* name) {
  static const Json kNothing;
  const auto at = object.find(name);
  return at == object.end() ? kNothing : *at;
}

enum class Kind : std::uint32_t { kFrame, kMarkers, kSurface };

class Portrait {
 public:
  /// `number` tells the robots of one program apart; `split`: the torque is known by the law's terms.
  [[nodiscard]] static Result<Portrait> make(const Robot& robot,
                                             const inspect::ShapeOptions& shapes,
                                             std::uint32_t number, bool split);

  [[nodiscard]] const Robot& robot() const noexcept { return robot_; }
  /// Names, geometry, limits, and the layout of frames.
  [[nodiscard]] Json description();
  [[nodiscard]] const std::vector<MessagePtr>& surfaces() const noexcept { return surfaces_; }
  /// A point of a link as one of the link of the chain that carries it, with that link's number.
  [[nodiscard]] Result<std::pair<Index, Vec3d>> grip(const std::string& link,
                                                     const Vec3d& point) const;

  void set_payload(const RigidBody& payload) noexcept { inspector_.set_payload(payload); }
  void set_gravity(const Vec3d& gravity) noexcept { inspector_.set_gravity(gravity); }

  [[nodiscard]] MessagePtr frame(const Sample& sample);
  [[nodiscard]] MessagePtr markers(const Sample& sample);

 private:
  Portrait(const Robot& robot, inspect::Inspector inspector, inspect::FrameTree frames,
           std::uint32_t number, bool split);
  void add_surface(const Mesh& mesh);
  void add_frames();
  void put(const char* name, const Eigen::Ref<const MatXd>& values);
  void put_dynamics(const Sample& sample);
  void put_poses();
  [[nodiscard]] Json joints() const;
  [[nodiscard]] Json frames() const;
  [[nodiscard]] Json shapes() const;

  Robot robot_;
  inspect::Inspector inspector_;
  inspect::FrameTree frames_;
  inspect::MarkerPainter painter_;
  inspect::Shapes shapes_;
  std::vector<MessagePtr> surfaces_;
  struct Carried {
    Index by = -1;  // a link of the chain, -1: none
    Posed pose;     // in its frame
  };
  std::map<std::string, Carried> links_;
  std::uint32_t number_;
  bool split_;
  JointState state_;  // the last that was finite
  inspect::JointDynamics terms_;
  Quasi quasi_;
  MatXd mass_matrix_, split_terms_;
  std::vector<double> data_;  // of the frame at work
  Json layout_;               // of every frame, known after the first
  bool described_ = false;
};

}  // namespace dyn::view
