"""Dynamics of serial arms for numpy, computed by the library dyn_core.

>>> import dyn
>>> arm = dyn.load_urdf('arm7')
>>> solver = dyn.Solver(arm)
>>> solver.gravity_torque([0.0] * 7)
"""

from ._dyn import *  # noqa: F401,F403
