#include "rivals.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fields.hpp"

namespace dyn_dds {

Rivals::Rivals(const Participant& participant, std::vector<std::string> topics)
    : participant_(participant),
      topics_(std::move(topics)),
      publications_(
          dds_create_reader(participant.get(), DDS_BUILTIN_TOPIC_DCPSPUBLICATION, nullptr, nullptr),
          "the reader of publications") {}

std::string Rivals::topics() const {
  dds_guid_t own = {};
  (void)dds_get_guid(participant_.get(), &own);
  constexpr std::uint32_t kMost = 4096;
  std::vector<void*> samples(kMost);
  std::vector<dds_sample_info_t> infos(kMost);
  forget_gone(publications_.get(), samples, infos);
  const int count =
      dds_read(publications_.get(), samples.data(), infos.data(), samples.size(), kMost);
  const auto theirs = [&](const std::string& topic) {
    bool found = false;
    for (std::size_t i = 0; static_cast<int>(i) < count; ++i) {
      if (infos[i].instance_state != DDS_ALIVE_INSTANCE_STATE || !infos[i].valid_data) continue;
      const auto& endpoint = *static_cast<const dds_builtintopic_endpoint_t*>(samples[i]);
      const bool mine = std::ranges::equal(endpoint.participant_key.v, own.v);
      found = found || (!mine && "rt" + topic == endpoint.topic_name);
    }
    return found;
  };
  std::string text;
  for (const std::string& topic : topics_) {
    if (theirs(topic)) text += (text.empty() ? "" : " and ") + topic;
  }
  if (count > 0) (void)dds_return_loan(publications_.get(), samples.data(), count);
  return text;
}

void Rivals::refuse() const {
  for (const double end = steady_seconds() + 1.0; steady_seconds() < end;) {
    if (const std::string found = topics(); !found.empty()) {
      throw Failure(
          fmt::format("somebody publishes {} already in domain {}, and listeners would mix the two "
                      "arms: {}, or "
                      "start it with --beside if that is wanted",
                      found, participant_.domain(), kTellApart));
    }
    dds_sleepfor(DDS_MSECS(20));
  }
}

}  // namespace dyn_dds
