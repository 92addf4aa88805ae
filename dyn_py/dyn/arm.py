"""Arms to drive by torques, one or K at a time, for learning and control."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._dyn import Chain, Error, Solver

Floats = NDArray[np.float64]


class Arm:
    """One arm, or `count` of them, without friction and joint stops, moved on by torques.

    `q` and `qd` are of (n,), or of (count, n). The physics are Solver.step(): eight arms side by side
    in each core.
    """

    def __init__(self, chain: Chain, count: Optional[int] = None, *, dt: float = 0.01,
                 substeps: int = 1, integrator: str = 'semi_implicit', threads: int = 0) -> None:
        if count is not None and count < 1:
            raise Error(f'count is {count}; give the number of arms, or None for one')
        self.chain = chain
        self.dt = dt
        self.solver = Solver(chain, threads=threads)
        self._how = (dt, substeps, integrator)
        self._shape = (chain.dof,) if count is None else (count, chain.dof)
        self.reset()

    def reset(self, q: ArrayLike = 0.0, qd: ArrayLike = 0.0,
              where: Optional[ArrayLike] = None) -> tuple[Floats, Floats]:
        """The state q, qd for all arms, or for those `where` says so; returns (q, qd)."""
        new = [np.broadcast_to(np.asarray(x, dtype=np.float64), self._shape) for x in (q, qd)]
        if where is None:
            self.q, self.qd = (x.copy() for x in new)
        else:
            chosen = np.asarray(where, dtype=bool)[..., np.newaxis]
            self.q, self.qd = np.where(chosen, new[0], self.q), np.where(chosen, new[1], self.qd)
        return self.q, self.qd

    def step(self, torque: ArrayLike) -> tuple[Floats, Floats]:
        """dt seconds on under these torques; returns (q, qd). An arm that diverges is nan from then on."""
        self.q, self.qd = self.solver.step(self.q, self.qd, torque, *self._how)
        return self.q, self.qd

    @property
    def lost(self) -> Any:
        """Which arms have diverged: one bool, or (count,)."""
        return ~np.isfinite(self.q + self.qd).all(axis=-1)
