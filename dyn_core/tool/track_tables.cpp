#include <fmt/format.h>

#include "track.hpp"

namespace dyn::tool {

std::string track_title(const TrackVariant& variant, bool first_of_law) {
  if (first_of_law && !variant.predict && variant.observer == TrackObserver::kOff) {
    return std::string(entry_of(variant.law).name);
  }
  std::string text = first_of_law ? fmt::format("{} ", entry_of(variant.law).name) : "  ";
  text += variant.predict ? "+ prediction" : "+ observer";
  if (variant.observer == TrackObserver::kCorrect) text += variant.predict ? " with observer" : "";
  const bool guided = variant.law == Law::kGravity;
  if (variant.observer == TrackObserver::kReject)
    text += guided ? ", bias let in" : ", load cancelled";
  return text;
}

namespace {

std::vector<std::string> titles(const std::vector<TrackOutcome>& outcomes) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const Law law = outcomes[i].variant.law;
    out.push_back(track_title(outcomes[i].variant, i == 0 || law != outcomes[i - 1].variant.law));
  }
  return out;
}

void print_head(const TrackOptions& options, const TrackSetup& setup) {
  const Chain& chain = *setup.chain;
  const double mass = chain.links().back().body.mass;
  fmt::print("{}  {} -> {}, {} coordinates\n", bold(chain.name()), chain.base(), chain.tip(),
             chain.dof());
  fmt::print("  {} of {:.3g} s, control at {:g} Hz, {:g} ms until a torque acts\n",
             options.trajectory, setup.duration, options.rate, options.delay_ms);
  fmt::print("  natural frequency {:g} rad/s, damping ratio {:g}\n", options.frequency,
             options.damping);
  fmt::print("  the arm's last link with all it carries: {:.4g} kg, in the model {:.4g} kg\n",
             setup.truth->links().back().body.mass, mass);
  fmt::print("  the arm's friction: {:.4g} times {}\n\n", 1.0 + setup.friction_error,
             options.arm.empty() ? "the model's" : "that of its own description");
}

// How many times smaller `b` is than `a`; nothing where both are zero.
std::string times_smaller(double a, double b, int digits) {
  return b > 0.0 ? fmt::format("{:.{}g}", a / b, digits) : "-";
}

std::string milli(double x) { return fmt::format("{:.{}f}", 1e3 * x, x < 0.1 ? 3 : 1); }

void print_totals(const std::vector<TrackOutcome>& outcomes,
                  const std::vector<std::string>& names) {
  fmt::print("{}\n", bold("Tracking error |q_d - q| (1/1000 rad or m)"));
  fmt::print("  {:<44}{:>10}{:>10}{:>12}{:>11}{:>12}\n", "", "RMS", "peak", "better by",
             "saturated", "update");
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const TrackingReport& report = outcomes[i].report;
    fmt::print("  {:<44}{:>10}{:>10}{:>12}{:>9.1f} %{:>9.1f} µs\n", names[i],
               milli(report.rms_norm), milli(report.peak_norm),
               times_smaller(outcomes.front().report.rms_norm, report.rms_norm, 4),
               100.0 * report.saturated, 1e6 * report.mean_update);
  }
}

// The tip, where a law follows it or nothing at all.
void print_tip(const std::vector<TrackOutcome>& outcomes, const std::vector<std::string>& names,
               bool guided, bool pushed) {
  fmt::print("{}\n",
             bold(guided ? "The tip, left to hands (mm)" : "Tip error, RMS / peak (mm, mrad)"));
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const TrackingReport& r = outcomes[i].report;
    if (guided) {
      const std::string push =
          pushed ? fmt::format("{:>10} by the end of the push, ", milli(r.pushed)) : "";
      fmt::print("  {:<44} {}{} in the last quarter of the run\n", names[i], push, milli(r.drift));
      continue;
    }
    fmt::print("  {:<44} {:>18} {:>18}", names[i], milli(r.tip_rms) + " / " + milli(r.tip_peak),
               milli(r.turn_rms) + " / " + milli(r.turn_peak));
    const double kept = r.kept.minCoeff();
    if (kept < 1.0) fmt::print("  a direction kept to {:.0f} %", 100.0 * kept);
    if (r.failures > 0)
      fmt::print("  braked by a fault in {} of {} updates", r.failures, r.updates);
    fmt::print("\n");
  }
  if (guided) return;
  fmt::print("\n");
}

