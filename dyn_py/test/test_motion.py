"""Trajectories and simulation."""

import numpy as np
import pytest

import dyn
from conftest import states


def test_trajectories_begin_and_end(arm7):
    q0, q1 = np.zeros(7), np.linspace(0.2, 1.0, 7)
    for motion in (dyn.cycloid(q0, q1, 2.0), dyn.quintic(q0, q1, 2.0),
                   dyn.trapezoid(q0, q1, np.ones(7), 2.0 * np.ones(7)),
                   dyn.waypoints([0, 1, 2], [q0, q1 - 0.1, q1], 'quintic')):
        t = np.linspace(0.0, motion.duration, 4001)
        q, qd, qdd = motion(t)
        assert q.shape == qd.shape == qdd.shape == (4001, 7) and motion.dof == 7
        np.testing.assert_allclose(q[[0, -1]], [q0, q1], atol=1e-12)
        np.testing.assert_allclose(qd[[0, -1]], 0.0, atol=1e-9)
        np.testing.assert_allclose(np.gradient(q, t, axis=0)[1:-1], qd[1:-1], atol=2e-3)
        np.testing.assert_array_equal(motion(t[7])[0], q[7])
    with pytest.raises(dyn.Error):
        dyn.cycloid(q0, q1[:3], 2.0)
    with pytest.raises(dyn.Error):
        dyn.cycloid(q0, q1, -1.0)
    with pytest.raises(dyn.Error, match='give .T, n.'):
        dyn.waypoints([0, 1], q0)


def test_fastest_motion_meets_a_limit(arm7):
    path = dyn.waypoints([0, 1, 2], [np.zeros(7), 0.5 * np.ones(7), np.linspace(0.5, 1.0, 7)], 'natural')
    effort = 0.5 * arm7.effort_limits
    motion = dyn.fastest(arm7, path, effort=effort)
    q, qd, qdd = motion(np.linspace(0.01, motion.duration - 0.01, 500))
    share = np.maximum(np.abs(dyn.Solver(arm7).inverse_dynamics(q, qd, qdd)) / effort,
                       np.abs(qd) / arm7.velocity_limits).max(axis=1)
    assert share.max() < 1.1 and np.median(share) > 0.9


@pytest.mark.parametrize('how', [{}, {'integrator': 'dopri5'}, {'integrator': 'abm'},
                                 {'integrator': 'rk4', 'substeps': 20}, {'velocities': 'normalized'}])
def test_free_fall_keeps_energy(arm7, how):
    q0, qd0, _, _ = states(arm7, 1)[:, 0]
    run = dyn.simulate(arm7, q0, qd0, duration=0.5, **how)
    assert run.t.shape == (51,) and run.q.shape == run.tau.shape == (51, 7)
    np.testing.assert_allclose(run.energy, run.energy[0], atol=1e-3)
    solver = dyn.Solver(arm7)
    np.testing.assert_allclose(solver.kinetic_energy(run.q, run.qd) + solver.potential_energy(run.q), run.energy)
    assert run.energy_drift == np.abs(run.energy - run.energy[0]).max()


def test_torques_constant_called_or_of_a_motion(arm7):
    q0, solver = 0.3 * np.ones(7), dyn.Solver(arm7)
    lift = solver.gravity_torque(q0)
    still = dyn.simulate(arm7, q0, duration=0.3, torque=lift)
    np.testing.assert_allclose(still.q, np.tile(q0, (31, 1)), atol=1e-6)
    called = dyn.simulate(arm7, q0, duration=0.3, torque=lambda t, q, qd: solver.gravity_torque(q) - 20.0 * qd)
    np.testing.assert_allclose(called.q, np.tile(q0, (31, 1)), atol=1e-6)
    motion = dyn.cycloid(q0, q0 + 0.5, 0.5)
    led = dyn.simulate(arm7, q0, duration=0.5, torque=motion, tolerance=1e-9)
    np.testing.assert_allclose(led.q, motion(led.t)[0], atol=1e-5)


def test_what_a_torque_function_throws_comes_out(arm7):
    def broken(time, q, qd):
        if time > 0.1:
            raise KeyError('mine')
        return np.zeros(7)
    with pytest.raises(KeyError, match='mine'):
        dyn.simulate(arm7, np.zeros(7), torque=broken)
    with pytest.raises(dyn.Error, match='torque: its result has the shape'):
        dyn.simulate(arm7, np.zeros(7), torque=lambda t, q, qd: np.zeros(3))
    with pytest.raises((TypeError, ValueError)):
        dyn.simulate(arm7, np.zeros(7), torque=lambda t, q, qd: None)
    for wrong in ({'integrator': 'euler'}, {'duration': -1.0}, {'step': 0.0}, {'velocities': 'x'}):
        with pytest.raises(dyn.Error):
            dyn.simulate(arm7, np.zeros(7), **wrong)


def test_arms_are_simulated_alike(arm7):
    torque = np.random.default_rng(1).uniform(-3, 3, (20, 5, 7))
    many, one = dyn.Arm(arm7, 5), dyn.Arm(arm7)
    start = states(arm7, 5)[0]
    many.reset(start)
    one.reset(start[3])
    for t in range(20):
        q, qd = many.step(torque[t])
        np.testing.assert_array_equal(one.step(torque[t, 3])[0], q[3])
    many.reset(q=0.1, where=[True, False, False, False, True])
    np.testing.assert_array_equal(many.q[0], 0.1 * np.ones(7))
    np.testing.assert_array_equal(many.q[1:4], q[1:4])
    assert not many.lost.any() and many.lost.shape == (5,)
    many.reset(qd=1e200, where=np.arange(5) == 2)
    many.step(torque[0])
    many.step(torque[0])
    np.testing.assert_array_equal(many.lost, np.arange(5) == 2)
    assert np.isfinite(many.q[[0, 1, 3, 4]]).all()


def test_the_environment_keeps_the_manners_of_gymnasium(arm7):
    env, single = dyn.ReachEnv(arm7, 30, horizon=10), dyn.ReachEnv(arm7)
    first, info = env.reset(seed=3)
    np.testing.assert_array_equal(env.reset(seed=3)[0], first)
    assert first.shape == (30, 17) and info == {}
    for k in range(10):
        observation, reward, terminated, truncated, info = env.step(np.zeros((30, 7)))
        assert reward.shape == terminated.shape == truncated.shape == (30,)
        assert not terminated.any() and truncated.all() == (k == 9)
    np.testing.assert_allclose(reward, -np.linalg.norm(info['final'][:, -3:], axis=1))
    assert np.isfinite(observation).all() and not np.array_equal(observation, info['final'])
    observation, _ = single.reset(seed=1)
    observation, reward, terminated, truncated, info = single.step(single.action_space.low)
    assert single.observation_space.contains(observation) and np.ndim(reward) == np.ndim(terminated) == 0
