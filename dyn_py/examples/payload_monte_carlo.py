"""What an arm may carry: a hundred thousand postures and payloads at once.

    python3 payload_monte_carlo.py [HOW_MANY]
"""

import sys

import numpy as np

import dyn

count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
arm = dyn.load_urdf('arm7')
solver = dyn.Solver(arm)
random = np.random.default_rng(1)

q = random.uniform(arm.lower, arm.upper, (count, arm.dof))
qd = random.uniform(-0.5, 0.5, (count, arm.dof)) * arm.velocity_limits
mass = random.uniform(0.0, 6.0, count)
payloads = np.column_stack([mass, random.normal(0.0, 0.03, (count, 2)), random.uniform(0.0, 0.15, count)])

solver.set_payload(payloads)                                  # (K, 4): one for each state
torque = solver.inverse_dynamics(q, qd, np.zeros_like(q))     # (K, 7)
held = (np.abs(torque) <= arm.effort_limits).all(axis=1)

for low in range(6):
    chosen = (low <= mass) & (mass < low + 1)
    worst = np.abs(torque[chosen] / arm.effort_limits).mean(axis=0).argmax()
    print(f'{low} to {low + 1} kg: {100 * held[chosen].mean():5.1f} % can be held in motion; '
          f'the most loaded joint is {arm.joint_names[worst]}')
assert held[mass < 1.0].mean() > held[mass > 5.0].mean()
