"""Dynamics of serial arms for numpy, computed by the library dyn_core.

>>> import dyn
>>> import numpy as np
>>> solver = dyn.Solver(dyn.load_urdf('arm7'))
>>> solver.gravity_torque([0.0, 0.5, 0.0, 1.2, 0.0, 0.4, 0.0])     # one state: (7,)
>>> solver.mass_matrix(np.zeros((1000, 7)))                    # a thousand: (1000, 7, 7)

load_urdf() makes a Chain; Solver has its dynamics and kinematics; Controller, Plant and track() close the
loop; simulate() moves it; excite(), check() and identify() learn its inertias; Arm and ReachEnv are for
learning. What goes wrong is a dyn.Error, which is a ValueError.
"""

from . import _dyn
from ._dyn import *  # noqa: F401,F403
from .arm import Arm
from .env import ReachEnv
from .tool import paper

__all__ = [name for name in dir(_dyn) if not name.startswith('_')] + ['Arm', 'ReachEnv', 'paper']
