// Exact derivatives of any algorithm, by its own text: run on Dual, once for each direction.
//
// What `fast` computes from formulas of its own has to agree with this; and so has every registered algorithm,
// whichever paper's recursion is differentiated.
#pragma once

#include <span>
#include <vector>

#include "dyn_core/math/dual.hpp"
#include "dyn_core/robot/algorithm.hpp"

namespace dyn {

/// Over the joints of one chain. Column k of a matrix is the derivative by element k of the vector it is
/// named after. Allocates nothing after its construction.
class DualDerivatives {
 public:
  explicit DualDerivatives(const Model& model)
      : q_(VecX<Dual>::Zero(model.size())),
        rates_(q_),
        third_(q_),
        result_(q_),
        poses_(static_cast<std::size_t>(model.size())) {}

  /// Without armature, as the algorithm; with the model's gravity.
  void inverse_dynamics(InverseDynamicsAlgorithm<Dual>& algorithm, const Model& model,
                        VecIn<double> positions, VecIn<double> qd, VecIn<double> qdd,
                        MatOut<double> dq, MatOut<double> dqd, MatOut<double> dqdd) {
    const auto torque = [&] {
      algorithm.inverse_dynamics(model, place(model), model.gravity(), rates_, third_, result_);
      return Status::kOk;
    };
    (void)all_directions(torque, positions, qd, qdd, dq, dqd, dqdd);
  }

  Status forward_dynamics(ForwardDynamicsAlgorithm<Dual>& algorithm, const Model& model,
                          VecIn<double> positions, VecIn<double> qd, VecIn<double> tau,
                          MatOut<double> dq, MatOut<double> dqd, MatOut<double> dtau) {
    const auto acceleration = [&] {
      return algorithm.forward_dynamics(model, place(model), model.gravity(), rates_, third_,
                                        result_);
    };
    return all_directions(acceleration, positions, qd, tau, dq, dqd, dtau);
  }

 private:
  [[nodiscard]] Joints<Dual> place(const Model& model) {
    joint_poses<Dual>(model, q_, poses_);
    return poses_;
  }

  template <class Function>
  Status all_directions(const Function& function, VecIn<double> q, VecIn<double> qd,
                        VecIn<double> third, MatOut<double>& by_q, MatOut<double>& by_qd,
                        MatOut<double>& by_third) {
    q_ = q.cast<Dual>(), rates_ = qd.cast<Dual>(), third_ = third.cast<Dual>();
    Status status = along(q_, function, by_q);
    if (status == Status::kOk) status = along(rates_, function, by_qd);
    return status == Status::kOk ? along(third_, function, by_third) : status;
  }

  template <class Function>
  Status along(VecX<Dual>& input, const Function& function, MatOut<double>& out) {
    for (Index k = 0; k < input.size(); ++k) {
      input[k].rate = 1.0;
      const Status status = function();
      input[k].rate = 0.0;
      if (status != Status::kOk) return status;
      for (Index i = 0; i < result_.size(); ++i) out(i, k) = result_[i].rate;
    }
    return Status::kOk;
  }

  VecX<Dual> q_, rates_, third_, result_;
  std::vector<JointPose<Dual>> poses_;
};

}  // namespace dyn
