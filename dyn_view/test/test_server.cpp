// The server: who is let in, what is too large, who is too slow, and bytes without sense.
#include <random>
#include <utility>

#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <fmt/format.h>

#include "access.hpp"
#include "view_support.hpp"

namespace dyn::view::test::server_tests {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;

// The stage on a server, its arm in a thread of its own.
struct Theatre : ::testing::Test {
  void start(ServerOptions options = {}) {
    options.port = 0;
    auto started = Server::start(options, std::move(stage.scene));
    ASSERT_TRUE(started) << started.error().sentence;
    server = std::move(*started);
    player = std::thread([this] {
      while (!ends) {
        (void)stage.arm.step();
        stage.bridge.exchange(stage.arm, 0.0);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
  ~Theatre() override {
    ends = true;
    if (player.joinable()) player.join();
  }
  [[nodiscard]] std::string host() const { return fmt::format("127.0.0.1:{}", server->port()); }
  [[nodiscard]] tcp::socket connect() {
    tcp::socket socket(context);
    socket.connect(
        {asio::ip::make_address("127.0.0.1"), static_cast<unsigned short>(server->port())});
    return socket;
  }
  // The answer to a request, as it is written; empty: none came.
  std::string ask(const std::string& request) {
    tcp::socket socket = connect();
    beast::error_code error;
    asio::write(socket, asio::buffer(request), error);
    std::string answer;
    asio::read(socket, asio::dynamic_buffer(answer), error);
    return answer;
  }
  std::string get(const std::string& target, const std::string& more, std::string host_name = {}) {
    if (host_name.empty()) host_name = host();
    return ask(fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n{}\r\n", target, host_name, more));
  }

  Stage stage{"planar3r"};
  std::atomic<bool> ends = false;
  std::thread player;
  asio::io_context context;
  std::unique_ptr<Server> server;
};

struct Client {
  explicit Client(Theatre& theatre) : socket(theatre.connect()) {
    socket.handshake(theatre.host(), "/socket");
    socket.read_message_max(64u << 20);
  }
  // The next message; null where it is none of text.
  Json read() {
    beast::flat_buffer buffer;
    socket.read(buffer);
    if (socket.got_text()) return Json::parse(beast::buffers_to_string(buffer.cdata()));
    ++frames;
    return {};
  }
  // The next of text.
  Json next() {
    while (true) {
      if (Json message = read(); !message.is_null()) return message;
    }
  }
  Json set(const std::string& command) {
    socket.text(true);
    socket.write(asio::buffer(command));
    while (true) {
      Json message = next();
      if (message.contains("ok") || message.contains("error")) return message;
    }
  }
  beast::websocket::stream<tcp::socket> socket;
  int frames = 0;
};

bool begins(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }

TEST(Access, LetsInThisMachineAndItsOwnPageOnly) {
  const Door here;
  for (const char* host : {"127.0.0.1:8080", "localhost:9000", "[::1]:8080", "localhost"}) {
    EXPECT_EQ(objection_to({host, "", "/"}, here), "");
    EXPECT_EQ(objection_to({host, fmt::format("http://{}", host), "/"}, here), "");
    for (const char* origin : {"http://evil.example", "null", "https://localhost:9000",
                               "http://localhost:3000", "file://"}) {
      EXPECT_NE(objection_to({host, origin, "/socket"}, here), "") << host << ' ' << origin;
    }
  }
  for (const char* host : {"", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil:8080",
                           "192.168.1.5:8080"}) {
    EXPECT_NE(objection_to({host, "", "/"}, here), "") << host;
    EXPECT_NE(objection_to({host, fmt::format("http://{}", host), "/"}, here), "") << host;
  }
}

TEST(Access, LetsInAtTheAddressWhereItListens) {
  const Door here{true, "", "127.0.0.2"};
  EXPECT_EQ(objection_to({"127.0.0.2:8080", "http://127.0.0.2:8080", "/"}, here), "");
  EXPECT_NE(objection_to({"127.0.0.3:8080", "", "/"}, here), "");
  EXPECT_NE(objection_to({"", "", "/"}, {true, "", ""}), "");
}

TEST(Access, ElsewhereAsksForTheToken) {
  const Door away{false, new_token()};
  EXPECT_EQ(away.token.size(), 32U);
  EXPECT_NE(away.token, new_token());
  const std::string good = "/?token=" + away.token;
  EXPECT_EQ(objection_to({"robot:8080", "", good}, away), "");
  EXPECT_EQ(
      objection_to({"robot:8080", "http://robot:8080", "/socket?a=b&token=" + away.token}, away),
      "");
  EXPECT_NE(objection_to({"robot:8080", "http://evil.example", good}, away), "");
  for (const std::string& target :
       {std::string("/"), std::string("/?token="), good + "0", "/?token=" + std::string(32, '0'),
        "/?xtoken=" + away.token, good.substr(0, good.size() - 1)}) {
    EXPECT_NE(objection_to({"robot:8080", "", target}, away), "") << target;
  }
}

TEST_F(Theatre, ServesThePageAndNothingElse) {
  start();
  const std::string page = get("/", "");
  EXPECT_TRUE(begins(page, "HTTP/1.1 200")) << page.substr(0, 200);
  EXPECT_NE(page.find("frame-ancestors 'none'"), std::string::npos);
  for (const char* target :
       {"/etc/passwd", "/../../etc/passwd", "/index.html", "/socket", "//", "/%2e%2e/"}) {
    EXPECT_TRUE(begins(get(target, ""), "HTTP/1.1 404")) << target;
  }
  EXPECT_TRUE(begins(get("/", "Origin: http://evil.example\r\n"), "HTTP/1.1 403"));
  EXPECT_TRUE(begins(get("/", "", "evil.example"), "HTTP/1.1 403"));
  EXPECT_TRUE(begins(ask("POST / HTTP/1.1\r\nHost: " + host() + "\r\n\r\n"), "HTTP/1.1 405"));
}

TEST_F(Theatre, AForeignOriginGetsNoSocket) {
  start();
  beast::websocket::stream<tcp::socket> socket(connect());
  socket.set_option(
      beast::websocket::stream_base::decorator([](beast::websocket::request_type& request) {
        request.set(http::field::origin, "http://evil.example");
      }));
  beast::error_code error;
  socket.handshake(host(), "/socket", error);
  EXPECT_EQ(error, beast::websocket::error::upgrade_declined);
}

TEST_F(Theatre, GreetsAndAnswersInOrder) {
  start();
  Client client(*this);
  EXPECT_TRUE(client.next().contains("hello"));
  EXPECT_TRUE(client.next().contains("controls"));
  EXPECT_EQ(client.set(R"({"set":"law","value":"gravity"})"), Json({{"ok", true}}));
  EXPECT_TRUE(client.set(R"({"set":"law","value":"magic"})").contains("error"));
  while (client.frames < 10) client.read();
}

TEST_F(Theatre, WhatIsTooLargeIsDropped) {
  start();
  EXPECT_FALSE(begins(get("/", "X: " + std::string(20000, 'x') + "\r\n"), "HTTP/1.1 200"));
  EXPECT_FALSE(
      begins(ask("POST / HTTP/1.1\r\nHost: " + host() + "\r\nContent-Length: 999999999999\r\n\r\n"),
             "HTTP/1.1 200"));
  Client client(*this);
  beast::error_code error;
  const std::string large(10u << 20, ' ');
  client.socket.write(asio::buffer(large), error);
  beast::flat_buffer buffer;
  while (!error) client.socket.read(buffer, error), buffer.consume(buffer.size());
  Client other(*this);
  EXPECT_TRUE(other.next().contains("hello"));
}

TEST_F(Theatre, TooManyClientsAreTurnedAway) {
  start({.most_clients = 2});
  Client first(*this), second(*this);
  first.next(), second.next();
  beast::websocket::stream<tcp::socket> third(connect());
  beast::error_code error;
  third.handshake(host(), "/socket", error);
  EXPECT_TRUE(error);
  first.socket.next_layer().close();
  for (int k = 0; error && k < 200; ++k) {
    beast::websocket::stream<tcp::socket> again(connect());
    again.handshake(host(), "/socket", error);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_FALSE(error);
}

// Its buffers are small; it gets frames until they are full, and is dropped; the other gets all.
TEST_F(Theatre, AClientThatNeverReadsIsDroppedAndNobodyWaitsForIt) {
  start({.patience = 5.0});
  Client lazy(*this), other(*this);
  lazy.socket.next_layer().set_option(tcp::socket::receive_buffer_size(4096));
  lazy.socket.text(true);
  const std::string command = R"({"set":"csv","value":true})";
  (void)other.set(R"({"set":"record","value":true})");
  while (other.frames < 30) other.read();
  (void)other.set(R"({"set":"record","value":false})");
  beast::error_code error;
  for (int k = 0; k < 1000 && !error; ++k) lazy.socket.write(asio::buffer(command), error);
  bool alone = false;
  for (int k = 0; k < 60 && !alone; ++k) {  // there is one of text a second
    const Json message = other.next();
    alone = message.contains("server") && message["server"]["clients"] == 1;
  }
  EXPECT_TRUE(alone);
}

TEST_F(Theatre, BytesWithoutSenseEndNothing) {
  constexpr unsigned kSeed = 1919;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  start({.patience = 5.0});
  const auto noise = [&](std::size_t size) {
    std::string out(size, '\0');
    for (char& c : out) c = static_cast<char>(random());
    return out;
  };
  for (int k = 0; k < 60; ++k) {
    tcp::socket socket = connect();
    beast::error_code error;
    std::string bytes = k % 3 == 0 ? noise(random() % 4000)
                                   : fmt::format(
                                         "GET /socket HTTP/1.1\r\nHost: {}\r\nConnection: "
                                         "Upgrade\r\nUpgrade: websocket\r\n"
                                         "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
                                         "dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                                         host());
    if (k % 3 == 1) bytes[random() % bytes.size()] = static_cast<char>(random());
    asio::write(socket, asio::buffer(bytes), error);
    if (k % 3 == 2) asio::write(socket, asio::buffer(noise(500)), error);
  }
  Client client(*this);
  for (int k = 0; k < 200; ++k) {
    std::string bytes = noise(random() % 200);
    client.socket.binary(true);
    client.socket.write(asio::buffer(bytes));
  }
  // The first answer is to noise.
  EXPECT_TRUE(client.set(R"({"set":"motion","value":"hold"})").contains("error"));
  Client other(*this);
  EXPECT_TRUE(other.next().contains("hello"));
}

TEST_F(Theatre, APortInUseIsSaidOrPassedOver) {
  start();
  Stage second("planar3r");
  ServerOptions same;
  same.port = server->port();
  const auto refused = Server::start(same, std::move(second.scene));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().sentence.find(std::to_string(same.port)), std::string::npos);
  Stage third("planar3r");
  same.ports_tried = 20;
  const auto next = Server::start(same, std::move(third.scene));
  ASSERT_TRUE(next);
  EXPECT_GT((*next)->port(), same.port);
}

TEST(Server, AnAddressThatIsNoneIsRefused) {
  Stage stage("planar3r");
  ServerOptions options;
  options.address = "robot";
  EXPECT_FALSE(Server::start(options, std::move(stage.scene)));
}

}  // namespace dyn::view::test::server_tests
