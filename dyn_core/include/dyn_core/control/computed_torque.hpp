// ControlLaw: joint torques that follow a reference, by a law chosen by name.
//
// With e = q_d - q (the shorter way round for continuous joints), z = ∫e dt and
// v = Kp e + Kd ė + Ki z:
//   computed_torque   tau = M(q) (q̈_d + v) + C(q,q̇) q̇ + g(q)                                    (1)
//   feedforward_pd    tau = M(q_d) q̈_d + C(q_d,q̇_d) q̇_d + g(q_d) + v                            (2)
//   pd_gravity        tau = g(q) + v                                                            (3)
//   pd                tau = v                                                                   (4)
//   quasi_velocity    tau = M(q) q̈_r + C(q,q̇) q̇_r + g(q) + m Γ mᵀ s                             (5)
//                     q̇_r = q̇_d + Λ₁ e + Λ₂ z,  s = q̇_r - q̇
//   gravity           for guiding by hand, see guiding.hpp: it follows no reference
// and at the tip, with J, Λ, e and the task frame of task.hpp, c of guiding.hpp:
//   task_space        tau = M a + C q̇ + g + Jᵀ Λ (ẍ_d + Kd ė + Kp e - J̇ q̇ - J a)               (8)
//   impedance         tau = c + g + Jᵀ (K e + D ė + Λ ẍ_d) + Nᵀ tau_p + w                        (9)
// where a = q̈_d + kp e + kd ė of the joints is the posture. (8) is Jᵀ(Λ a_x + μ + p) + Nᵀ(M a + C q̇ + g) with
// μ = Λ (J M⁻¹ C q̇ - J̇ q̇) and p = Λ J M⁻¹ g: Jᵀ Λ J M⁻¹ and Nᵀ make a whole of C q̇ + g. (9) has
// D = 2 ζ Λ # K, the geometric mean, which damps each mode of Λ and K by itself; tau_p = Nᵀ M a is what an
// energy tank pays for, so that with E = ½ q̇ᵀ M q̇ + V + tank the tip is passive.
// plus friction along the reference velocity and the torques that cancel external ones. In (1) and (5)
// gains act on accelerations: kp = ωn² (1/s²), kd = 2 ζ ωn (1/s), ki (1/s³), the same for every posture.
// In (2) to (4) they act on torques: N m/rad, N m s/rad, N m/(rad s).
//
// The quasi-velocity law (Kozłowski 1995, eqs. 26-28, 40). M = m mᵀ with m = U sqrt(D), nu = mᵀ q̇ and
//   nu' + S(q,nu) nu + l g = l tau,   l = m⁻¹,   S = l C lᵀ - m'ᵀ lᵀ.                          (6)
// M' = m' mᵀ + m m'ᵀ = C + Cᵀ makes S skew-symmetric; hence nuᵀ S nu = 0, the paper's orthogonality of
// nu and C(q,nu). The reference nu_r = mᵀ q̇_r leaves the error s_nu = nu_r - nu = mᵀ s, and the torque
// l tau = nu_r' + S nu_r + l g + Γ s_nu makes it
//   s_nu' = -S s_nu - Γ s_nu:                                                                  (7)
// n unit masses, each with a damper of its own, coupled by a term that does no work. Written out in
// q̇_r, m' drops out and (5) remains. Lyapunov function V = ½ s_nuᵀ s_nu = ½ sᵀ M s, V' = -s_nuᵀ Γ s_nu:
// with Γ = γ 1 exactly V' = -2 γ V in every posture, although C s is not cancelled. s → 0 leaves
// ė + Λ₁ e + Λ₂ z = 0, which is stable. A torque d that the model does not know only enters as l d:
// V' <= -s_nuᵀ Γ s_nu + s_nuᵀ l d, so the map from d to s is passive.
// Γ, Λ₁, Λ₂ follow from the gains: s³ + kd s² + kp s + ki = (s + Γ)(s² + Λ₁ s + Λ₂), which makes the
// loop at low speed the one of (1) where all joints have equal gains.
#pragma once

