"""MPPI: arm7 swings its tip to a target by sampled torques, every rollout in the batch kernels.

    python3 mppi_swing.py [SAMPLES]
"""

import sys
import time

import numpy as np

import dyn

SAMPLES = int(sys.argv[1]) if len(sys.argv) > 1 else 400
HORIZON, HELD, DT = 16, 4, 0.03  # steps, of which so many under one torque; s
SPREAD = 3.0  # rad/s²
arm = dyn.load_urdf('arm7')
solver = dyn.Solver(arm)
random = np.random.default_rng(1)

goal = np.array([0.8, 0.6, -0.5, 1.2, 0.3, 0.5, 0.0])
target = solver.tip_pose(goal)[:3, 3]


def cost(q, qd):
    """Of rollouts (K, T, n): (K,). One that runs wild costs everything."""
    lost = ~(np.abs(qd) < 50.0).all(axis=(1, 2))  # nan is not below
    q[lost], qd[lost] = 0.0, 0.0
    tips = solver.tip_pose(q.reshape(-1, arm.dof))[:, :3, 3].reshape(*q.shape[:2], 3)
    way = np.linalg.norm(tips - target, axis=2)
    return np.where(lost, np.inf, way.sum(axis=1) + 5.0 * way[:, -1] + 0.002 * (qd ** 2).sum(axis=(1, 2)))


body = dyn.Arm(arm, dt=DT, substeps=4)
q, qd = body.reset(np.array([0.0, 0.2, 0.0, 0.6, 0.0, 0.3, 0.0]))
first = np.linalg.norm(solver.tip_pose(q)[:3, 3] - target)
plan = np.zeros((HORIZON, arm.dof))  # accelerations: M makes torques of them that fit the arm
began = time.perf_counter()
for step in range(60):
    noise = SPREAD * np.repeat(random.normal(size=(SAMPLES, HORIZON // HELD, arm.dof)), HELD, axis=1)
    noise[0] = 0.0
    M, bias = solver.mass_matrix(q), solver.bias_torque(q, qd)
    torques = np.clip((plan + noise) @ M + bias, -arm.effort_limits, arm.effort_limits)
    scores = cost(*solver.rollout(q, qd, torques, DT, substeps=4))
    weights = np.exp((scores.min() - scores) / (0.05 * scores.min()))
    plan += np.tensordot(weights / weights.sum(), noise, axes=1)
    q, qd = body.step(np.clip(plan[0] @ M + bias, -arm.effort_limits, arm.effort_limits))
    plan = np.vstack([plan[1:], np.zeros(arm.dof)])
seconds = time.perf_counter() - began
last = np.linalg.norm(solver.tip_pose(q)[:3, 3] - target)
print(f'the tip was {first:.3f} m off, after {60 * DT:g} s {last:.3f} m; {60 * SAMPLES * HORIZON} steps of '
      f'arms in {seconds:.2f} s')
assert last < 0.3 * first
