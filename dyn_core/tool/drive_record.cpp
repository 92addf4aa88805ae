#include "drive_record.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace dyn::tool {

DriveRecord::DriveRecord(ChainPtr chain)
    : chain_(std::move(chain)), drives_(static_cast<std::size_t>(chain_->dof())) {}

void DriveRecord::take(double time, const VecXd& torques, const VecXd& velocities) {
  const double step = empty_ ? 0.0 : 0.5 * (time - last_);
  if (empty_) first_ = time;
  empty_ = false;
  last_ = time;
  for (std::size_t i = 0; i < drives_.size(); ++i) {
    Drive& drive = drives_[i];
    const double torque = torques[static_cast<Index>(i)], speed = velocities[static_cast<Index>(i)];
    const double power = torque * speed;
    const Load now{torque, speed, power, std::max(power, 0.0), std::max(-power, 0.0)};
    const auto add = [&](double Load::*what, double (*of)(double)) {
      drive.peak.*what = std::max(drive.peak.*what, std::abs(now.*what));
      drive.integral.*what += step * (of(drive.now.*what) + of(now.*what));
    };
    for (const auto what : {&Load::torque, &Load::speed, &Load::power}) {
      add(what, [](double x) { return x * x; });
    }
    for (const auto what : {&Load::given, &Load::taken}) add(what, [](double x) { return x; });
    drive.now = now;
  }
}

double DriveRecord::rms(double integral) const {
  return last_ > first_ ? std::sqrt(integral / (last_ - first_)) : 0.0;
}

Json DriveRecord::json() const {
  Json out = Json::array();
  for (std::size_t i = 0; i < drives_.size(); ++i) {
    const auto& [now, peak, integral] = drives_[i];
    out.push_back({{"joint", chain_->coordinate_names()[i]},
                   {"torque", {{"peak", peak.torque}, {"rms", rms(integral.torque)}}},
                   {"velocity", {{"peak", peak.speed}, {"rms", rms(integral.speed)}}},
                   {"power", {{"peak", peak.power}, {"rms", rms(integral.power)}}},
                   {"energy", {{"given", integral.given}, {"taken_back", integral.taken}}}});
  }
  return out;
}

std::string DriveRecord::text() const {
  std::string out = fmt::format("  {:<20}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}\n", "",
                                "torque", "RMS", "speed", "RMS", "power", "RMS", "energy", "back");
  for (std::size_t i = 0; i < drives_.size(); ++i) {
    const auto& [now, peak, integral] = drives_[i];
    out += fmt::format("  {:<20}", chain_->coordinate_names()[i]);
    for (const double value : {peak.torque, rms(integral.torque), peak.speed, rms(integral.speed),
                               peak.power, rms(integral.power), integral.given, integral.taken}) {
      out += fmt::format("{:>11.4g}", value);
    }
    out += chain_->coordinate_joint(static_cast<Index>(i)).is_prismatic() ? "  N, m/s, W, J\n"
                                                                          : "  N m, rad/s, W, J\n";
  }
  return out;
}

}  // namespace dyn::tool
