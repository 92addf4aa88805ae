"""An arm learns its masses and friction: excite, move, log, check, identify, validate."""

import pathlib
import tempfile

import numpy as np

import dyn

ROBOT = 'planar3r'
described = dyn.load_urdf(ROBOT)
# The arm that moves is heavier at its end than its description, and has friction.
friction = dict.fromkeys(described.joint_names, 0.4)
truth = dyn.scale_inertia(dyn.load_urdf(ROBOT, damping=friction, friction=friction), last=1.4)

motion = dyn.excite(described, duration=10.0, period=5.0, draws=10, starts=1, steps=20)
print(f'a motion that tells {motion.parameters} base parameters, condition {motion.condition:.3g}')

solver = dyn.Solver(truth)
solver.set_friction(True)
t = np.arange(0.0, 10.0, 0.002)
q, qd, qdd = motion.trajectory(t)
noise = np.random.default_rng(1).normal(0.0, 1.0, q.shape)
tau = solver.inverse_dynamics(q, qd, qdd) + 0.02 * noise
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / 'log.csv'
    names = [f'{signal}_{i + 1}' for signal in ('q', 'qd', 'tau') for i in range(described.dof)]
    np.savetxt(path, np.column_stack([t, q, qd, tau]), delimiter=',', header=','.join(['t', *names]), comments='')
    log = dyn.read_log(described, str(path))

print(*dyn.check(described, log).sentences, sep='\n')
found = dyn.identify(described, log)
for name, joint in zip(described.joint_names, found.joints):
    print(f'{name}: torque of {joint.rms_measured:.3f} N m RMS missed by {joint.rms_before:.3f} before, '
          f'{joint.rms_after:.3f} after; viscous {joint.viscous}, Coulomb {joint.coulomb}')

# Another motion, which identification has not seen.
check = dyn.cycloid(-0.5 * np.ones(3), 0.8 * np.ones(3), 1.5)
_, _, qdd = states = check(np.linspace(0.0, 1.5, 300))
wanted = solver.inverse_dynamics(*states) - solver.friction_torque(states[1])
before, after = (np.abs(dyn.Solver(chain).inverse_dynamics(*states) - wanted).max()
                 for chain in (described, found.chain))
print(f'on another motion: {before:.3f} N m off at most before, {after:.3f} after')
assert after < 0.2 * before
