"""The torque that carries an arm, from its URDF: ten lines.

    python3 gravity_compensation.py [ROBOT.urdf] [mass in the hand, kg]
"""

import sys

import numpy as np

import dyn

arm = dyn.load_urdf(sys.argv[1] if len(sys.argv) > 1 else 'arm7')
solver = dyn.Solver(arm)
solver.set_payload([float(sys.argv[2]) if len(sys.argv) > 2 else 1.0, 0.0, 0.0, 0.05])
q = 0.3 * np.ones(arm.dof)
torque = solver.gravity_torque(q)
for name, value, limit in zip(arm.joint_names, torque, arm.effort_limits):
    print(f'{name:<20}{value:9.3f} of {limit:g}')
assert np.allclose(solver.forward_dynamics(q, np.zeros(arm.dof), torque), 0.0, atol=1e-9)  # it stays
