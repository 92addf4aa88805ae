// Domain: which DDS domain this process is in and how far it talks there, by option and environment.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <dds/dds.h>
#include <dyn_core/base/status.hpp>

namespace dyn_dds {

/// One sentence: what is wrong and what to do about it.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Its value; throws its sentence where it has none.
template <class Value>
Value required(dyn::Result<Value> result) {
  if (!result) throw Failure(result.error().sentence);
  return std::move(*result);
}

/// How far a process talks.
enum class Reach {
  kThisMachine,
  kNetwork,
  kAsConfigured,  ///< CYCLONEDDS_URI names interfaces
  kNobody,        ///< discovery is off
};

struct Domain {
  dds_domainid_t id;
  Reach reach;
  std::string configuration;  ///< for Cyclone DDS
};

/// By ROS_DOMAIN_ID, ROS_AUTOMATIC_DISCOVERY_RANGE and CYCLONEDDS_URI; on the network only if `network` is
/// set or CYCLONEDDS_URI names interfaces. Throws Failure where they make no sense or contradict each other.
[[nodiscard]] Domain choose_domain(bool network);

/// In words.
[[nodiscard]] const char* to_string(Reach reach) noexcept;

}  // namespace dyn_dds
