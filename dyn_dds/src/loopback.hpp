// Keeps the sockets of this process to this machine. Cyclone DDS binds what it receives with to every
// address, whichever interfaces it is told to use.
#pragma once

namespace dyn_dds {

/// From now on a socket that is bound takes only what comes through a loopback interface, and one bound
/// to an address of a network interface sends from 127.0.0.1, from where nothing leaves the machine.
void keep_to_this_machine() noexcept;

}  // namespace dyn_dds
