// Scene: what the page shows of an arm and what it may do to it, as messages. It holds no socket: the server
// carries its messages, a test reads them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <dyn_core/inspect/shapes.hpp>

#include "dyn_view/bridge.hpp"

namespace dyn::view {

/// Text is JSON. Binary: two 32-bit numbers, the kind (0 a frame, 1 markers, 2 a surface) and that of the robot
/// it belongs to, then 64-bit numbers in a frame, in the order of the hello's layout, and 32-bit ones in the
/// others; all little endian.
struct Message {
  bool binary = false;
  std::string bytes = {};
  bool passing =
      false;  ///< the next one like it tells as much: a client that is behind does without
};
using MessagePtr = std::shared_ptr<const Message>;

struct SceneOptions {
  bool touch = true;  ///< the arm is a simulated one: the page may move it
  bool load = true;   ///< and put another robot in its place
  inspect::ShapeOptions shapes = {};
  ArmSettings settings = {};  ///< of the simulated arm at the start
};

/// What one command brings about.
struct Answer {
  std::string reply;                ///< {"ok":true} or {"error":"sentence"}
  std::vector<MessagePtr> mine;     ///< for who asked, after the reply
  std::vector<MessagePtr> for_all;  ///< and for everybody
};

class DYN_CORE_EXPORT Scene {
 public:
  /// `robot` may have no chain: then the page waits for Bridge::describe.
  [[nodiscard]] static Result<std::unique_ptr<Scene>> make(Bridge& bridge, const Robot& robot,
                                                           const SceneOptions& options);
  virtual ~Scene() = default;
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  /// What a client needs first, in this order.
  [[nodiscard]] virtual std::vector<MessagePtr> greeting() const = 0;
  /// Takes what the loop has shown since the last call; the messages for everybody. `somebody`: there is a
  /// client, for whom dynamics are computed.
  [[nodiscard]] virtual std::vector<MessagePtr> advance(bool somebody) = 0;
  /// A command {"set": NAME, "value": …}.
  [[nodiscard]] virtual Answer command(std::string_view json) = 0;
  /// {"server": {…}} for everybody, from time to time.
  [[nodiscard]] virtual MessagePtr pulse(std::size_t clients, double seconds, double cpu) = 0;

 protected:
  Scene() = default;
};

/// An arm of `chain` at rest, where it has dynamics and few enough joints to be simulated in real time.
DYN_CORE_EXPORT [[nodiscard]] Result<SimulatedArm> make_arm(const ChainPtr& chain,
                                                            const ArmSettings& settings,
                                                            const RigidBody& payload);

}  // namespace dyn::view