#include <limits>
#include <span>
#include <string_view>

#include "dyn_core/base/export.hpp"
#include "dyn_core/control/guiding.hpp"
#include "dyn_core/control/limiter.hpp"
#include "dyn_core/control/signals.hpp"
#include "dyn_core/control/task.hpp"
#include "dyn_core/robot/kinematics.hpp"
#include "dyn_core/solver.hpp"

namespace dyn {

enum class Law {
  kComputedTorque,
  kFeedforwardPd,
  kPdGravity,
  kQuasiVelocity,
  kPd,
  kGravity,
  kTaskSpace,
  kImpedance
};

enum class Follows { kJoints, kTip, kNothing };

struct LawEntry {
  std::string_view name;
  Law law;
  std::string_view text;
  bool acceleration_gains;  ///< gains in 1/s², 1/s, 1/s³; else in N m/rad and so on
  Follows follows = Follows::kJoints;

  [[nodiscard]] bool follows_joints() const noexcept { return follows == Follows::kJoints; }
};

DYN_CORE_EXPORT [[nodiscard]] std::span<const LawEntry> control_laws() noexcept;
DYN_CORE_EXPORT [[nodiscard]] const LawEntry& entry_of(Law law) noexcept;
/// The error lists the names there are.
DYN_CORE_EXPORT [[nodiscard]] Result<Law> control_law_named(std::string_view name);

/// One entry per coordinate; see the banner for units.
struct Gains {
  VecXd kp, ki, kd;

  explicit Gains(Index dof) : kp(VecXd::Zero(dof)), ki(kp), kd(kp) {}
};

/// Gains from natural frequency ωn (rad/s) and damping ratio ζ, without integral. For the laws whose
/// gains act on torques kp = ωn² / (M⁻¹)_ii, the inertia that joint i feels at `posture` while the other
/// joints are free: no mode of the arm is then faster than sqrt(n) ωn, however strongly joints are
/// coupled. (With M_ii instead, two joints with almost the same axis would have no such bound.)
DYN_CORE_EXPORT [[nodiscard]] Result<Gains> gains_from_frequency(Law law, Solver& solver,
                                                                 const VecXd& posture,
                                                                 const VecXd& frequency,
                                                                 const VecXd& damping_ratio);

struct DYN_CORE_EXPORT ControlParameters {
  Law law = Law::kComputedTorque;
  Gains gains;
  VecXd integral_limit;        ///< bound of |ki z|, in the unit of kp e; infinite: none
  VecXd position_error_limit;  ///< e is clipped to it, rad or m; bounds how fast a far reference is
                               ///< approached
  TorqueLimits limits;         ///< from the chain; an effort limit of zero counts as unset
  bool hardware_compensates_gravity =
      false;             ///< the drives add g(q): it is left out of the command
  bool friction = true;  ///< damping and Coulomb friction of the chain are fed forward
  double ramp_in = 0.2;  ///< s; how long a change is blended in, see ControlLaw; zero: at once
  double antiwindup_time = 0.05;  ///< s; how fast a saturated output unwinds the integral
  double period = 1e-3;           ///< nominal s; stands in for a dt outside (0, 10 periods]
  double hold_time = 0.005;       ///< s; how long the last torque is held when something is wrong
  double decay_time = 0.1;  ///< s; time constant from there to gravity while no state is known
  double brake_limit = std::numeric_limits<double>::infinity();  ///< kd of the brake at most, 1/s
  /// How hard a joint brakes before its position limits, rad/s² or m/s²; infinite: it does not care.
  VecXd approach;
  /// What `task_space` asks of a joint stays below it, as before a position limit: the tip near a singular
  /// posture may need any speed of them. rad/s or m/s; infinite: none.
  VecXd speed;
  /// Gains of drives that close the loop themselves; zero: they take torques. The laws that follow joints
  /// send them the reference, and their own feedback comes on top of the drives'. The other laws send no
  /// kp, and no kd but to brake.
  VecXd drive_kp, drive_kd;
  GuidingParameters guiding;  ///< its walls and damping act in `impedance`, too
  bool guidable = false;      ///< a law that follows joints can change to `gravity` and back
  TaskParameters task;

