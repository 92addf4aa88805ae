// Logs in MCAP files (mcap.dev/spec), read from front to back: neither index nor summary is needed, and a file
// that ends too early is read up to there.
#include <bitset>

#include <fmt/format.h>

#include "dyn_core/base/printable.hpp"
#include "identify/log_joint_states.hpp"

namespace dyn {
namespace {

/// The fields of a record, little-endian; zeros and empty texts beyond its end.
class McapFields {
 public:
  explicit McapFields(std::string_view content) : rest_(content) {}

  template <class Number>
  Number number() {
    const std::string_view bytes = take(sizeof(Number));
    Number value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
      value = static_cast<Number>(value << 8U | static_cast<unsigned char>(bytes[i]));
    }
    return value;
  }
  std::string_view string() { return take(number<std::uint32_t>()); }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view take(std::size_t size) {
    const std::string_view part = rest_.substr(0, size);
    rest_.remove_prefix(part.size());
    return part;
  }

  std::string_view rest_;
};

class McapReader {
 public:
  explicit McapReader(LogRows& rows) : rows_(rows), states_(rows), content_(kLongestRecord, '\0') {}

  Result<void> read(Bytes& in) {
    if (!in.skip(kMagic)) rows_.damaged = true;
    const Result<void> done = records(in, false);
    return done ? states_.finish() : done;
  }

 private:
  static constexpr std::size_t kMagic = 8;  // bytes at the beginning
  enum Opcode : unsigned char {
    kSchema = 3,
    kChannel = 4,
    kMessage = 5,
    kChunk = 6,
    kDataEnd = 15
  };

  // Up to the end of the data, or to where `in` ends.
  Result<void> records(Bytes& in, bool in_chunk) {
    for (;;) {
      std::array<char, 9> head;
      const std::size_t got = in.read(head.data(), head.size());
      const auto opcode = static_cast<unsigned char>(head[0]);
      if (got == 0 && in_chunk) return {};
      if (got < head.size() || opcode == 0) {
        rows_.damaged = true;
        return {};
      }
      if (opcode == kDataEnd) return {};
      PartBytes body(in, McapFields({head.data() + 1, 8}).number<std::uint64_t>());
      const Result<void> done = opcode == kChunk && !in_chunk ? chunk(body) : record(opcode, body);
      if (!done) return done;
      if (!body.skip(body.left())) {
        rows_.damaged = true;
        return {};
      }
    }
  }

  // Its first bytes, as many as are kept.
  McapFields content(Bytes& body) { return content(body, kLongestRecord); }
  McapFields content(Bytes& body, std::size_t most) {
    return McapFields({content_.data(), body.read(content_.data(), most)});
  }

  Result<void> chunk(PartBytes& body) {
    constexpr std::size_t kHead = 32;
    constexpr std::uint64_t kLargestChunk = std::uint64_t{1} << 31U;
    McapFields head = content(body, kHead);
    for (int time = 0; time < 2; ++time) head.number<std::uint64_t>();
    const auto size = head.number<std::uint64_t>();
    head.number<std::uint32_t>();  // the checksum
    const auto length = head.number<std::uint32_t>();
    const std::string compression(content(body, std::min<std::size_t>(length, 32)).rest());
    PartBytes packed(body, content(body, 8).number<std::uint64_t>());
    const std::unique_ptr<Bytes> whole = unpacked(packed, compression);
    if (!whole) {
      return fail(fmt::format(
          "{}: its compression '{}' is not known; write it again with zstd, lz4 or none",
          rows_.path(), printable(compression)));
    }
    PartBytes plain(*whole, std::min(size, kLargestChunk));
    const Result<void> done = records(plain, true);
    rows_.damaged = rows_.damaged || plain.left() > 0;
    return done;
  }

  Result<void> record(unsigned char opcode, PartBytes& body) {
    if (opcode == kSchema) {
      McapFields fields = content(body);
      const auto id = fields.number<std::uint16_t>();
      joint_states_[id] = fields.string() == "sensor_msgs/msg/JointState";
    } else if (opcode == kChannel) {
      McapFields fields = content(body);
      return body.left() == 0 ? channel(fields) : Result<void>();
    } else if (opcode == kMessage) {
      if (!wanted_[content(body, 2).number<std::uint16_t>()]) return {};
      if (body.left() > kLongestRecord) {
        ++rows_.malformed;
        return {};
      }
      McapFields fields = content(body);
      fields.number<std::uint32_t>();
      const auto received = fields.number<std::uint64_t>();
      fields.number<std::uint64_t>();
      return body.left() == 0 ? states_.message(fields.rest(), received) : Result<void>();
    }
    return {};
  }

  Result<void> channel(McapFields fields) {
    const auto id = fields.number<std::uint16_t>();
    const auto schema = fields.number<std::uint16_t>();
    const std::string_view topic = fields.string(), encoding = fields.string();
    const Result<bool> wanted = states_.offer(
        topic, joint_states_[schema] ? "sensor_msgs/msg/JointState" : "another type", encoding);
    if (!wanted) return tl::unexpected(wanted.error());
    wanted_[id] = *wanted;
    return {};
  }

  LogRows& rows_;
  JointStates states_;
  std::string content_;
  std::bitset<65536> joint_states_, wanted_;
};

}  // namespace

Result<void> read_mcap(Bytes& in, LogRows& rows) { return McapReader(rows).read(in); }

}  // namespace dyn
