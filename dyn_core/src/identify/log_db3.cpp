// Logs in rosbag2's SQLite files.
#include <fmt/format.h>
#include <sqlite3.h>

#include "dyn_core/base/printable.hpp"
#include "identify/log_joint_states.hpp"

namespace dyn {
namespace {

struct CloseDb3 {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

class Db3Reader {
 public:
  explicit Db3Reader(const std::string& path, LogRows& rows) : rows_(rows), states_(rows) {
    // Read-only media do not let SQLite look for a writer: then there is none.
    if (!open("file:" + escaped(path) + "?mode=ro")) {
      open("file:" + escaped(path) + "?mode=ro&immutable=1");
    }
  }

  Result<void> read() {
    if (!db_) return broken();
    Result<void> done = topics();
    if (done) done = states_.finish();
    if (done) done = messages();
    return done;
  }

 private:
  using Statement = std::unique_ptr<sqlite3_stmt, CloseDb3>;

  static std::string escaped(const std::string& path) {
    std::string out;
    for (const char c : path) {
      out += c == '%' || c == '?' || c == '#' ? fmt::format("%{:02x}", static_cast<int>(c))
                                              : std::string(1, c);
    }
    return out;
  }

  bool open(const std::string& uri) {
    sqlite3* db = nullptr;
    const int opened =
        sqlite3_open_v2(uri.c_str(), &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
    db_.reset(db);
    if (opened != SQLITE_OK) return false;
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, static_cast<int>(kLongestRecord));
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_progress_handler(db, 1'000'000, &endless, this);
    return prepare("SELECT count(*) FROM sqlite_master") != nullptr;
  }

  // A file may be made such that looking for the next row does not end.
  static int endless(void* self) {
    constexpr int kMostMillions = 1000;
    return ++static_cast<Db3Reader*>(self)->millions_ > kMostMillions ? 1 : 0;
  }

  Statement prepare(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(db_.get(), sql, -1, &statement, nullptr);
    return Statement(statement);
  }

  bool step(const Statement& statement) {
    millions_ = 0;
    last_ = sqlite3_step(statement.get());
    return last_ == SQLITE_ROW;
  }

  [[nodiscard]] tl::unexpected<Error> broken() const {
    return fail(
        fmt::format("{}: SQLite cannot read it as a rosbag2 file: {}; record it again, or try "
                    "ros2 bag reindex",
                    rows_.path(), printable(db_ ? sqlite3_errmsg(db_.get()) : "no memory", 200)));
  }

  Result<void> topics() {
    const Statement all = prepare("SELECT id, name, type, serialization_format FROM topics");
    if (!all) return broken();
    const auto text = [&](int column) {
      const void* bytes = sqlite3_column_text(all.get(), column);
      const int size = sqlite3_column_bytes(all.get(), column);
      return std::string(static_cast<const char*>(bytes),
                         bytes != nullptr ? static_cast<std::size_t>(size) : 0);
    };
    while (step(all)) {
      const Result<bool> wanted = states_.offer(text(1), text(2), text(3));
      if (!wanted) return tl::unexpected(wanted.error());
      if (*wanted) topic_ = sqlite3_column_int64(all.get(), 0);
    }
    return last_ == SQLITE_DONE ? Result<void>() : broken();
  }

  Result<void> messages() {
    const Statement all = prepare("SELECT timestamp, data FROM messages WHERE topic_id = ?");
    if (!all) return broken();
    sqlite3_bind_int64(all.get(), 1, topic_);
    while (step(all)) {
      const auto received = static_cast<std::uint64_t>(sqlite3_column_int64(all.get(), 0));
      const void* bytes = sqlite3_column_blob(all.get(), 1);
      const int size = sqlite3_column_bytes(all.get(), 1);
      const std::string_view message(static_cast<const char*>(bytes),
                                     bytes != nullptr ? static_cast<std::size_t>(size) : 0);
      const Result<void> added = states_.message(message, received);
      if (!added) return added;
    }
    rows_.damaged = last_ != SQLITE_DONE;
    return {};
  }

  LogRows& rows_;
  JointStates states_;
  std::unique_ptr<sqlite3, CloseDb3> db_;
  std::int64_t topic_ = 0;
  int millions_ = 0, last_ = SQLITE_DONE;
};

}  // namespace

Result<void> read_db3(const std::string& path, LogRows& rows) {
  return Db3Reader(path, rows).read();
}

}  // namespace dyn
