// ROS 2's conventions on top of Cyclone DDS: participants, nodes, topics and services as rmw_cyclonedds
// has them on the wire.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <dds/dds.h>

#include "domain.hpp"
#include "interfaces.hpp"

namespace dyn_dds {

/// Owns an entity and with it all that was made of it.
class Entity {
 public:
  Entity() = default;
  /// Throws if `handle` is an error; `what` says what was to be made.
  Entity(dds_entity_t handle, const std::string& what);
  Entity(Entity&& other) noexcept : handle_(std::exchange(other.handle_, 0)) {}
  Entity& operator=(Entity&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Entity();
  [[nodiscard]] dds_entity_t get() const noexcept { return handle_; }

 private:
  dds_entity_t handle_ = 0;
};

struct Qos {
  int depth = 10;
  bool reliable = true;
  bool latched = false;  ///< late joiners get the last messages: transient local
};

/// What tells one arm from another on the graph.
struct Naming {
  std::string name_space = "/";
  std::string frame_prefix;  ///< before the name of every frame
};

using Gid = std::array<std::uint8_t, 16>;

/// What a node has, as other nodes see it.
struct NodeEntities {
  std::string name_space, name;
  std::vector<Gid> readers, writers;
};

/// This process in a ROS 2 domain.
class Participant {
 public:
  /// `security`: the folder of secure(); empty: none.
  explicit Participant(const Domain& domain, const std::string& security = {});

  [[nodiscard]] dds_entity_t get() const noexcept { return participant_.get(); }
  [[nodiscard]] dds_domainid_t domain() const noexcept { return domain_id_; }
  [[nodiscard]] Reach reach() const noexcept { return reach_; }
  /// Until something can be taken from one of the nodes' readers, or the time is over.
  void wait(dds_duration_t timeout) const;
  /// Has wait() look at this reader, too.
  void watch(dds_entity_t reader);
  /// Tells the others which nodes there are here; once all nodes have all they will have.
  void announce(const std::vector<const NodeEntities*>& nodes);

 private:
  dds_domainid_t domain_id_;
  Reach reach_;
  Entity domain_, participant_, graph_, waitset_;
  std::vector<Entity> conditions_;
};

template <class Message>
class Publisher {
 public:
  explicit Publisher(Entity writer) : writer_(std::move(writer)) {}
  [[nodiscard]] dds_entity_t get() const noexcept { return writer_.get(); }
  /// False: it is larger than a message may be.
  bool send(const Message& message) const { return dds_write(writer_.get(), &message) >= 0; }
  [[nodiscard]] int listeners() const {
    return dds_get_matched_subscriptions(writer_.get(), nullptr, 0);
  }

 private:
  Entity writer_;
};

/// What has come to a reader; given back at the end, also where an exception is thrown.
struct Loan {
  explicit Loan(dds_entity_t from)
      : reader(from), count(dds_take(reader, samples.data(), infos.data(), kMost, kMost)) {}
  ~Loan() {
    if (count > 0) (void)dds_return_loan(reader, samples.data(), count);
  }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  [[nodiscard]] std::size_t size() const noexcept { return count > 0 ? count : 0; }

  static constexpr std::uint32_t kMost = 32;
  dds_entity_t reader;
  std::array<void*, kMost> samples{};
  std::array<dds_sample_info_t, kMost> infos;
  int count;
};

/// Takes who is gone out of a reader of participants or endpoints, which would keep all that ever were. The room is
/// that which is read with: Cyclone DDS fills as much of any as was ever lent by this reader.
void forget_gone(dds_entity_t reader, std::span<void*> samples, std::span<dds_sample_info_t> infos);

template <class Message>
class Subscription {
 public:
  explicit Subscription(Entity reader) : reader_(std::move(reader)) {}
  [[nodiscard]] dds_entity_t get() const noexcept { return reader_.get(); }
  [[nodiscard]] int talkers() const {
    return dds_get_matched_publications(reader_.get(), nullptr, 0);
  }
  /// Passes every message that has come, and who sent it, to `use`.
  template <class Use>
  void take(Use use) const {
    bool more = true;
    while (more) {
      Loan loan(reader_.get());
      for (std::size_t i = 0; i < loan.size(); ++i) {
        if (!loan.infos[i].valid_data) continue;
        use(*static_cast<const Message*>(loan.samples[i]), loan.infos[i].publication_handle);
      }
      more = loan.size() == Loan::kMost;
    }
  }

