"""An environment in the manner of Gymnasium, which it does not need: the tip is to reach a target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._dyn import Chain
from .arm import Arm

Floats = NDArray[np.float64]


@dataclass
class Box:
    """Numbers between `low` and `high`, as gymnasium.spaces.Box."""

    low: Floats
    high: Floats

    @property
    def shape(self) -> tuple[int, ...]:
        return self.low.shape

    @property
    def dtype(self) -> np.dtype[np.float64]:
        return self.low.dtype

    def contains(self, x: ArrayLike) -> bool:
        values = np.asarray(x, dtype=np.float64)
        return values.shape == self.shape and bool(((self.low <= values) & (values <= self.high)).all())


class ReachEnv:
    """K arms, each with a target for its tip.

    An action is a torque for each joint in shares of its effort limit, -1 to 1, on top of gravity's. An
    observation is q, qd, and the target as seen from the tip. The reward is -|way to go| - `effort` |action|².
    An episode ends after `horizon` steps, or where an arm diverges, and begins anew by itself: `final` in
    the info has the last observation. Without `count` it is one arm, and all arrays lack their first axis.
    """

    metadata: dict[str, Any] = {'render_modes': []}

    def __init__(self, chain: Chain, count: Optional[int] = None, *, dt: float = 0.02,
                 horizon: int = 200, effort: float = 0.01, threads: int = 0) -> None:
        self._single = count is None
        self._arm = Arm(chain, count or 1, dt=dt, substeps=4, threads=threads)
        self._lower, self._upper = (
            np.clip(limit, -np.pi, np.pi) for limit in (chain.lower, chain.upper))
        self._torque = np.where(np.isfinite(chain.effort_limits), chain.effort_limits, 1.0)
        self._horizon, self._effort = horizon, effort
        self._random = np.random.default_rng()
        n = chain.dof
        self.action_space = Box(-np.ones(n), np.ones(n))
        self.observation_space = Box(np.full(2 * n + 3, -np.inf), np.full(2 * n + 3, np.inf))
        self._target = np.zeros((count or 1, 3))
        self._age = np.zeros(count or 1, dtype=int)

    def reset(self, *, seed: Optional[int] = None,
              options: Optional[dict[str, Any]] = None) -> tuple[Floats, dict[str, Any]]:
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self._begin(np.ones(len(self._age), dtype=bool))
        return self._given(self._observation()), {}

    def step(self, action: ArrayLike) -> tuple[Floats, Any, Any, Any, dict[str, Any]]:
        act = np.clip(np.reshape(np.asarray(action, dtype=np.float64), self._arm.q.shape), -1.0, 1.0)
        self._arm.step(act * self._torque + self._arm.solver.gravity_torque(self._arm.q))
        self._age += 1
        lost = self._arm.lost
        if lost.any():
            self._arm.reset(where=lost)
        final = observation = self._observation()
        way = np.sqrt(np.einsum('ki,ki->k', final[:, -3:], final[:, -3:]))
        reward = -way - self._effort * np.einsum('ki,ki->k', act, act)
        late = self._age >= self._horizon
        if (ended := lost | late).any():
            self._begin(ended)
            observation = np.where(ended[:, np.newaxis], self._observation(), final)
        info = {'final': self._given(final), 'distance': self._given(way)}
        return (self._given(observation), self._given(reward), self._given(lost),
                self._given(late & ~lost), info)

    def close(self) -> None:
        """Nothing to be closed; for those who expect it."""

    def _begin(self, where: NDArray[np.bool_]) -> None:
        shape = self._arm.q.shape
        start, goal = (self._random.uniform(self._lower, self._upper, shape) for _ in range(2))
        self._arm.reset(start, where=where)
        self._target[where] = self._arm.solver.tip_pose(goal[where])[:, :3, 3]
        self._age[where] = 0

    def _observation(self) -> Floats:
        tip = self._arm.solver.tip_pose(self._arm.q)[:, :3, 3]
        return np.concatenate([self._arm.q, self._arm.qd, self._target - tip], axis=1)

    def _given(self, values: Any) -> Any:
        return values[0] if self._single else values
