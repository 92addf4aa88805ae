#include "urdf_arm.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "urdf_drives.hpp"
#include "urdf_names.hpp"

namespace dyn::internal {
namespace {

/// What is known of a link below the base.
struct Place {
  bool below = false;   // the base or below it
  bool moves = false;   // its joint, on its own or as a mimic
  bool counts = false;  // its joint moves on its own
  bool hand = false;    // part of a hand or a wheel
  bool end = true;      // no moving joint below
  bool named = true;    // all moving joints from here on are named after fingers or wheels
  int body = 0;         // the first link of the rigid body it belongs to
  int way = 0;          // independent joints from the base to here
  int moving = 0;       // all moving joints from the base to here
  int longest = 0;      // independent joints from its own on, along the longest way
  std::vector<int> branches = {};  // of the first link of a body: the joints that it carries
};

class ArmFinder {
 public:
  ArmFinder(const UrdfTree& tree, int base, const std::map<std::string, double>& lock)
      : tree_(tree), base_(base), places_(tree.nodes.size()) {
    walk_out(lock);
    walk_back();
  }

  ArmEnd find() {
    mark_hands();
    std::string note;
    int last = longest_arm(note);
    if (place(last).way == 0) {
      for (Place& at : places_) at.hand = false;
      count_ways();
      last = longest_arm(note);
    }
    ArmEnd end = frame_of(last);
    end.rule += note;
    return end;
  }

  std::vector<ChainEnd> leaves() {
    count_ways();
    std::vector<int> ends;
    for (int i = base_; i < size(); ++i) {
      if (place(i).below && node(i).children.empty()) ends.push_back(i);
    }
    std::ranges::sort(ends, {}, [this](int i) { return order(i); });
    std::vector<ChainEnd> out;
    out.reserve(ends.size());
    for (const int i : ends) out.push_back({node(i).link->name, place(i).way});
    return out;
  }

