#include "loopback.hpp"

#include <array>
#include <atomic>
#include <cstring>

#include <dlfcn.h>
#include <linux/filter.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace dyn_dds {
namespace {

std::atomic<bool> kept = false;
thread_local bool as_told = false;

// The kernel drops what comes through another interface, before it is in the socket's queue.
bool attach_filter(int socket) noexcept {
  constexpr auto kHardware = static_cast<std::uint32_t>(SKF_AD_OFF + SKF_AD_HATYPE);
  std::array<sock_filter, 4> program = {{
      BPF_STMT(BPF_LD | BPF_H | BPF_ABS, kHardware),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARPHRD_LOOPBACK, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
      BPF_STMT(BPF_RET | BPF_K, 0),
  }};
  const sock_fprog filter = {.len = program.size(), .filter = program.data()};
  return setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) == 0;
}

}  // namespace

void keep_to_this_machine() noexcept { kept = true; }

AsTold::AsTold() noexcept { as_told = true; }
AsTold::~AsTold() { as_told = false; }

}  // namespace dyn_dds

// Stands before that of the C library, for Cyclone DDS too. A socket that cannot be kept is not bound.
extern "C" int bind(int socket, const sockaddr* address, socklen_t length) noexcept {
  using Bind = int (*)(int, const sockaddr*, socklen_t);
  static const auto next = reinterpret_cast<Bind>(dlsym(RTLD_NEXT, "bind"));
  const bool internet = address->sa_family == AF_INET || address->sa_family == AF_INET6;
  if (!dyn_dds::kept || dyn_dds::as_told || !internet) return next(socket, address, length);
  if (!dyn_dds::attach_filter(socket)) return -1;
  if (address->sa_family != AF_INET) return next(socket, address, length);
  sockaddr_in local = {};
  std::memcpy(&local, address, sizeof(local));
  if (local.sin_addr.s_addr != htonl(INADDR_ANY)) local.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return next(socket, reinterpret_cast<const sockaddr*>(&local), sizeof(local));
}
