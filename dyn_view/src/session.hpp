// Sessions: one connection each, first as HTTP, then perhaps as a socket. Internal to dyn_view.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

#include "access.hpp"
#include "dyn_view/server.hpp"

namespace dyn::view {

class SocketSession;

/// What sessions share; all of them run in one thread.
struct Hall {
  ServerOptions options;
  Door door;
  Scene& scene;
  std::set<std::shared_ptr<SocketSession>> clients = {};
  std::size_t connections = 0;

  void send_to_all(const std::vector<MessagePtr>& messages);
};

namespace beast = boost::beast;
namespace http = beast::http;

/// Reads one request and answers it.
class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(boost::asio::ip::tcp::socket socket, Hall& hall);
  ~HttpSession();
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;
  void run();

 private:
  void answer();
  void reply(http::status status, std::string_view type, std::string body, bool zipped = false);

  Hall& hall_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  http::request_parser<http::empty_body> parser_;
  http::response<http::string_body> response_;
};

/// A client of the socket.
class SocketSession : public std::enable_shared_from_this<SocketSession> {
 public:
  static constexpr std::size_t kLongestCommand = 9u << 20;  ///< bytes; a robot description is one

  SocketSession(beast::tcp_stream stream, Hall& hall);
  void run(const http::request<http::empty_body>& request);
  void send(const MessagePtr& message);
  /// What was sent before is on its way.
  [[nodiscard]] bool busy() const noexcept { return writing_; }
  /// Nothing it was sent has arrived for this long, s.
  [[nodiscard]] double stalled() const;
  void drop();

 private:
  using Clock = std::chrono::steady_clock;
  void read();
  void take();
  void write();

  Hall& hall_;
  beast::websocket::stream<beast::tcp_stream> socket_;
  beast::flat_buffer buffer_;
  std::deque<MessagePtr> waiting_;
  std::size_t waiting_bytes_ = 0;
  Clock::time_point writing_since_ = {};
  bool writing_ = false, reading_ = false;
};

}  // namespace dyn::view
