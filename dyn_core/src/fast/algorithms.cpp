#include "algorithms.hpp"

#include "fast_dynamics_impl.hpp"

namespace dyn::fast {
namespace {

// Follows the model's payload and armature; the poses come with each query.
class Follower {
 public:
  Follower(const Model& model, bool with_armature) : impl_(model), with_armature_(with_armature) {
    follow(model);
  }

  const Workspace& at(const Model& model, Joints<double> joints) noexcept {
    if (model.revision() != revision_) follow(model);
    impl_.set_poses(joints);
    return impl_.workspace;
  }
  const Workspace& at(const Model& model, Joints<double> joints, const Vec3d& gravity) noexcept {
    at(model, joints);
    impl_.set_gravity(gravity);
    return impl_.workspace;
  }
  [[nodiscard]] const Kernels& kernels() const { return *impl_.kernels; }

 private:
  void follow(const Model& model) noexcept {
    impl_.set_model(model);
    if (!with_armature_) impl_.without_armature();
    revision_ = model.revision();
  }

  FastDynamics::Impl impl_;
  bool with_armature_;
  std::uint64_t revision_ = 0;
};

class FastMassMatrix final : public MassMatrixAlgorithm<double> {
 public:
  explicit FastMassMatrix(const Model& model) : chain_(model, false) {}
  void mass_matrix(const Model& model, Joints<double> joints, MatOut<double> M) override {
    chain_.kernels().mass_matrix(chain_.at(model, joints), nullptr, M.data(), M.outerStride());
  }

 private:
  Follower chain_;
};

class FastInverseDynamics final : public InverseDynamicsAlgorithm<double> {
 public:
  explicit FastInverseDynamics(const Model& model) : chain_(model, false) {}
  void inverse_dynamics(const Model& model, Joints<double> joints, const Vec3d& gravity,
                        VecIn<double> qd, VecIn<double> qdd, VecOut<double> tau) override {
    chain_.kernels().inverse_dynamics(chain_.at(model, joints, gravity), nullptr, qd.data(),
                                      qdd.data(), tau.data());
  }

 private:
  Follower chain_;
};

class FastForwardDynamics final : public ForwardDynamicsAlgorithm<double> {
 public:
  explicit FastForwardDynamics(const Model& model) : chain_(model, true) {}
  Status forward_dynamics(const Model& model, Joints<double> joints, const Vec3d& gravity,
                          VecIn<double> qd, VecIn<double> tau, VecOut<double> qdd) override {
    return status_of(chain_.kernels().forward_dynamics(chain_.at(model, joints, gravity), nullptr,
                                                       qd.data(), tau.data(), qdd.data()));
  }

 private:
  Follower chain_;
};

class FastCoriolis final : public CoriolisAlgorithm<double> {
 public:
  explicit FastCoriolis(const Model& model) : chain_(model, false) {}
  void coriolis_matrix(const Model& model, Joints<double> joints, VecIn<double> qd,
                       MatOut<double> C) override {
    chain_.kernels().coriolis_matrix(chain_.at(model, joints), nullptr, qd.data(), C.data(),
                                     C.outerStride());
  }

 private:
  Follower chain_;
};

}  // namespace

template <>
std::unique_ptr<MassMatrixAlgorithm<double>> make(const Model& model) {
  return std::make_unique<FastMassMatrix>(model);
}
template <>
std::unique_ptr<InverseDynamicsAlgorithm<double>> make(const Model& model) {
  return std::make_unique<FastInverseDynamics>(model);
}
template <>
std::unique_ptr<ForwardDynamicsAlgorithm<double>> make(const Model& model) {
  return std::make_unique<FastForwardDynamics>(model);
}
template <>
std::unique_ptr<CoriolisAlgorithm<double>> make(const Model& model) {
  return std::make_unique<FastCoriolis>(model);
}

}  // namespace dyn::fast