void print_joints(const std::vector<TrackOutcome>& outcomes, const std::vector<std::string>& names,
                  const Chain& chain) {
  constexpr Index kMostColumns = 8;
  for (Index first = 0; first < chain.dof(); first += kMostColumns) {
    const Index last = std::min(chain.dof(), first + kMostColumns);
    fmt::print("\n{}\n  {:<44}", bold("Each joint, RMS / peak (mrad, prismatic: mm)"), "");
    for (Index k = first; k < last; ++k) {
      const std::string& joint = chain.coordinate_names()[static_cast<std::size_t>(k)];
      fmt::print(" {:>15.15}", joint);
    }
    fmt::print("\n");
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      fmt::print("  {:<44}", names[i]);
      for (Index k = first; k < last; ++k) {
        const TrackingReport& report = outcomes[i].report;
        fmt::print(" {:>15}", milli(report.rms[k]) + "/" + milli(report.peak[k]));
      }
      fmt::print("\n");
    }
  }
}

void print_verdict(const std::vector<TrackOutcome>& outcomes) {
  for (const TrackOutcome& plain : outcomes) {
    if (plain.variant.predict || plain.variant.law == Law::kPd) continue;
    for (const TrackOutcome& other : outcomes) {
      if (other.variant.law != plain.variant.law || !other.variant.predict) continue;
      if (!(other.report.rms_norm > 0.0)) continue;
      fmt::print("\n{}: {} divides the RMS error by {}", entry_of(plain.variant.law).name,
                 track_title(other.variant, false).substr(4),
                 times_smaller(plain.report.rms_norm, other.report.rms_norm, 3));
    }
  }
  fmt::print("\n");
}

Json outcome_json(const TrackOutcome& outcome) {
  const TrackingReport& report = outcome.report;
  return {{"law", std::string(entry_of(outcome.variant.law).name)},
          {"predict", outcome.variant.predict},
          {"observer", kTrackObservers[static_cast<std::size_t>(outcome.variant.observer)]},
          {"rms", to_json(report.rms)},
          {"peak", to_json(report.peak)},
          {"rms_norm", report.rms_norm},
          {"peak_norm", report.peak_norm},
          {"tip_rms", report.tip_rms},
          {"tip_peak", report.tip_peak},
          {"turn_rms", report.turn_rms},
          {"turn_peak", report.turn_peak},
          {"kept", to_json(VecXd(report.kept))},
          {"pushed", report.pushed},
          {"drift", report.drift},
          {"torque_rms", to_json(report.torque_rms)},
          {"torque_peak", to_json(report.torque_peak)},
          {"saturated", report.saturated},
          {"prediction_rms", report.prediction_rms},
          {"mean_update", report.mean_update},
          {"worst_update", report.worst_update},
          {"updates", report.updates},
          {"failures", report.failures}};
}

}  // namespace

void print_track(const TrackOptions& options, const TrackSetup& setup,
                 const std::vector<TrackOutcome>& outcomes) {
  const std::vector<std::string> names = titles(outcomes);
  print_head(options, setup);
  const Follows follows = entry_of(outcomes.back().variant.law).follows;
  if (follows != Follows::kJoints) {
    print_tip(outcomes, names, follows == Follows::kNothing, !options.push.empty());
  }
  if (follows == Follows::kNothing) return;
  print_totals(outcomes, names);
  print_joints(outcomes, names, *setup.chain);
  print_verdict(outcomes);
}

Json track_json(const TrackOptions& options, const TrackSetup& setup,
                const std::vector<TrackOutcome>& outcomes) {
  Json out = {{"robot", setup.chain->name()},
              {"joints", setup.chain->coordinate_names()},
              {"trajectory", options.trajectory},
              {"duration", setup.duration},
              {"rate", options.rate},
              {"delay", 1e-3 * options.delay_ms},
              {"payload_error", setup.payload_error},
              {"friction_error", setup.friction_error},
              {"frequency", options.frequency},
              {"damping_ratio", options.damping},
              {"results", Json::array()}};
  for (const TrackOutcome& outcome : outcomes) out["results"].push_back(outcome_json(outcome));
  return out;
}

}  // namespace dyn::tool