  /// ωn = 20 rad/s and ζ = 1 for the laws on accelerations; no integral, no rate limit, no approach.
  explicit ControlParameters(const Chain& chain);
};

/// What the torque is made of; the sum of all is the command.
struct DYN_CORE_EXPORT TorqueTerms {
  VecXd inertia;   ///< M q̈_d
  VecXd feedback;  ///< of e, ė and z; while stopping: the brake
  VecXd coriolis;  ///< C q̇ (no gravity)
  VecXd gravity;   ///< zero where the hardware compensates it
  VecXd friction;  ///< damping and Coulomb friction
  VecXd external;  ///< cancels the expected tip wrench and the disturbance
  VecXd handover;  ///< the fading rest of the torque before the last change
  VecXd limited;   ///< what the limits took away

  explicit TorqueTerms(Index dof);
};

enum class ControlMode {
  kTracking,  ///< the law is in force
  kHolding,   ///< something is wrong, for less than hold_time: the last torque
  kStopping,  ///< no valid reference, or the model failed: gravity and a brake
  kBlind,     ///< no valid state: the last gravity torque
};

struct DYN_CORE_EXPORT ControlOutput {
  VecXd torque;  ///< the command: always finite, always within the effort limits
  DriveReference drive;
  VecXd
      drive_torque;  ///< what the drives make of it by themselves; with the command within the limits
  TorqueTerms terms;
  /// e before clipping, ė, ki z; e is zero for a law that does not follow the joints.
  VecXd position_error, velocity_error, integral;
  /// What the law asks of the joints: as it says where it works by accelerations, else what the model
  /// expects of its torque (zero where that is not known).
  VecXd acceleration;
  LimitReport limit;
  bool integral_limited = false;
  double storage = 0.0;  ///< quasi_velocity: V = ½ s_nuᵀ s_nu, J; zero for the others
  TipOutput tip;         ///< of the laws at the tip
  ControlMode mode = ControlMode::kTracking;
  Status status = Status::kOk;  ///< why the mode is not kTracking

  explicit ControlOutput(Index dof);
};

/// What happens when something is wrong. Every torque is within the effort and rate limits, the integral
/// stands still, and the law takes over again with the first valid input:
///   first, for hold_time: the last command, so that a glitch of a few periods leaves no trace;
///   then, with a valid state (the reference is not finite, or the law's model failed):
///       g(q) - M(q) Kd q̇ (laws on accelerations) or g(q) - Kd q̇ (laws on torques); g(q) alone where it
///       is M that failed. The arm is brought to rest and carried;
///   or, without a valid state, or where gravity cannot be computed: a decay with time constant
///       decay_time to the last gravity torque (to zero where the hardware compensates gravity).
///
/// stop() goes to the brake at once.
///
/// Before a position limit that is d away a joint is allowed v = sqrt(2 a d), a = approach: what a law asks
/// beyond dv/dt + k (v - q̇) towards the limit is taken from the feedback, with k = kd in the laws on
/// accelerations and 40/s (no more than brake_limit) in the others. Beyond the limit v and dv/dt are zero.
///
/// Blending: the command does not jump. At activation, after a stop and where continue_from_last() asks for
/// it, the difference between the last command and the law's first torque is added; at a change of gains, payload or gravity, what the change
/// does to the torque of the last state. Either fades as exp(-3t/ramp_in), to 5 % within ramp_in, while
/// the law reacts to state and reference in full; and at once as far as the law comes back to the last
/// command by itself, as it does after one sample that was wrong.
class DYN_CORE_EXPORT ControlLaw {
 public:
  /// The error names the parameter, the joint and the remedy.
  [[nodiscard]] static Result<ControlLaw> make(ChainPtr chain, const ControlParameters& parameters,
                                               const Algorithms& algorithms = {});

