#include "security.hpp"

#include <array>
#include <filesystem>

#include <dlfcn.h>
#include <fmt/format.h>

#include "domain.hpp"

namespace dyn_dds {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::array<const char*, 2>, 6> kFiles = {{
    {"dds.sec.auth.identity_ca", "identity_ca.cert.pem"},
    {"dds.sec.auth.identity_certificate", "cert.pem"},
    {"dds.sec.auth.private_key", "key.pem"},
    {"dds.sec.access.permissions_ca", "permissions_ca.cert.pem"},
    {"dds.sec.access.governance", "governance.p7s"},
    {"dds.sec.access.permissions", "permissions.p7s"},
}};
// Property, library, and what its functions are called after.
constexpr std::array<std::array<const char*, 3>, 3> kPlugins = {{
    {"dds.sec.auth.library", "libdds_security_auth.so", "authentication"},
    {"dds.sec.access.library", "libdds_security_ac.so", "access_control"},
    {"dds.sec.crypto.library", "libdds_security_crypto.so", "crypto"},
}};

// Beside Cyclone DDS or, as Debian has it, in a folder of its own there.
std::string path_of(const char* library) {
  Dl_info cyclone = {};
  if (dladdr(reinterpret_cast<const void*>(&dds_create_participant), &cyclone) != 0) {
    const fs::path folder = fs::absolute(cyclone.dli_fname).parent_path();
    if (fs::exists(folder / library)) return folder / library;
    for (const auto& entry : fs::directory_iterator(folder)) {
      const bool own = entry.path().filename().string().starts_with("libddsc");
      if (own && entry.is_directory() && fs::exists(entry.path() / library)) {
        return entry.path() / library;
      }
    }
  }
  throw Failure(fmt::format("--security needs {}, which this Cyclone DDS does not bring", library));
}

}  // namespace

void secure(dds_qos_t* qos, const std::string& folder) {
  for (const auto& [property, name] : kFiles) {
    const fs::path file = fs::path(folder) / name;
    if (!fs::is_regular_file(file)) {
      throw Failure(fmt::format("--security: there is no file '{}'; give the folder of an enclave",
                                file.string()));
    }
    dds_qset_prop(qos, property, ("file:" + file.string()).c_str());
  }
  for (const auto& [property, library, name] : kPlugins) {
    const std::string key = property;
    dds_qset_prop(qos, (key + ".path").c_str(), path_of(library).c_str());
    dds_qset_prop(qos, (key + ".init").c_str(), fmt::format("init_{}", name).c_str());
    dds_qset_prop(qos, (key + ".finalize").c_str(), fmt::format("finalize_{}", name).c_str());
  }
}

}  // namespace dyn_dds
