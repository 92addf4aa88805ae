#include "dyn_view/server.hpp"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio.hpp>
#include <fmt/format.h>

#include "session.hpp"

namespace dyn::view {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr auto kFrame = std::chrono::microseconds(16'667);  // 60 Hz
constexpr double kPulse = 1.0;                              // s
constexpr int kSendBuffer = 1 << 18;                        // bytes: who reads nothing is soon seen

double thread_time() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// As it stands in a URL.
std::string name_of(const asio::ip::address& address) {
  return address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
}

Door door_at(const asio::ip::address& address) {
  const bool here = address.is_loopback();
  return {here, here ? "" : new_token(), name_of(address)};
}

}  // namespace

class Server::Impl {
 public:
  Impl(const ServerOptions& options, const tcp::endpoint& place, std::unique_ptr<Scene> scene)
      : scene_(std::move(scene)),
        hall_{options, door_at(place.address()), *scene_},
        acceptor_(context_),
        timer_(context_) {}
  ~Impl() {
    context_.stop();
    if (thread_.joinable()) thread_.join();
    // Sessions that are under way hold on to the hall.
    hall_.clients.clear();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] boost::system::error_code listen(tcp::endpoint place) {
    boost::system::error_code error;
    for (int tried = 0; tried < std::max(hall_.options.ports_tried, 1); ++tried) {
      acceptor_ = tcp::acceptor(context_);
      acceptor_.open(place.protocol(), error);
      if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
      if (!error) acceptor_.bind(place, error);
      if (!error) acceptor_.listen(16, error);
      if (!error || error != asio::error::address_in_use) break;
      place.port(static_cast<unsigned short>(place.port() + 1));
    }
    return error;
  }

  void run() {
    port = acceptor_.local_endpoint().port();
    const auto& [here, token, name] = hall_.door;
    url = fmt::format("http://{}:{}/{}", name, port, here ? "" : "?token=" + token);
    accept();
    next_ = std::chrono::steady_clock::now();
    wait();
    thread_ = std::thread([this] { outlive(); });
  }

  std::string url;
  int port = 0;

 private:
  // What one message brings about does not end the process: it is passed over.
  void outlive() {
    while (!context_.stopped()) {
      try {
        context_.run();
      } catch (const std::exception& error) {
        std::fprintf(stderr, "the page: %s\n", error.what());
      }
    }
  }

  void accept() {
    acceptor_.async_accept([this](boost::system::error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (!error) {
        boost::system::error_code ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        socket.set_option(tcp::socket::send_buffer_size(kSendBuffer), ignored);
        std::make_shared<HttpSession>(std::move(socket), hall_)->run();
      }
      accept();
    });
  }

  void wait() {
    const auto now = std::chrono::steady_clock::now();
    next_ = std::max(next_ + kFrame, now);
    timer_.expires_at(next_);
    timer_.async_wait([this](boost::system::error_code error) {
      if (error) return;
      wait();
      tick();
    });
  }

  void tick() {
    hall_.send_to_all(scene_->advance(!hall_.clients.empty()));
    const auto present = hall_.clients;
    for (const auto& client : present) {
      if (client->stalled() > hall_.options.patience) client->drop();
    }
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - pulsed_).count();
    if (seconds < kPulse) return;
    pulsed_ = now;
    const double cpu = thread_time();
    hall_.send_to_all({scene_->pulse(hall_.clients.size(), seconds, cpu - cpu_)});
    cpu_ = cpu;
  }

  std::unique_ptr<Scene> scene_;
  Hall hall_;  // outlives what the context holds
  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer timer_;
  std::chrono::steady_clock::time_point next_, pulsed_ = std::chrono::steady_clock::now();
  double cpu_ = 0.0;
  std::thread thread_;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options,
                                              std::unique_ptr<Scene> scene) {
  boost::system::error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error) {
    return fail(fmt::format("'{}' is no address to listen on; give one such as 192.168.1.5",
                            options.address));
  }
  if (options.port < 0 || options.port > 65535) {
    return fail(fmt::format("{} is no port; give 0 to 65535", options.port));
  }
  const tcp::endpoint place(address, static_cast<unsigned short>(options.port));
  auto impl = std::make_unique<Impl>(options, place, std::move(scene));
  if (const auto refused = impl->listen(place)) {
    return fail(fmt::format("the page cannot be at {}, port {}: {}; choose another with --port",
                            options.address, options.port, refused.message()));
  }
  impl->run();
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

const std::string& Server::url() const noexcept { return impl_->url; }
int Server::port() const noexcept { return impl_->port; }

}  // namespace dyn::view
