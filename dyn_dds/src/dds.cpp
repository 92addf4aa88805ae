#include "dds.hpp"

#include <algorithm>
#include <cctype>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "fields.hpp"
#include "loopback.hpp"
#include "security.hpp"

namespace dyn_dds {
namespace {

using QosPtr = std::unique_ptr<dds_qos_t, decltype(&dds_delete_qos)>;

QosPtr make_qos(const Qos& from, const std::string& user_data) {
  QosPtr qos(dds_create_qos(), dds_delete_qos);
  dds_qset_writer_data_lifecycle(qos.get(), false);
  dds_qset_history(qos.get(), DDS_HISTORY_KEEP_LAST, from.depth);
  if (from.reliable) {
    dds_qset_reliability(qos.get(), DDS_RELIABILITY_RELIABLE, DDS_INFINITY);
  } else {
    dds_qset_reliability(qos.get(), DDS_RELIABILITY_BEST_EFFORT, 0);
  }
  if (from.latched) {
    dds_qset_durability(qos.get(), DDS_DURABILITY_TRANSIENT_LOCAL);
    dds_qset_durability_service(qos.get(), 0, DDS_HISTORY_KEEP_LAST, from.depth,
                                DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED);
  }
  dds_qset_userdata(qos.get(), user_data.data(), user_data.size());
  return qos;
}

QosPtr make_qos(const Interface& interface, const Qos& from, const std::string& user_data) {
  return make_qos(from, user_data + "typehash=" + interface.type_hash + ";");
}

Gid gid_of(dds_entity_t entity) {
  dds_guid_t guid = {};
  (void)dds_get_guid(entity, &guid);
  Gid gid;
  static_assert(sizeof(guid.v) == gid.size());
  std::copy(std::begin(guid.v), std::end(guid.v), gid.begin());
  return gid;
}

Entity make_topic(dds_entity_t participant, const Interface& interface, const std::string& name) {
  return {dds_create_topic(participant, interface.descriptor, name.c_str(), nullptr, nullptr),
          "the topic " + name};
}

// The part "key=…;" of what an endpoint tells about itself; empty if there is none.
std::string user_value(const dds_builtintopic_endpoint_t* endpoint, std::string_view key) {
  void* data = nullptr;
  std::size_t size = 0;
  if (endpoint == nullptr || !dds_qget_userdata(endpoint->qos, &data, &size)) return {};
  const std::string text(static_cast<const char*>(data), size);
  dds_free(data);
  const std::size_t at = text.find(std::string(key) + "=");
  return at == std::string::npos ? std::string() : text.substr(at, text.find(';', at) - at);
}

using EndpointPtr =
    std::unique_ptr<dds_builtintopic_endpoint_t, decltype(&dds_builtintopic_free_endpoint)>;

bool has_reader_of(dds_entity_t responses, const std::string& client) {
  std::array<dds_instance_handle_t, 256> readers;
  const int count = dds_get_matched_subscriptions(responses, readers.data(), readers.size());
  return std::any_of(readers.begin(), readers.begin() + std::clamp(count, 0, 256),
                     [&](dds_instance_handle_t reader) {
                       const EndpointPtr endpoint(
                           dds_get_matched_subscription_data(responses, reader),
                           dds_builtintopic_free_endpoint);
                       return user_value(endpoint.get(), "clientid") == client;
                     });
}

void write_gids(Fields& fields, const std::vector<Gid>& from, auto& to) {
  const auto out = fields.resize(to, from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::copy(from[i].begin(), from[i].end(), out[i].data);
  }
}

void write_name(const std::string& from, char (&to)[257]) {
  from.copy(to, sizeof(to) - 1);  // the rest is zero
}

}  // namespace

Entity::Entity(dds_entity_t handle, const std::string& what) : handle_(handle) {
  if (handle < 0) {
    throw Failure(fmt::format("{} cannot be made: {}", what, dds_strretcode(-handle)));
  }
}

Entity::~Entity() {
  if (handle_ > 0) (void)dds_delete(handle_);
}

Participant::Participant(const Domain& domain, const std::string& security)
    : domain_id_(domain.id), reach_(domain.reach) {
  if (reach_ == Reach::kThisMachine || reach_ == Reach::kNobody) keep_to_this_machine();
  domain_ = Entity(dds_create_domain(domain_id_, domain.configuration.c_str()),
                   "the DDS domain (check CYCLONEDDS_URI)");
  const QosPtr qos(dds_create_qos(), dds_delete_qos);
  constexpr std::string_view kUserData = "enclave=/;";
  dds_qset_userdata(qos.get(), kUserData.data(), kUserData.size());
  if (!security.empty()) secure(qos.get(), security);
  participant_ = Entity(dds_create_participant(domain_id_, qos.get(), nullptr),
                        fmt::format("the participant in domain {}", domain_id_));
  waitset_ = Entity(dds_create_waitset(get()), "the waitset");
}

void Participant::wait(dds_duration_t timeout) const {
  (void)dds_waitset_wait(waitset_.get(), nullptr, 0, timeout);
}

void Participant::watch(dds_entity_t reader) {
  conditions_.emplace_back(dds_create_readcondition(reader, DDS_ANY_STATE), "a read condition");
  (void)dds_waitset_attach(waitset_.get(), conditions_.back().get(), 0);
}

void Participant::announce(const std::vector<const NodeEntities*>& nodes) {
  using Info = rmw_dds_common::msg::ParticipantEntitiesInfo;
  const Qos latched{.depth = 1, .latched = true};
  const Entity topic = make_topic(get(), interface_of<Info>, "ros_discovery_info");
  graph_ = Entity(dds_create_writer(get(), topic.get(),
                                    make_qos(interface_of<Info>, latched, "").get(), nullptr),
                  "the writer of ros_discovery_info");
  Fields fields;
  Info info = {};
  const Gid gid = gid_of(get());
  std::copy(gid.begin(), gid.end(), info.gid.data);
  const auto out = fields.resize(info.node_entities_info_seq, nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    write_name(nodes[i]->name_space, out[i].node_namespace);
    write_name(nodes[i]->name, out[i].node_name);
    write_gids(fields, nodes[i]->readers, out[i].reader_gid_seq);
    write_gids(fields, nodes[i]->writers, out[i].writer_gid_seq);
  }
  (void)dds_write(graph_.get(), &info);
}

void forget_gone(dds_entity_t reader, std::span<void*> samples,
                 std::span<dds_sample_info_t> infos) {
  constexpr std::uint32_t kGone = DDS_ANY_SAMPLE_STATE | DDS_ANY_VIEW_STATE |
                                  DDS_NOT_ALIVE_DISPOSED_INSTANCE_STATE |
                                  DDS_NOT_ALIVE_NO_WRITERS_INSTANCE_STATE;
  const auto most = static_cast<std::uint32_t>(samples.size());
  int count = 0;
  do {
    count = dds_take_mask(reader, samples.data(), infos.data(), most, most, kGone);
    if (count > 0) (void)dds_return_loan(reader, samples.data(), count);
  } while (count == static_cast<int>(most));
}

void await_client(dds_entity_t requests, dds_instance_handle_t request_writer,
                  dds_entity_t responses) {
  const EndpointPtr writer(dds_get_matched_publication_data(requests, request_writer),
                           dds_builtintopic_free_endpoint);
  const std::string client = user_value(writer.get(), "clientid");
  if (client.empty()) return;  // gone, or a client that does not tell its name
  for (int i = 0; i < 50 && !has_reader_of(responses, client); ++i) dds_sleepfor(DDS_MSECS(2));
}

Node::Node(Participant& participant, std::string name_space, std::string name)
    : participant_(participant), entities_{std::move(name_space), std::move(name), {}, {}} {}

std::string Node::full_name() const {
  return (entities_.name_space == "/" ? "" : entities_.name_space) + "/" + entities_.name;
}

std::string Node::resolved(const std::string& topic) const {
  if (topic.starts_with('/')) return topic;
  if (topic.starts_with("~/")) return full_name() + topic.substr(1);
  return (entities_.name_space == "/" ? "" : entities_.name_space) + "/" + topic;
}

// Says which reader and writer belong together, in the form of rmw_cyclonedds.
std::string Node::service_id() {
  Gid id = gid_of(participant_.get());
  id[15] = static_cast<std::uint8_t>(++services_);
  std::string text;
  for (const std::uint8_t byte : id) text += fmt::format("{}{:x}", text.empty() ? "" : ".", byte);
  return "serviceid=" + text + ";";
}

Entity Node::writer(const Interface& interface, const std::string& topic, const Qos& qos,
                    const std::string& user_data) {
  const Entity made = make_topic(participant_.get(), interface, topic);
  Entity writer(dds_create_writer(participant_.get(), made.get(),
                                  make_qos(interface, qos, user_data).get(), nullptr),
                "the writer of " + topic);
  entities_.writers.push_back(gid_of(writer.get()));
  return writer;
}

Entity Node::reader(const Interface& interface, const std::string& topic, const Qos& qos,
                    const std::string& user_data) {
  const Entity made = make_topic(participant_.get(), interface, topic);
  Entity reader(dds_create_reader(participant_.get(), made.get(),
                                  make_qos(interface, qos, user_data).get(), nullptr),
                "the reader of " + topic);
  entities_.readers.push_back(gid_of(reader.get()));
  participant_.watch(reader.get());
  return reader;
}

std::string checked_namespace(const std::string& text) {
  std::string out = text.starts_with('/') ? text : "/" + text;
  if (out.size() > 1 && out.back() == '/') out.pop_back();
  char before = ' ';
  for (const char c : out) {
    const bool starts = before == '/';
    const bool letter = std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!(letter || (digit && !starts) || (c == '/' && !starts))) {
      throw Failure(fmt::format(
          "--namespace '{}' is no ROS 2 namespace: between slashes it takes letters, digits and "
          "underscores, not beginning with a digit",
          text));
    }
    before = c;
  }
  if (out.size() > 200) throw Failure("--namespace is longer than 200 characters; shorten it");
  return out;
}

}  // namespace dyn_dds
