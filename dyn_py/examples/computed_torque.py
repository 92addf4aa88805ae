"""Computed torque against PD on an arm whose hand is a third heavier than its model, with a plot.

    python3 computed_torque.py [PICTURE.svg]
"""

import sys

import numpy as np

import dyn

arm = dyn.load_urdf('arm7')
truth = dyn.scale_inertia(arm, last=1.3)
way = dyn.cycloid(np.clip(-0.4, arm.lower, arm.upper), np.clip(0.6, arm.lower, arm.upper), duration=2.0)

runs = {}
for law in ('pd', 'computed_torque'):
    loop = dyn.ControllerParameters(arm)
    loop.law.law = law
    loop.law.gains = dyn.gains(arm, law, frequency=15.0)
    loop.law.ramp_in = 0.0
    runs[law] = dyn.track(arm, way, controller=loop, truth=truth)
    print(f'{law:<16} error: {1e3 * runs[law].rms_norm:8.3f} mrad RMS, {1e3 * runs[law].peak_norm:8.3f} at most; '
          f'tip {1e3 * runs[law].tip_rms:.2f} mm')
assert runs['computed_torque'].rms_norm < 0.2 * runs['pd'].rms_norm

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, sharex=True)
    for axis, (law, run) in zip(axes, runs.items()):
        axis.plot(run.t, 1e3 * (run.q_d - run.q))
        axis.set(title=law, ylabel='error, mrad')
    axes[0].legend(arm.joint_names, fontsize='small')
    axes[1].set_xlabel('time, s')
    figure.savefig(sys.argv[1])
