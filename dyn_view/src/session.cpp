#include "session.hpp"

#include <utility>

#include "page.hpp"

namespace dyn::view {
namespace {

namespace asio = boost::asio;
namespace websocket = beast::websocket;

constexpr std::size_t kLongestHeader = 8192;     // bytes
constexpr std::size_t kMostWaiting = 64u << 20;  // bytes for one client
constexpr std::size_t kMostAnswers = 64;         // that wait before more is read
constexpr std::size_t kMostConnections = 64;

std::chrono::milliseconds patience_of(const Hall& hall) {
  return std::chrono::milliseconds(static_cast<int>(1e3 * hall.options.patience));
}

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

constexpr std::string_view kNoPage =
    "<!doctype html><meta charset=utf-8><title>dyn</title><p>This program was built without its "
    "page: ";

}  // namespace

void Hall::send_to_all(const std::vector<MessagePtr>& messages) {
  const auto present = clients;  // sending may end one
  for (const auto& client : present) {
    const bool busy = client->busy();
    for (const MessagePtr& message : messages) {
      if (!busy || !message->passing) client->send(message);
    }
  }
}

// ---- HTTP ----------------------------------------------------------------------------------------

HttpSession::HttpSession(asio::ip::tcp::socket socket, Hall& hall)
    : hall_(hall), stream_(std::move(socket)), buffer_(2 * kLongestHeader) {
  ++hall_.connections;
  parser_.header_limit(kLongestHeader);
  parser_.body_limit(0);
}

HttpSession::~HttpSession() { --hall_.connections; }

void HttpSession::run() {
  if (hall_.connections > kMostConnections) return;
  stream_.expires_after(patience_of(hall_));
  http::async_read(stream_, buffer_, parser_,
                   [self = shared_from_this()](beast::error_code error, std::size_t) {
                     if (!error) self->answer();
                   });
}

void HttpSession::answer() {
  const auto& request = parser_.get();
  const std::string_view target = view(request.target());
  const auto text = "text/plain; charset=utf-8";
  const std::string objection = objection_to(
      {view(request[http::field::host]), view(request[http::field::origin]), target}, hall_.door);
  if (!objection.empty()) return reply(http::status::forbidden, text, objection + "\n");
  if (path_of(target) == "/socket" && websocket::is_upgrade(request)) {
    if (hall_.clients.size() >= hall_.options.most_clients) {
      return reply(http::status::service_unavailable, text, "too many look at this robot\n");
    }
    stream_.expires_never();
    return std::make_shared<SocketSession>(std::move(stream_), hall_)->run(request);
  }
  if (request.method() != http::verb::get && request.method() != http::verb::head) {
    return reply(http::status::method_not_allowed, text, "GET / is the page\n");
  }
  if (path_of(target) != "/") {
    return reply(http::status::not_found, text, "there is only the page, /\n");
  }
  if (page().empty()) {
    return reply(http::status::ok, "text/html; charset=utf-8",
                 std::string(kNoPage) + std::string(why_no_page()));
  }
  reply(http::status::ok, "text/html; charset=utf-8", std::string(page()), true);
}

void HttpSession::reply(http::status status, std::string_view type, std::string body, bool zipped) {
  const bool head = parser_.get().method() == http::verb::head;
  response_ = {status, 11};
  const auto set = [&](const char* name, std::string_view value) {
    response_.set(name, beast::string_view(value.data(), value.size()));
  };
  set("Content-Type", type);
  set("Connection", "close");
  set("Cache-Control", "no-store");
  set("X-Content-Type-Options", "nosniff");
  set("Referrer-Policy", "no-referrer");
  set("Cross-Origin-Resource-Policy", "same-origin");
  set("Content-Security-Policy",
      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: "
      "blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
  if (zipped) set("Content-Encoding", "gzip");
  response_.content_length(body.size());
  if (!head) response_.body() = std::move(body);
  stream_.expires_after(patience_of(hall_));
  http::async_write(
      stream_, response_, [self = shared_from_this()](beast::error_code, std::size_t) {
        beast::error_code ignored;
        self->stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
      });
}

// ---- the socket ----------------------------------------------------------------------------------

SocketSession::SocketSession(beast::tcp_stream stream, Hall& hall)
    : hall_(hall), socket_(std::move(stream)), buffer_(kLongestCommand) {}

void SocketSession::run(const http::request<http::empty_body>& request) {
  websocket::stream_base::timeout timeout = {};
  timeout.handshake_timeout = patience_of(hall_);
  timeout.idle_timeout = 2 * patience_of(hall_);
  timeout.keep_alive_pings = true;
  socket_.set_option(timeout);
  socket_.read_message_max(kLongestCommand);
  socket_.async_accept(request, [self = shared_from_this()](beast::error_code error) {
    if (error || self->hall_.clients.size() >= self->hall_.options.most_clients) return;
    self->hall_.clients.insert(self);
    for (const MessagePtr& message : self->hall_.scene.greeting()) self->send(message);
    self->read();
  });
}

void SocketSession::read() {
  if (reading_ || waiting_.size() > kMostAnswers) return;
  reading_ = true;
  socket_.async_read(buffer_, [self = shared_from_this()](beast::error_code error, std::size_t) {
    self->reading_ = false;
    if (error) return self->drop();
    self->take();
    self->read();
  });
}

void SocketSession::take() {
  const auto data = buffer_.cdata();
  Answer answer = hall_.scene.command({static_cast<const char*>(data.data()), data.size()});
  buffer_.consume(buffer_.size());
  if (buffer_.capacity() > kLongestHeader) buffer_.shrink_to_fit();
  send(std::make_shared<const Message>(Message{false, std::move(answer.reply)}));
  for (const MessagePtr& message : answer.mine) send(message);
  hall_.send_to_all(answer.for_all);
}

void SocketSession::send(const MessagePtr& message) {
  if (waiting_bytes_ + message->bytes.size() > kMostWaiting) return drop();
  waiting_.push_back(message);
  waiting_bytes_ += message->bytes.size();
  if (!writing_) write();
}

void SocketSession::write() {
  writing_ = true;
  writing_since_ = Clock::now();
  socket_.binary(waiting_.front()->binary);
  socket_.async_write(asio::buffer(waiting_.front()->bytes),
                      [self = shared_from_this()](beast::error_code error, std::size_t) {
                        self->writing_ = false;
                        if (error) return self->drop();
                        self->waiting_bytes_ -= self->waiting_.front()->bytes.size();
                        self->waiting_.pop_front();
                        if (!self->waiting_.empty()) self->write();
                        self->read();
                      });
}

double SocketSession::stalled() const {
  if (!writing_) return 0.0;
  return std::chrono::duration<double>(Clock::now() - writing_since_).count();
}

// Those of its operations that are under way end with an error, and it with the last of them.
void SocketSession::drop() {
  if (hall_.clients.erase(shared_from_this()) == 0) return;
  beast::get_lowest_layer(socket_).cancel();
  beast::error_code ignored;
  beast::get_lowest_layer(socket_).socket().close(ignored);
}

}  // namespace dyn::view
