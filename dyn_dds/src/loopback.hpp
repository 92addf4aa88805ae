// Keeps the sockets of this process to this machine. Cyclone DDS binds what it receives with to every
// address, whichever interfaces it is told to use.
#pragma once

namespace dyn_dds {

/// From now on a socket that is bound takes only what comes through a loopback interface, and one bound
/// to an address of a network interface sends from 127.0.0.1, from where nothing leaves the machine.
void keep_to_this_machine() noexcept;

/// While one is there, its thread binds sockets where it is told: that of the page, which asks for its token.
class AsTold {
 public:
  AsTold() noexcept;
  ~AsTold();
  AsTold(const AsTold&) = delete;
  AsTold& operator=(const AsTold&) = delete;
};

}  // namespace dyn_dds
