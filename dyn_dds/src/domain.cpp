#include "domain.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <string_view>

#include <dyn_core/base/printable.hpp>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

namespace dyn_dds {
namespace {

// What comes from anybody has its bounds; CYCLONEDDS_URI may set others.
constexpr const char* kBounds =
    "<CycloneDDS><Domain><Internal><MaxSampleSize>8 "
    "MiB</MaxSampleSize></Internal></Domain></CycloneDDS>,";

enum class Range { kNotSet, kOff, kLocalhost, kSubnet, kSystemDefault };

std::string environment(const char* name) {
  const char* given = std::getenv(name);
  return given == nullptr ? "" : given;
}

dds_domainid_t domain_id() {
  const std::string given = environment("ROS_DOMAIN_ID");
  if (given.empty()) return 0;
  dds_domainid_t id = 0;
  const char* end = given.data() + given.size();
  const auto [rest, error] = std::from_chars(given.data(), end, id);
  if (error != std::errc() || rest != end || id > 232) {
    throw Failure(fmt::format("ROS_DOMAIN_ID is '{}'; it has to be a number from 0 to 232",
                              dyn::printable(given, 60)));
  }
  return id;
}

Range discovery_range() {
  constexpr std::array<std::string_view, 5> kNames = {"", "OFF", "LOCALHOST", "SUBNET",
                                                      "SYSTEM_DEFAULT"};
  const std::string given = environment("ROS_AUTOMATIC_DISCOVERY_RANGE");
  const auto* const at = std::find(kNames.begin(), kNames.end(), given);
  if (at == kNames.end()) {
    throw Failure(fmt::format(
        "ROS_AUTOMATIC_DISCOVERY_RANGE is '{}'; it can be OFF, LOCALHOST, SUBNET or SYSTEM_DEFAULT",
        dyn::printable(given, 60)));
  }
  const auto range = static_cast<Range>(at - kNames.begin());
  const bool localhost = environment("ROS_LOCALHOST_ONLY") == "1";
  return range == Range::kNotSet && localhost ? Range::kLocalhost : range;
}

// The text that CYCLONEDDS_URI is, or that of the file that it names.
std::string text_of(const std::string& uri) {
  constexpr std::string_view kFile = "file://";
  if (uri.empty() || uri.find('<') != std::string::npos) return uri;
  std::ifstream file(uri.starts_with(kFile) ? uri.substr(kFile.size()) : uri, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Whether a text of CYCLONEDDS_URI names interfaces, and none but the loopback one.
bool names_interfaces(const std::string& text) {
  return text.find("<NetworkInterface") != std::string::npos;
}
bool names_loopback_only(const std::string& text) {
  const std::regex tag("<NetworkInterface[^>]*>");
  const std::regex loopback(
      R"(<NetworkInterface(\s.*)?\s(name\s*=\s*["']lo["']|address\s*=\s*["']127\.).*)");
  const std::sregex_iterator tags(text.begin(), text.end(), tag);
  return names_interfaces(text) && std::all_of(tags, {}, [&](const std::smatch& found) {
           return std::regex_match(found.str(), loopback);
         });
}

// Whether there is an interface beside the loopback one.
bool has_network() {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return false;
  bool found = false;
  for (const ifaddrs* at = first; at != nullptr; at = at->ifa_next) {
    found = found || (at->ifa_addr != nullptr && at->ifa_addr->sa_family == AF_INET &&
                      (at->ifa_flags & IFF_UP) != 0 && (at->ifa_flags & IFF_LOOPBACK) == 0);
  }
  freeifaddrs(first);
  return found;
}

// No multicast, and discovery asks this machine only. Others on this machine may have the address of
// a network interface as theirs, as ROS 2 has: they are spoken to there, without leaving the machine.
std::string this_machine_only(dds_domainid_t id) {
  const char* other = "<NetworkInterface autodetermine=\"true\" multicast=\"false\"/>";
  const unsigned most_participants = std::min(100U, (65535 - 7411 - 250 * id) / 2);  // by the ports
  return fmt::format(
      "<CycloneDDS><Domain><General><Interfaces>"
      "<NetworkInterface address=\"127.0.0.1\" multicast=\"false\" priority=\"1\"/>{}"
      "</Interfaces><AllowMulticast>false</AllowMulticast></General>"
      "<Discovery><ParticipantIndex>auto</ParticipantIndex>"
      "<MaxAutoParticipantIndex>{}</MaxAutoParticipantIndex>"
      "<Peers><Peer address=\"127.0.0.1\"/></Peers></Discovery></Domain></CycloneDDS>,",
      has_network() ? other : "", most_participants);
}

// As ROS 2 does it: a tag that no other process has.
std::string discovery_off() {
  return fmt::format(
      "<CycloneDDS><Domain><General><AllowMulticast>false</AllowMulticast></General><Discovery>"
      "<ParticipantIndex>none</ParticipantIndex><Tag>ros_discovery_off_{}</Tag></Discovery>"
      "</Domain></CycloneDDS>,",
      getpid());
}

}  // namespace

Domain choose_domain(bool network) {
  const Range range = discovery_range();
  const dds_domainid_t id = domain_id();
  const std::string uri = kBounds + environment("CYCLONEDDS_URI");
  if (network && (range == Range::kOff || range == Range::kLocalhost)) {
    throw Failure(
        "--network contradicts ROS_AUTOMATIC_DISCOVERY_RANGE or ROS_LOCALHOST_ONLY of the "
        "environment, "
        "which keep ROS 2 on this machine; leave out one of the two");
  }
  if (range == Range::kOff) return {id, Reach::kNobody, discovery_off() + uri};
  if (network) return {id, Reach::kNetwork, uri};
  const std::string text = text_of(environment("CYCLONEDDS_URI"));
  if (names_loopback_only(text)) return {id, Reach::kThisMachine, uri};
  if (names_interfaces(text)) return {id, Reach::kAsConfigured, uri};
  return {id, Reach::kThisMachine, this_machine_only(id) + uri};
}

const char* to_string(Reach reach) noexcept {
  switch (reach) {
    case Reach::kThisMachine:
      return "this machine only";
    case Reach::kNetwork:
      return "on the network";
    case Reach::kAsConfigured:
      return "where CYCLONEDDS_URI says";
    case Reach::kNobody:
      break;
  }
  return "discovery is off";
}

}  // namespace dyn_dds