 private:
  Entity reader_;
};

/// The reader of requests and the writer of responses.
template <class Kind>
class Service {
 public:
  using Request = typename Kind::Request;
  using Response = typename Kind::Response;

  Service(Entity requests, Entity responses)
      : requests_(std::move(requests)), responses_(std::move(responses)) {}
  /// Lets `answer` fill the response of every request that has come.
  template <class Answer>
  void serve(Answer answer) const;
  /// Passes every request that has come to `use`, to be answered later by send().
  template <class Use>
  void take(Use use) const;
  void send(const Response& response) const { responses_.send(response); }

 private:
  Subscription<Request> requests_;
  Publisher<Response> responses_;
};

/// In place of an answer that is larger than a message may be.
inline constexpr char kTooLarge[] =
    "the answer is larger than a message may be (8 MiB, where CYCLONEDDS_URI gives no other "
    "MaxSampleSize); "
    "ask for less";

/// Whether the client that wrote with `request_writer` has a reader that `responses` knows; waits a
/// little for it, since the two are discovered one after the other.
void await_client(dds_entity_t requests, dds_instance_handle_t request_writer,
                  dds_entity_t responses);

template <class Kind>
template <class Answer>
void Service<Kind>::serve(Answer answer) const {
  requests_.take([&](const Request& request, dds_instance_handle_t writer) {
    Response response = {};
    response.rmw_client = request.rmw_client;
    response.rmw_sequence = request.rmw_sequence;
    answer(request, response);
    await_client(requests_.get(), writer, responses_.get());
    if (responses_.send(response)) return;
    if constexpr (requires { response.success; }) {
      std::string sentence = kTooLarge;
      Response refusal = {};
      refusal.rmw_client = request.rmw_client;
      refusal.rmw_sequence = request.rmw_sequence;
      refusal.message = sentence.data();
      (void)responses_.send(refusal);
    }
  });
}

template <class Kind>
template <class Use>
void Service<Kind>::take(Use use) const {
  requests_.take([&](const Request& request, dds_instance_handle_t writer) {
    await_client(requests_.get(), writer, responses_.get());
    use(request);
  });
}

/// A node of the ROS 2 graph: makes topics and services in its namespace.
class Node {
 public:
  Node(Participant& participant, std::string name_space, std::string name);

  [[nodiscard]] const NodeEntities& entities() const noexcept { return entities_; }
  [[nodiscard]] std::string full_name() const;

  /// `topic` as in ROS 2: absolute with a leading /, private with ~/, else in the node's namespace.
  template <class Message>
  [[nodiscard]] Publisher<Message> publisher(const std::string& topic, const Qos& qos) {
    return Publisher<Message>(
        writer(interface_of<Message>, "rt" + resolved(topic), qos, std::string()));
  }
  template <class Message>
  [[nodiscard]] Subscription<Message> subscription(const std::string& topic, const Qos& qos) {
    return Subscription<Message>(
        reader(interface_of<Message>, "rt" + resolved(topic), qos, std::string()));
  }
  template <class Kind>
  [[nodiscard]] Service<Kind> service(const std::string& name) {
    const std::string id = service_id();
    return Service<Kind>(
        reader(interface_of<typename Kind::Request>, "rq" + resolved(name) + "Request", Qos(), id),
        writer(interface_of<typename Kind::Response>, "rr" + resolved(name) + "Reply", Qos(), id));
  }

 private:
  [[nodiscard]] std::string resolved(const std::string& topic) const;
  [[nodiscard]] std::string service_id();
  Entity writer(const Interface& interface, const std::string& topic, const Qos& qos,
                const std::string& user_data);
  Entity reader(const Interface& interface, const std::string& topic, const Qos& qos,
                const std::string& user_data);

  Participant& participant_;
  NodeEntities entities_;
  int services_ = 0;
};

/// Checks a namespace given by the user; returns it with a leading and without a trailing slash.
[[nodiscard]] std::string checked_namespace(const std::string& text);

}  // namespace dyn_dds
