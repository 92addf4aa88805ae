// Watch: the page of a robot that runs elsewhere, as an inspect::Monitor sees it. Nothing on it moves the robot.
#pragma once

#include <memory>
#include <string>

#include <dyn_core/inspect/monitor.hpp>

#include "dyn_view/server.hpp"

namespace dyn::view {

class DYN_CORE_EXPORT Watch {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Watch>> start(
      const ServerOptions& options, const inspect::ShapeOptions& shapes = {});

  [[nodiscard]] const std::string& url() const noexcept { return server_->url(); }
  /// The monitor has another model, or another payload or gravity.
  void describe(inspect::Monitor& monitor);
  /// The monitor has a complete state, at `now` (s, a clock that does not jump); so many a second are shown as
  /// the page can use.
  void show(inspect::Monitor& monitor, double now);

 private:
  Watch() : bridge_(0), sample_(0) {}

  Bridge bridge_;
  Sample sample_;
  double shown_ = 0.0;
  std::unique_ptr<Server> server_;
};

}  // namespace dyn::view