 private:
  [[nodiscard]] int size() const { return static_cast<int>(places_.size()); }
  Place& place(int i) { return places_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const TreeNode& node(int i) const {
    return tree_.nodes[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] const urdf::Joint& joint(int i) const { return *node(i).joint; }
  [[nodiscard]] std::size_t order(int i) const {
    return tree_.document_order.at(node(i).link->name);
  }

  void walk_out(const std::map<std::string, double>& lock) {
    place(base_).below = true;
    place(base_).body = base_;
    for (int i = base_ + 1; i < size(); ++i) {
      Place& at = place(i);
      at.below = place(node(i).parent).below;
      if (!at.below) continue;
      at.moves = has_one_axis(joint(i)) && !lock.contains(joint(i).name);
      at.counts = at.moves && !joint(i).mimic;
      at.body = at.moves ? i : place(node(i).parent).body;
      if (at.moves) place(place(node(i).parent).body).branches.push_back(i);
    }
  }

  void walk_back() {
    for (int i = size() - 1; i > base_; --i) {
      Place& at = place(i);
      if (!at.below) continue;
      at.longest += at.counts ? 1 : 0;
      at.named = at.named && (!at.moves || names_hand_or_wheel(joint(i)));
      Place& parent = place(node(i).parent);
      parent.longest = std::max(parent.longest, at.longest);
      parent.named = parent.named && at.named;
      parent.end = parent.end && at.end && !at.moves;
    }
  }

  void count_ways() {
    for (int i = base_ + 1; i < size(); ++i) {
      if (!place(i).below) continue;
      const Place& parent = place(node(i).parent);
      place(i).hand = place(i).hand || parent.hand;
      place(i).way = parent.way + (place(i).counts ? 1 : 0);
      place(i).moving = parent.moving + (place(i).moves ? 1 : 0);
    }
  }

  void mark_hands() {
    count_ways();
    for (int i = base_; i < size(); ++i) {
      Place& at = place(i);
      if (i > base_) at.hand = at.hand || place(node(i).parent).hand;
      if (!at.below || at.hand || at.branches.empty()) continue;
      for (const int branch : at.branches) place(branch).hand = place(branch).named;
      mark_pairs(at);
      mark_short(at);
    }
  }

  [[nodiscard]] bool mimics(int i, int other) const {
    return joint(i).mimic && joint(i).mimic->joint_name == joint(other).name;
  }

  void mark_pairs(const Place& at) {
    for (const int a : at.branches) {
      for (const int b : at.branches) {
        if (a == b || place(b).longest > 1) continue;
        const auto type = joint(a).type;
        const bool alike =
            type == joint(b).type && type != urdf::Joint::REVOLUTE && place(a).end && place(b).end;
        if (alike || mimics(a, b)) place(a).hand = place(b).hand = true;
      }
    }
  }

  void mark_short(const Place& at) {
    std::vector<int> branches;
    for (const int branch : at.branches) {
      if (place(branch).longest == 0) continue;
      if (!place(branch).hand && place(branch).longest >= at.way) return;
      branches.push_back(branch);
    }
    if (branches.size() < 2) return;
    for (const int branch : branches) place(branch).hand = true;
  }

  // The first link of the last body; `note` says what else was possible.
  int longest_arm(std::string& note) {
    const auto length = [this](int i) { return std::pair(place(i).way, place(i).moving); };
    int best = base_, equal = 0;
    for (int i = base_; i < size(); ++i) {
      if (!place(i).below || place(i).hand || place(i).body != i) continue;
      const bool longer = std::greater<>()(length(i), length(best));
      const bool as_long = std::equal_to<>()(length(i), length(best));
      equal = longer ? 1 : equal + (as_long ? 1 : 0);
      if (longer || (as_long && order(i) < order(best))) best = i;
    }
    note = equal > 1 ? fmt::format("; the first of {} ways with {} joints", equal, place(best).way)
                     : std::string();
    return best;
  }

  ArmEnd frame_of(int last) {
    const int hand = hand_carrier(last);
    const std::string before =
        hand < 0 ? std::string()
                 : fmt::format(", before what moves on '{}'", node(hand).link->name);
    using Candidate = std::tuple<int, int, std::size_t, int>;  // rank, depth, place in the text
    Candidate best{kNoTool, 0, 0, last};
    std::vector<int> depth(places_.size(), 0);
    const auto depth_of = [&](int i) -> int& { return depth[static_cast<std::size_t>(i)]; };
    for (int i = last; i < size(); ++i) {
      if (!place(i).below || place(i).body != last || place(i).hand) continue;
      if (i != last) depth_of(i) = depth_of(node(i).parent) + 1;
      const int rank = tool_rank(node(i).link->name, node(last).link->name);
      if (rank < kNoTool) best = std::min(best, {rank, depth_of(i), order(i), i});
    }
    const int rank = std::get<0>(best);
    if (rank < kNoTool) return {std::get<3>(best), kReasons[rank] + before};
    if (hand >= 0) return {hand, "the link before the hand or wheels"};
    return {outermost(last), "the outermost frame of the last link"};
  }

  // The link nearest to `last` on its body that carries a part of a hand; -1 without a hand.
  int hand_carrier(int last) {
    int carrier = -1;
    for (const int branch : place(last).branches) {
      const int parent = node(branch).parent;
      if (place(branch).hand && (carrier < 0 || parent < carrier)) carrier = parent;
    }
    return carrier;
  }

  // The first in the text of the frames on the body of `last` that carry nothing but sensors.
  int outermost(int last) {
    const auto carries_frame = [&](int i) {
      return std::ranges::any_of(node(i).children, [&](int child) {
        return place(child).body == last && !names_sensor(node(child).link->name);
      });
    };
    std::set<std::pair<std::size_t, int>> ends;
    for (int i = last; i < size(); ++i) {
      const bool frame = place(i).below && place(i).body == last &&
                         (i == last || !names_sensor(node(i).link->name));
      if (frame && !carries_frame(i)) ends.emplace(order(i), i);
    }
    return ends.begin()->second;
  }

  static constexpr int kNoTool = 4;
  inline static const std::string kReasons[] = {"the frame tool0", "the flange",
                                                "the frame after the last link",
                                                "the first frame named after a tool"};

  const UrdfTree& tree_;
  int base_;
  std::vector<Place> places_;
};

}  // namespace

ArmEnd find_arm_end(const UrdfTree& tree, int base, const std::map<std::string, double>& lock) {
  return ArmFinder(tree, base, lock).find();
}

std::vector<ChainEnd> leaves(const UrdfTree& tree, int base,
                             const std::map<std::string, double>& lock) {
  return ArmFinder(tree, base, lock).leaves();
}

}  // namespace dyn::internal
