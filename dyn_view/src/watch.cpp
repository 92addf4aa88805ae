#include "dyn_view/watch.hpp"

#include <utility>

namespace dyn::view {

Result<std::unique_ptr<Watch>> Watch::start(const ServerOptions& options,
                                            const inspect::ShapeOptions& shapes) {
  std::unique_ptr<Watch> out(new Watch);
  auto scene = Scene::make(out->bridge_, {}, {.touch = false, .load = false, .shapes = shapes});
  if (!scene) return tl::unexpected(scene.error());
  auto server = Server::start(options, std::move(*scene));
  if (!server) return tl::unexpected(server.error());
  out->server_ = std::move(*server);
  return out;
}

void Watch::describe(inspect::Monitor& monitor) {
  if (!monitor.loaded()) return;
  const inspect::Inspector& model = monitor.inspector();
  sample_ = Sample(model.chain().dof());
  bridge_.describe({monitor.description(), model.chain_ptr(), model.payload(), model.gravity()});
}

void Watch::show(inspect::Monitor& monitor, double now) {
  constexpr double kPause = 1e-3 * Bridge::kEvery;
  const inspect::JointStateMatcher& state = monitor.joint_states();
  if (now < shown_ + kPause || state.positions().size() != sample_.q.size()) return;
  shown_ = now;
  sample_.time = now;
  sample_.q = state.positions();
  sample_.qd.setConstant(kUnknown);
  sample_.effort.setConstant(kUnknown);
  sample_.seen.setConstant(kUnknown);
  if (state.has_velocities()) sample_.qd = state.velocities();
  if (state.has_efforts()) sample_.effort = state.efforts();
  inspect::OutputSet wrench;
  wrench.set(inspect::index(inspect::Output::kExternalWrench));
  if (monitor.compute(wrench) == wrench) sample_.seen = monitor.values().external_wrench.force;
  bridge_.show(sample_);
}

}  // namespace dyn::view