  [[nodiscard]] const Chain& chain() const noexcept { return solver_.chain(); }
  [[nodiscard]] const ChainPtr& chain_ptr() const noexcept { return solver_.chain_ptr(); }
  [[nodiscard]] const ControlParameters& parameters() const noexcept { return parameters_; }
  [[nodiscard]] const ControlOutput& output() const noexcept { return output_; }
  /// The law in force: that of the parameters, or `gravity` while it is guided.
  [[nodiscard]] Law law() const noexcept { return guided_ ? Law::kGravity : parameters_.law; }
  [[nodiscard]] bool guided() const noexcept { return guided_; }
  /// A law that is to keep the tip at its reference, and not to yield.
  [[nodiscard]] bool tracks_tip() const noexcept {
    return entry_of(law()).follows == Follows::kTip && !walled();
  }
  /// p_d - p and the rotation vector in selected directions, m and rad.
  [[nodiscard]] Vec6<double> tip_error() const noexcept {
    return output_.tip.error.cwiseProduct(parameters_.task.selected());
  }
  /// g at the last state, whoever compensates it.
  [[nodiscard]] const VecXd& gravity_now() const noexcept { return gravity_; }
  /// What the springs of the laws that are passive hold in this state, J.
  [[nodiscard]] double stored(const JointState& state) noexcept;

  // The following allocate nothing, throw nothing and take no lock.

  /// Starts anew from `torque_now`, the torque that acts at the moment as a command (without gravity
  /// where the hardware compensates it). It is cut to the limits.
  Status activate(VecIn<double> torque_now) noexcept;
  /// The command for `state` and `reference`, `dt` after the last one.
  const ControlOutput& update(const JointState& state, const Reference& reference,
                              double dt) noexcept;

  /// The safe torque instead of the law's, at once, because of `why`.
  const ControlOutput& stop(const JointState& state, Status why, double dt) noexcept;

  /// To the law `gravity` and back, blended; kUnsupported where it was not made guidable.
  Status guide(bool on) noexcept;
  /// The next torque goes on from the last one, blended: for a reference that jumps.
  void continue_from_last() noexcept { handover_pending_ = true; }
  /// kUnsupported, and the old gains stay, where make() would refuse them.
  Status set_gains(const Gains& gains) noexcept;
  Status set_payload(const RigidBody& payload) noexcept;
  Status set_gravity(const Vec3d& gravity) noexcept;
  /// A wrench expected to act on the tip, to be cancelled.
  Status set_expected_wrench(const Wrench& wrench) noexcept;
  /// Joints that cannot move as asked, 0 … 1 each: the torques of the others do not count on them.
  Status set_blocked(VecIn<double> share) noexcept;
  /// An estimate of the external joint torque, to be cancelled. Not blended: it is taken as smooth.
  Status set_disturbance(VecIn<double> torque) noexcept;

 private:
  /// Γ, Λ₁, Λ₂ of the quasi-velocity law.
  struct QuasiGains {
    VecXd damping, slope, curve;
  };

  ControlLaw(ChainPtr chain, Solver solver, const ControlParameters& parameters, JointWalls walls);

