// read_log: the same log from every format, whatever order and company the joints have; sentences for what is
// no log.
#include "identify/log_files.hpp"
#include "support.hpp"

namespace dyn::test {
namespace {

constexpr std::uint64_t kLogSeed = 20261119;

ChainPtr planar() { return load_robot("planar3r"); }

// Steps of 2 ms, numbers from a seed.
std::vector<StateMessage> some_messages(const Chain& chain, std::size_t count) {
  Random random(kLogSeed);
  std::vector<StateMessage> out(count);
  for (std::size_t k = 0; k < count; ++k) {
    out[k].names = chain.coordinate_names();
    out[k].stamp = 0.002 * static_cast<double>(k + 1);
    out[k].received = out[k].stamp + 0.0001 * random.uniform(0.0, 1.0);
    for (auto* values : {&out[k].q, &out[k].qd, &out[k].tau}) {
      for (Index j = 0; j < chain.dof(); ++j) values->push_back(random.uniform(-2.0, 2.0));
    }
  }
  return out;
}

Log read_well(const std::string& path, const LogOptions& options = {}) {
  const Result<Log> log = read_log(path, *planar(), options);
  if (log) return *log;
  ADD_FAILURE() << log.error().sentence;
  return {};
}

std::string refusal(const std::string& path, const LogOptions& options = {}) {
  const Result<Log> log = read_log(path, *planar(), options);
  if (log) return "read " + std::to_string(log->size()) + " samples";
  EXPECT_NE(log.error().sentence.find_first_of(";?"), std::string::npos)
      << "a remedy: " << log.error().sentence;
  EXPECT_EQ(log.error().sentence.find('\n'), std::string::npos);
  return log.error().sentence;
}

bool noted(const Log& log, const std::string& part) {
  return std::ranges::any_of(
      log.notes, [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

void expect_holds(const Log& log, const std::vector<StateMessage>& messages,
                  const std::string& what) {
  ASSERT_EQ(log.t.size(), messages.size()) << what;
  for (std::size_t k = 0; k < messages.size(); ++k) {
    EXPECT_NEAR(log.t[k], messages[k].stamp - messages[0].stamp, 1e-9) << what;
    for (std::size_t j = 0; j < log.q.size(); ++j) {
      EXPECT_EQ(log.q[j][k], messages[k].q[j]) << what;
      if (!log.qd.empty()) {
        EXPECT_EQ(log.qd[j][k], messages[k].qd[j]) << what;
      }
      EXPECT_EQ(log.tau[j][k], messages[k].tau[j]) << what;
    }
  }
}

}  // namespace

TEST(Log, IsTheSameInEveryFormat) {
  const auto messages = some_messages(*planar(), 230);
  expect_holds(read_well(written("a.csv", csv(messages))), messages, "csv");
  for (const bool big : {false, true}) {
    expect_holds(read_well(db3("a.db3", messages, {.big_endian = big})), messages, "db3");
    for (const char* compression : {"", "zstd", "lz4"}) {
      expect_holds(read_well(written(
                       "a.mcap", mcap(messages, {.compression = compression, .big_endian = big}))),
                   messages, std::string("mcap ") + compression);
    }
  }
  expect_holds(read_well(written("b.mcap", mcap(messages, {.chunks = false}))), messages,
               "mcap without chunks");
}

TEST(Log, TakesJointsInAnyOrderAndAmongOthers) {
  const auto messages = some_messages(*planar(), 60);
  auto mixed = messages;
  for (std::size_t k = 0; k < mixed.size(); ++k) {
    StateMessage& m = mixed[k];
    m.names.insert(m.names.begin(), "finger");
    for (auto* values : {&m.q, &m.qd, &m.tau}) values->insert(values->begin(), 9.0);
    const auto turn = static_cast<std::ptrdiff_t>(k % 4);
    for (auto* values : {&m.q, &m.qd, &m.tau})
      std::rotate(values->begin(), values->begin() + turn, values->end());
    std::rotate(m.names.begin(), m.names.begin() + turn, m.names.end());
  }
  StateMessage gripper{.stamp = 0.003, .names = {"finger"}, .q = {1.0}, .qd = {}, .tau = {}};
  mixed.insert(mixed.begin() + 1, gripper);
  const Log log = read_well(written("mixed.mcap", mcap(mixed)));
  expect_holds(log, messages, "mixed");
  EXPECT_TRUE(noted(log, "1 messages without all joints"));
}

TEST(Log, TakesAnotherBeginningOfAllNames) {
  auto messages = some_messages(*planar(), 5);
  const auto original = messages;
  for (StateMessage& m : messages) {
    for (std::string& name : m.names) name = "left_" + name;
  }
  const Log log = read_well(written("left.mcap", mcap(messages)));
  expect_holds(log, original, "left");
  EXPECT_TRUE(noted(log, "are taken for"));
  for (StateMessage& m : messages) {
    for (std::size_t j = 0; j < 3; ++j) m.names.push_back("right_" + m.names[j].substr(5));
    for (auto* values : {&m.q, &m.qd, &m.tau}) values->resize(6);
  }
  EXPECT_NE(refusal(written("both.mcap", mcap(messages))).find("left_"), std::string::npos);
  LogOptions named;
  named.joints.assign(messages[0].names.begin(), messages[0].names.begin() + 3);
  expect_holds(read_well(written("both.mcap", mcap(messages)), named), original, "named");
}

TEST(Log, DropsStampsThatDoNotGrow) {
  auto messages = some_messages(*planar(), 50);
  auto expected = messages;
  messages.insert(messages.begin() + 20, messages[19]);  // doubled
  messages.insert(messages.begin() + 30, messages[10]);  // late
  const Log log = read_well(db3("late.db3", messages));
  expect_holds(log, expected, "late");
  EXPECT_TRUE(noted(log, "1 samples with the stamp of the one before"));
  EXPECT_TRUE(noted(log, "1 samples with a stamp before"));
}

TEST(Log, AClockSetBackBeginsAPiece) {
  auto messages = some_messages(*planar(), 50);
  for (std::size_t k = 0; k < 25; ++k) messages[k].stamp += 100.0;
  const Log log = read_well(db3("back.db3", messages));
  ASSERT_EQ(log.size(), 50);
  EXPECT_NEAR(log.t[25] - log.t[24], 1.0, 1e-9);
  EXPECT_TRUE(noted(log, "1 times the clock was set back"));
}

TEST(Log, WithoutStampsTakesTheRecorders) {
  auto messages = some_messages(*planar(), 50);
  for (StateMessage& m : messages) m.stamp = 0.0;
  const Log log = read_well(db3("zero.db3", messages));
  ASSERT_EQ(log.size(), 50);
  EXPECT_NEAR(log.t[49], messages[49].received - messages[0].received, 1e-9);
}

TEST(Log, LeavesOutWhatHasNoNumbers) {
  auto messages = some_messages(*planar(), 50);
  messages[7].q[1] = std::numeric_limits<double>::quiet_NaN();
  messages[8].tau = {};
  messages[9].qd.pop_back();
  const Log log = read_well(written("nan.mcap", mcap(messages)));
  EXPECT_EQ(log.size(), 47);
  EXPECT_TRUE(noted(log, "1 samples with numbers that are not finite"));
  EXPECT_TRUE(noted(log, "1 samples without efforts"));
  EXPECT_TRUE(noted(log, "1 messages that are broken"));
  messages[20].qd = {};
  EXPECT_TRUE(read_well(written("nan.mcap", mcap(messages))).qd.empty());
}

TEST(Log, ReadsFoldersInTheOrderOfTheirMetadata) {
  const auto messages = some_messages(*planar(), 120);
  const std::string folder = log_path("bag");
  std::filesystem::create_directories(folder);
  const auto part = [&](std::size_t from, std::size_t to) {
    return mcap({messages.begin() + static_cast<std::ptrdiff_t>(from),
                 messages.begin() + static_cast<std::ptrdiff_t>(to)});
  };
  std::ofstream(folder + "/z.mcap") << part(0, 50);
  std::ofstream(folder + "/a.mcap") << part(50, 120);
  std::ofstream(folder + "/metadata.yaml")
      << "rosbag2_bagfile_information:\n  version: 5\n  relative_file_paths:\n    - z.mcap\n    - "
         "a.mcap\n  duration:\n    nanoseconds: 1\n";
  expect_holds(read_well(folder), messages, "folder");
}

TEST(Log, OfAFileThatEndsAnywhereIsItsBeginning) {
  const auto messages = some_messages(*planar(), 120);
  for (const char* compression : {"", "zstd", "lz4"}) {
    const std::string whole = mcap(messages, {.compression = compression});
    Index before = 0;
    constexpr std::size_t kEnd = 80;  // the records after the data
    for (std::size_t size = 0; size + kEnd < whole.size(); size += 97) {
      const Result<Log> log = read_log(written("cut.mcap", whole.substr(0, size)), *planar());
      if (!log) {
        EXPECT_EQ(before, 0) << log.error().sentence;
        continue;
      }
      EXPECT_TRUE(noted(*log, "ends too early")) << size;
      EXPECT_GE(log->size(), before) << size;
      before = log->size();
      for (Index k = 0; k < before; ++k) {
        EXPECT_EQ(log->q[0][static_cast<std::size_t>(k)],
                  messages[static_cast<std::size_t>(k)].q[0]);
      }
    }
    EXPECT_GE(before, 100);
  }
}

TEST(Log, HasASentenceForWhatIsNone) {
  const auto messages = some_messages(*planar(), 30);
  const auto expect = [&](const std::string& path, const char* part,
                          const LogOptions& options = {}) {
    const std::string sentence = refusal(path, options);
    EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
  };
  expect(log_path("nowhere.csv"), "there is no such file");
  expect("/dev/zero", "it is no file");
  std::filesystem::create_directories(log_path("empty"));
  expect(log_path("empty"), "no rosbag2 file is in this folder");
  expect(written("h.csv", ""), "there is no sample");
  expect(written("h.csv", "a,b\n1,2\n"), "no column t");
  expect(written("h.csv", "t,q_1,q_2,tau_1,tau_2\n"), "are of 2 joints");
  expect(written("h.csv", "t,q_1,q_2,q_3,tau_1,tau_2,tau_3\n"), "there is no sample in it");
  expect(written("h.csv", "\xef\xbb\xbft,q_1,q_2,q_3,tau_1,tau_2,tau_3\n"), "there is no sample");
  expect(written("h.csv", "t,q_1,q_2,q_3,tau_1,tau_2\n"), "a column tau_ is missing");
  expect(written("h.csv", "t,q_1,q_2,q_3,tau_1,tau_2,tau_3\n0,1,2,3,4,5,6\n"), "one sample");
  expect(written("h.csv", "t,q_1,q_2,q_3,tau_1,tau_2,tau_3\n0,1,2,3,4,5,6\n1,2,x,4,5,6,7\n2,3\n"),
         "line 3");
  expect(written("h.csv", "t,q_1,q_2,q_3,tau_1,tau_2,tau_3\n0,nan,2,3,4,5,6\n1,2,,4,5,6,7\n"),
         "finite numbers");
  expect(written("h.csv", "t,q_1,q_2,q_3,tau_1,tau_2,tau_3\n1,1,2,3,4,5,6\n1,2,3,4,5,6,7\n"),
         "times do not grow");
  expect(written("h.csv", std::string(3 << 20, '\0')), "neither a rosbag2 file nor text");
  expect(written("h.mcap", "\x89MCAP0\r\n"), "there is no sample");
  expect(written("h.mcap", "\x89MCAP0\r\n\x04\xff\xff\xff\xff\xff\xff\xff\x7f"),
         "there is no sample");
  expect(written("h.mcap", mcap(messages, {.type = "std_msgs/msg/Int8"})),
         "there is no topic of sensor_msgs/msg/JointState");
  expect(written("h.mcap", mcap(messages, {.encoding = "json"})), "encoded in json");
  expect(written("h.mcap", mcap(messages, {.compression = "rar"})), "'rar' is not known");
  expect(written("h.mcap", mcap(messages)), "there is no topic '/arm'",
         {.topic = "/arm", .joints = {}});
  expect(written("h.mcap", mcap(messages)), "/chatter is of", {.topic = "/chatter", .joints = {}});
  expect(written("h.mcap", mcap(messages) + mcap(messages)), "read 30");
  expect(db3("h.db3", messages, {.type = "std_msgs/msg/Int8"}), "there is no topic of");
  expect(written("h.db3", "SQLite format 3" + std::string(5000, '\0')), "SQLite cannot read it");
  auto without = messages;
  for (StateMessage& m : without) m.tau = {};
  expect(db3("h.db3", without), "no efforts");
  for (StateMessage& m : without) m.names = {"x", "y", "z"};
  expect(db3("h.db3", without), "its joints are x, y, z");
}

TEST(Log, ReadsTheBagsOfTwoArms) {
  const auto count = [](const char* file, const char* first, int joints) {
    ChainDescription description = random_chain(joints, kLogSeed)->description();
    for (std::size_t j = 0; j < description.joints.size(); ++j) {
      description.joints[j].name = description.coordinate_names[j] =
          std::string(first) + std::to_string(j + 1);
    }
    LogOptions options;
    if (joints == 6)
      options.joints = {"shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint",
                        "wrist_1_joint",      "wrist_2_joint",       "wrist_3_joint"};
    const auto log =
        read_log(std::string(DYN_TEST_DATA_DIR) + "/bags/" + file, Chain(description), options);
    if (!log) ADD_FAILURE() << log.error().sentence;
    return log ? log->size() : 0;
  };
  EXPECT_EQ(count("ur10_exciting_trajectory.db3", "joint", 6), 3441);
  EXPECT_EQ(count("panda_exciting_trajectory.db3", "panda_joint", 7), 727);
}

}  // namespace dyn::test
