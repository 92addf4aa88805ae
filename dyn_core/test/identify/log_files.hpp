// Writers of the three formats of logs, for tests: what read_log has to read.
#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <lz4frame.h>
#include <sqlite3.h>
#include <unistd.h>
#include <zstd.h>

#include "dyn_core/identify/log.hpp"

namespace dyn::test {

struct StateMessage {
  double stamp = 0.0, received = 0.0;  // s
  std::vector<std::string> names;
  std::vector<double> q, qd, tau;
};

/// A file of this process.
inline std::string log_path(const std::string& name) {
  return ::testing::TempDir() + "dyn_log_" + std::to_string(getpid()) + "_" + name;
}

inline std::string written(const std::string& name, const std::string& content) {
  const std::string path = log_path(name);
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

template <class Number>
std::string little(Number value) {
  std::string bytes(sizeof(value), '\0');
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

inline std::uint64_t nanoseconds(double seconds) {
  return static_cast<std::uint64_t>(std::llround(seconds * 1e9));
}

/// sensor_msgs/JointState in CDR, little-endian or big-endian.
inline std::string cdr(const StateMessage& m, bool big = false) {
  std::string out;
  const auto put = [&](auto value) {
    out.append((sizeof(value) - out.size() % sizeof(value)) % sizeof(value), 'x');
    std::string bytes = little(value);
    if (big) std::reverse(bytes.begin(), bytes.end());
    out += bytes;
  };
  const auto text = [&](const std::string& s) {
    put(static_cast<std::uint32_t>(s.size() + 1));
    out.append(s).push_back('\0');
  };
  const auto stamp = static_cast<std::int64_t>(nanoseconds(m.stamp));
  put(static_cast<std::int32_t>(stamp / 1'000'000'000));
  put(static_cast<std::uint32_t>(stamp % 1'000'000'000));
  text("base");
  put(static_cast<std::uint32_t>(m.names.size()));
  for (const std::string& name : m.names) text(name);
  for (const auto* values : {&m.q, &m.qd, &m.tau}) {
    put(static_cast<std::uint32_t>(values->size()));
    for (const double value : *values) put(value);
  }
  return std::string({'\0', big ? '\0' : '\1', '\0', '\0'}) + out;
}

inline std::string mcap_text(const std::string& s) {
  return little(static_cast<std::uint32_t>(s.size())) + s;
}
inline std::string mcap_record(int opcode, const std::string& content) {
  return std::string(1, static_cast<char>(opcode)) + little(std::uint64_t{content.size()}) +
         content;
}

struct BagOptions {
  std::string topic = "/joint_states", type = "sensor_msgs/msg/JointState", encoding = "cdr";
  std::string compression = {};  // of an mcap's chunks
  bool chunks = true, big_endian = false;
};

inline std::string packed(const std::string& plain, const std::string& compression) {
  std::string out(plain.size() + 65536, '\0');
  if (compression == "zstd") {
    out.resize(ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), 3));
  } else if (compression == "lz4") {
    out.resize(LZ4F_compressFrame(out.data(), out.size(), plain.data(), plain.size(), nullptr));
  } else {
    return plain;
  }
  return out;
}

/// An MCAP file without index or summary; besides the messages a topic of texts.
inline std::string mcap(const std::vector<StateMessage>& messages, const BagOptions& options = {}) {
  const std::string magic = "\x89MCAP0\r\n";
  std::string out = magic + mcap_record(1, mcap_text("ros2") + mcap_text("test"));
  std::string chunk =
      mcap_record(3, little(std::uint16_t{1}) + mcap_text(options.type) + mcap_text("ros2msg") +
                         mcap_text("…")) +
      mcap_record(3, little(std::uint16_t{2}) + mcap_text("std_msgs/msg/String") +
                         mcap_text("ros2msg") + mcap_text("…")) +
      mcap_record(4, little(std::uint16_t{7}) + little(std::uint16_t{1}) +
                         mcap_text(options.topic) + mcap_text(options.encoding) + mcap_text("")) +
      mcap_record(4, little(std::uint16_t{8}) + little(std::uint16_t{2}) + mcap_text("/chatter") +
                         mcap_text("cdr") + mcap_text(""));
  const auto flush = [&] {
    const std::string body = packed(chunk, options.compression);
    out += !options.chunks
               ? chunk
               : mcap_record(6, std::string(16, '\0') + little(std::uint64_t{chunk.size()}) +
                                    std::string(4, '\0') + mcap_text(options.compression) +
                                    little(std::uint64_t{body.size()}) + body);
    chunk.clear();
  };
  for (std::size_t k = 0; k < messages.size(); ++k) {
    const auto message = [&](std::uint16_t channel, const std::string& data) {
      const std::uint64_t received = nanoseconds(messages[k].received);
      return mcap_record(5, little(channel) + little(static_cast<std::uint32_t>(k)) +
                                little(received) + little(received) + data);
    };
    chunk += message(8, "hello") + message(7, cdr(messages[k], options.big_endian));
    if (k % 50 == 49) flush();
  }
  flush();
  return out + mcap_record(15, std::string(4, '\0')) + mcap_record(2, std::string(20, '\0')) +
         magic;
}

inline std::string db3(const std::string& name, const std::vector<StateMessage>& messages,
                       const BagOptions& options = {}) {
  const std::string path = log_path(name);
  std::filesystem::remove(path);
  sqlite3* db = nullptr;
  sqlite3_open(path.c_str(), &db);
  const std::string sql =
      "CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, serialization_format "
      "TEXT);"
      "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data "
      "BLOB);"
      "INSERT INTO topics VALUES(3, '/chatter', 'std_msgs/msg/String', 'cdr');"
      "INSERT INTO topics VALUES(4, '" +
      options.topic + "', '" + options.type + "', '" + options.encoding + "'); BEGIN;";
  sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr);
  sqlite3_stmt* insert = nullptr;
  sqlite3_prepare_v2(db, "INSERT INTO messages(topic_id, timestamp, data) VALUES(4, ?, ?)", -1,
                     &insert, nullptr);
  for (const StateMessage& message : messages) {
    const std::string data = cdr(message, options.big_endian);
    sqlite3_bind_int64(insert, 1, static_cast<sqlite3_int64>(nanoseconds(message.received)));
    sqlite3_bind_blob(insert, 2, data.data(), static_cast<int>(data.size()), SQLITE_TRANSIENT);
    sqlite3_step(insert);
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  return path;
}

inline std::string csv(const std::vector<StateMessage>& messages) {
  std::string out = "t";
  for (const char* kind : {"q", "qd", "tau"}) {
    for (const std::string& name : messages.front().names) out += fmt::format(",{}_{}", kind, name);
  }
  for (const StateMessage& m : messages) {
    out += fmt::format("\n{}", m.stamp);
    for (const auto* values : {&m.q, &m.qd, &m.tau}) {
      for (const double value : *values) out += fmt::format(",{}", value);
    }
  }
  return out + "\n";
}

}  // namespace dyn::test