  Status check(const JointState& state, const Reference& reference) const noexcept;
  void take_errors(const JointState& state, const Reference& reference) noexcept;
  [[nodiscard]] bool follows_nothing() const noexcept {
    return entry_of(law()).follows == Follows::kNothing;
  }
  Status apply_law(const JointState& state, const Reference& reference) noexcept;
  Status computed_torque(const JointState& state, const Reference& reference) noexcept;
  /// It has walls at the limits of its own, and counts on no joint.
  [[nodiscard]] bool walled() const noexcept {
    return follows_nothing() || (law() == Law::kImpedance && !(parameters_.task.inertia[0] > 0.0));
  }
  Status restrain(const JointState& state) noexcept;
  void make_up_for(const VecXd& qd, VecXd& taken) noexcept;
  void push_alone(const VecXd& acceleration, VecXd& torque) noexcept;
  void expect(const JointState& state) noexcept;
  void keep_from_limits(const JointState& state) noexcept;
  Status feedforward(const Reference& reference) noexcept;
  Status quasi_velocity(const JointState& state, const Reference& reference) noexcept;
  Status carry_by_hand(const JointState& state) noexcept;
  void coriolis_without_power(const VecXd& qd) noexcept;
  void assist(const VecXd& qd) noexcept;
  Status at_tip(const JointState& state, const Reference& reference) noexcept;
  Status take_target(const Reference& reference) noexcept;
  Status task_space(const JointState& state, const Reference& reference) noexcept;
  Status impedance(const JointState& state, const Reference& reference) noexcept;
  void add_at_tip(const Vec6<double>& wanted, const VecXd& had, VecXd& out) noexcept;
  Status accelerate_tip(const Vec6<double>& asked, const JointState& state,
                        const Reference& reference) noexcept;
  Status friction_to_come(const VecXd& qd, const VecXd& feedback) noexcept;
  [[nodiscard]] Vec6<double> tip_pull(const Vec6<double>& stiffness) const noexcept;
  [[nodiscard]] Vec6<double> damp_tip(const Vec6<double>& stiffness) const noexcept;
  void to_posture(const VecXd& acceleration, VecXd& torque) const noexcept;
  void keep_posture(const JointState& state) noexcept;
  void pay(const JointState& state, double dt) noexcept;
  void carry(const VecXd& gravity) noexcept;
  Status gravity(const VecXd& q) noexcept;
  Status external(const JointState& state) noexcept;
  void degrade(const JointState& state, double dt) noexcept;
  [[nodiscard]] bool brake(const JointState& state) noexcept;
  void go_towards_gravity(double dt) noexcept;
  [[nodiscard]] bool terms_finite() noexcept;
  void hand_over(double dt) noexcept;
  void limit(double dt) noexcept;
  void integrate(double dt) noexcept;
  void refer_drives(const JointState& state, const Reference& reference) noexcept;
  void brake_by_drives(const JointState& state) noexcept;
  void clear_terms() noexcept;
  [[nodiscard]] bool torque_at_last(VecXd& out) noexcept;
  template <class Change>
  void blend(Change change) noexcept;

  ControlParameters parameters_;
  JointWalls walls_;
  OperationalSpace space_;
  TipReference wanted_;  // of the tip, also where the joints' reference says it
  Quaternion turn_ = Quaternion::Identity();  // R_d Rᵀ in the task frame
  Vec6<double> twist_error_, pull_;           // ẋ_d - ẋ and the law's force, in terms of space_
  Vec6<double> drift_ = Vec6<double>::Zero();  // J̇ q̇
  VecXd paid_;  // the torque that the tank pays for, of the last period
  double tank_ = 0.0, paid_power_ = 0.0;
  Dynamics dynamics_;
  QuasiGains quasi_;
  Solver solver_;
  Kinematics<double> kinematics_, reference_kinematics_;
  ControlOutput output_;
  Wrench expected_wrench_;
  bool has_expected_wrench_ = false;
  VecXd disturbance_, blocked_;
  VecXd e_, z_;  // clipped error, its integral
  VecXd gravity_, hardware_gravity_, last_gravity_;
  JointState last_state_;  // of the last update that was valid
  Reference last_reference_;
  bool has_last_ = false;
  TorqueTerms spare_;  // keeps the output while another torque is computed
  VecXd handover_;     // the fading offset
  bool handover_pending_ = false, guided_ = false;
  double fault_time_ = 0.0;  // since the last valid update, s
  VecXd by_drives_;          // gravity and what the drives do by themselves
  VecXd previous_, baseline_, remainder_, before_, after_, a_, b_;
  MatXd M_, C_, U_, jacobian_;
  VecXd D_;
};

}  // namespace dyn
