// Server: the page and its socket for browsers, in one thread of its own.
//
// On the loopback everybody of this machine may look; anywhere else only who has the token. Nothing but the
// page and the socket is served. A request that names a foreign origin, or this machine by a name that is not
// the loopback's, is refused: a page of somebody else's cannot use the browser to get here.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "dyn_view/scene.hpp"

namespace dyn::view {

struct ServerOptions {
  std::string address = "127.0.0.1";
  int port = 8080;      ///< 0: any that is free
  int ports_tried = 1;  ///< from that one on
  std::size_t most_clients = 16;
  double patience = 10.0;  ///< s until a client that reads nothing, or asks nothing, is dropped
};

/// Why the program has no page; empty where it has one.
DYN_CORE_EXPORT [[nodiscard]] std::string_view why_no_page() noexcept;

class DYN_CORE_EXPORT Server {
 public:
  /// Listens and runs. The error says why it cannot.
  [[nodiscard]] static Result<std::unique_ptr<Server>> start(const ServerOptions& options,
                                                             std::unique_ptr<Scene> scene);
  /// Ends its thread and drops all clients.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// What to open in the browser, with the token where one is needed.
  [[nodiscard]] const std::string& url() const noexcept;
  [[nodiscard]] int port() const noexcept;

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dyn::view
