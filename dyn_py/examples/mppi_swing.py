"""MPPI: arm7 swings its tip to a target by sampled torques, every rollout in the batch kernels.

    python3 mppi_swing.py [SAMPLES]
"""

import sys
import time

import numpy as np

import dyn

SAMPLES, HORIZON, DT = int(sys.argv[1]) if len(sys.argv) > 1 else 400, 20, 0.03
arm = dyn.load_urdf('arm7')
solver = dyn.Solver(arm)
random = np.random.default_rng(1)
spread = 0.15 * arm.effort_limits

goal = np.array([0.8, 0.6, -0.5, 1.2, 0.3, 0.5, 0.0])
target = solver.tip_pose(goal)[:3, 3]


def cost(q, qd):
    """Of rollouts (K, T, n): (K,). One that diverges costs everything."""
    lost = ~np.isfinite(q + qd).all(axis=(1, 2))
    q[lost], qd[lost] = 0.0, 0.0
    tips = solver.tip_pose(q.reshape(-1, arm.dof))[:, :3, 3].reshape(*q.shape[:2], 3)
    way = np.linalg.norm(tips - target, axis=2)
    return np.where(lost, np.inf, way.sum(axis=1) + 5.0 * way[:, -1] + 0.01 * (qd ** 2).sum(axis=(1, 2)))


body = dyn.Arm(arm, dt=DT, substeps=6)
q, qd = body.reset(np.array([0.0, 0.2, 0.0, 0.6, 0.0, 0.3, 0.0]))
first = np.linalg.norm(solver.tip_pose(q)[:3, 3] - target)
plan = np.zeros((HORIZON, arm.dof))
began = time.perf_counter()
for step in range(50):
    noise = spread * random.normal(size=(SAMPLES, HORIZON, arm.dof))
    noise[0] = 0.0
    lift = solver.gravity_torque(q)
    torques = np.clip(plan + noise + lift, -arm.effort_limits, arm.effort_limits)
    scores = cost(*solver.rollout(q, qd, torques, DT, substeps=6))
    weights = np.exp((scores.min() - scores) / (0.05 * scores.min()))
    plan += np.tensordot(weights / weights.sum(), noise, axes=1)
    q, qd = body.step(np.clip(plan[0] + lift, -arm.effort_limits, arm.effort_limits))
    plan = np.vstack([plan[1:], np.zeros(arm.dof)])
seconds = time.perf_counter() - began
last = np.linalg.norm(solver.tip_pose(q)[:3, 3] - target)
print(f'the tip was {first:.3f} m off, after {50 * DT:g} s {last:.3f} m; {50 * SAMPLES * HORIZON} steps of '
      f'arms in {seconds:.2f} s')
assert last < 0.3 * first
