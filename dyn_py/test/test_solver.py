"""Queries: what the tool says to the last bit, laws, and an independent reference in numpy."""

import itertools

import numpy as np
import pytest

import dyn
from conftest import states

QUERIES = {
    'mass_matrix': 'q', 'mass_matrix_inverse': 'q', 'gravity_torque': 'q', 'tip_pose': 'q', 'jacobian': 'q',
    'inertia_power': 'q', 'potential_energy': 'q', 'manipulability': 'q', 'coriolis_matrix': 'q qd',
    'coriolis_torque': 'q qd', 'bias_torque': 'q qd', 'kinetic_energy': 'q qd', 'friction_torque': 'qd',
    'inverse_dynamics': 'q qd qdd', 'forward_dynamics': 'q qd tau',
}


def arguments(names, q, qd, qdd, tau):
    given = {'q': q, 'qd': qd, 'qdd': qdd, 'tau': tau}
    return [given[name] for name in names.split()]


def test_agrees_with_the_tool_to_the_last_bit(robot, evaluated):
    solver = dyn.Solver(dyn.load_urdf(robot))
    q, qd, qdd, tau = states(solver.chain, 1)[:, 0]
    told = evaluated(robot, q=q, qd=qd, qdd=qdd, tau=tau)
    for name, needs in QUERIES.items():
        if name in told:
            mine = getattr(solver, name)(*arguments(needs, q, qd, qdd, tau))
            np.testing.assert_array_equal(mine, np.array(told[name]), name)
    U, D = solver.udut(q)
    np.testing.assert_array_equal(U, told['udut']['U'])
    np.testing.assert_array_equal(D, told['udut']['D'])
    quasi = solver.quasi(q, qd, tau)
    for name in ('nu', 'xi', 'coriolis_nu', 'epsilon', 'kappa', 'gravity_xi', 'mass_factor',
                 'mass_factor_rate', 'nu_rate', 'xi_rate', 'pivot_rate'):
        np.testing.assert_array_equal(getattr(quasi, name), told['quasi'][name], name)


@pytest.mark.parametrize('quantity', ['mass_matrix', 'inverse_dynamics', 'forward_dynamics', 'coriolis'])
def test_every_algorithm_by_name(robot, evaluated, quantity):
    chain = dyn.load_urdf(robot)
    q, qd, qdd, tau = states(chain, 1, seed=2)[:, 0]
    query = 'coriolis_matrix' if quantity == 'coriolis' else quantity
    for algorithm in dyn.algorithms():
        if algorithm.quantity != quantity:
            continue
        solver = dyn.Solver(chain, **{quantity: algorithm.name})
        assert solver.algorithms[quantity] == algorithm.name
        told = evaluated(robot, f'--{quantity.replace("_", "-")}={algorithm.name}',
                         q=q, qd=qd, qdd=qdd, tau=tau)
        mine = getattr(solver, query)(*arguments(QUERIES[query], q, qd, qdd, tau))
        np.testing.assert_array_equal(mine, told[query], algorithm.name)


@pytest.mark.parametrize('count', [1, 7, 8, 63, 64, 65, 200, 3000])
def test_many_states_are_so_many_single_ones(arm7, count):
    solver = dyn.Solver(arm7, threads=3)
    every = states(arm7, count)
    for name, needs in QUERIES.items():
        query = getattr(solver, name)
        many = query(*arguments(needs, *every))
        for k in {0, count // 2, count - 1}:
            one = query(*arguments(needs, *every[:, k]))
            assert many.shape == (count, *one.shape)
            np.testing.assert_allclose(many[k], one, rtol=1e-9, atol=1e-10, err_msg=name)
    U, D = solver.udut(every[0])
    M = solver.mass_matrix(every[0])
    np.testing.assert_allclose(U @ (D[:, :, None] * U.transpose(0, 2, 1)), M, atol=1e-12)
    quasi = solver.quasi(every[0], every[1], every[3])
    np.testing.assert_array_equal(quasi.mass_factor[-1],
                                  solver.quasi(every[0, -1], every[1, -1], every[3, -1]).mass_factor)


def test_any_number_of_threads_gives_the_same_bits(arm7):
    q, qd, _, tau = states(arm7, 5000)
    first = dyn.Solver(arm7, threads=1).forward_dynamics(q, qd, tau)
    for threads in (2, 3, 8):
        np.testing.assert_array_equal(dyn.Solver(arm7, threads=threads).forward_dynamics(q, qd, tau), first)


def test_one_state_among_many_is_repeated(arm7):
    solver = dyn.Solver(arm7)
    q, qd, qdd, _ = states(arm7, 20)
    np.testing.assert_array_equal(solver.inverse_dynamics(q[0], qd, qdd[0]),
                                  solver.inverse_dynamics(np.tile(q[0], (20, 1)), qd,
                                                          np.tile(qdd[0], (20, 1))))


def test_laws_of_mechanics(chain):
    solver = dyn.Solver(chain)
    q, qd, qdd, _ = states(chain, 50)
    M, C = solver.mass_matrix(q), solver.coriolis_matrix(q, qd)
    times = lambda A, x: np.einsum('kij,kj->ki', A, x)  # noqa: E731
    tau = times(M, qdd) + times(C, qd) + solver.gravity_torque(q)
    np.testing.assert_allclose(solver.inverse_dynamics(q, qd, qdd), tau, atol=1e-9)
    np.testing.assert_allclose(solver.forward_dynamics(q, qd, tau), qdd, atol=1e-7)
    np.testing.assert_allclose(solver.kinetic_energy(q, qd), 0.5 * (qd * times(M, qd)).sum(axis=1))
    np.testing.assert_allclose(M @ solver.mass_matrix_inverse(q), np.tile(np.eye(chain.dof), (50, 1, 1)),
                               atol=1e-8)
    power = np.einsum('kj,kijl,kl->ki', qd, solver.inertia_power(q), qd)
    np.testing.assert_allclose(power, solver.coriolis_torque(q, qd), atol=1e-9)
    step = 1e-6
    for i in range(chain.dof):
        ahead, behind = (q + sign * step * np.eye(chain.dof)[i] for sign in (1, -1))
        slope = (solver.potential_energy(ahead) - solver.potential_energy(behind)) / (2 * step)
        np.testing.assert_allclose(solver.gravity_torque(q)[:, i], slope, atol=1e-6)
        slope = (solver.tip_pose(ahead) - solver.tip_pose(behind))[:, :3, 3] / (2 * step)
        np.testing.assert_allclose(solver.jacobian(q)[:, :3, i], slope, atol=1e-8)


def dh_frames(chain, q):
    """Poses of all links in DH frame 0, from the table alone."""
    frames, pose = [], np.eye(4)
    for joint, value, (a, alpha, beta, d, theta) in zip(chain.joints, q, chain.dh()):
        prismatic = joint.type == 'prismatic'
        d, theta = (d + value, theta) if prismatic else (d, theta + value)

        def turn(i, j, angle):
            R = np.eye(4)
            R[[i, j], [i, j]], R[i, j], R[j, i] = np.cos(angle), -np.sin(angle), np.sin(angle)
            return R

        def shift(i, way):
            T = np.eye(4)
            T[i, 3] = way
            return T
        pose = pose @ turn(1, 2, alpha) @ shift(0, a) @ turn(2, 0, beta) @ turn(0, 1, theta) @ shift(2, d)
        frames.append(pose)
    return frames


def test_mass_matrix_is_that_of_the_bodies(chain):
    """M_ij = Σ m ∂p/∂q_i · ∂p/∂q_j + w_i · I w_j, with derivatives by differences."""
    solver = dyn.Solver(chain)
    q = states(chain, 1, seed=3)[0, 0]
    n, step = chain.dof, 1e-6
    M = np.zeros((n, n))
    apart = [[dh_frames(chain, q + sign * step * e) for sign in (1, -1)] for e in np.eye(n)]
    for b, (link, frame) in enumerate(zip(chain.links, dh_frames(chain, q))):
        R, com = frame[:3, :3], np.append(link.body.com, 1.0)
        rates = [(ahead[b] - behind[b]) / (2 * step) for ahead, behind in apart]
        points = [rate @ com for rate in rates]
        spins = [(rate[:3, :3] @ R.T)[[2, 0, 1], [1, 2, 0]] for rate in rates]
        for i, j in itertools.product(range(n), range(n)):
            M[i, j] += link.body.mass * points[i] @ points[j]
            M[i, j] += spins[i] @ R @ link.body.inertia @ R.T @ spins[j]
    np.testing.assert_allclose(solver.mass_matrix(q), M, atol=1e-7)


def test_payloads_of_single_states(arm7):
    solver = dyn.Solver(arm7, threads=2)
    q, qd, qdd, _ = states(arm7, 300)
    random = np.random.default_rng(4)
    payloads = np.column_stack([random.uniform(0, 5, 300), random.uniform(-0.1, 0.1, (300, 3))])
    solver.set_payload(payloads)
    many = solver.inverse_dynamics(q, qd, qdd)
    gravity = solver.gravity_torque(q)
    with pytest.raises(dyn.Error, match='300 payloads'):
        solver.inverse_dynamics(q[:10], qd[:10], qdd[:10])
    with pytest.raises(dyn.Error, match='300 payloads'):
        solver.inverse_dynamics(q[0], qd[0], qdd[0])
    for k in (0, 64, 299):
        loaded = dyn.load_urdf('arm7', payload=payloads[k])
        np.testing.assert_allclose(many[k], dyn.Solver(loaded).inverse_dynamics(q[k], qd[k], qdd[k]),
                                   atol=1e-10)
        solver.set_payload(payloads[k])
        np.testing.assert_allclose(gravity[k], solver.gravity_torque(q[k]), atol=1e-10)
    solver.set_payload(None)
    np.testing.assert_array_equal(solver.gravity_torque(q[0]), dyn.Solver(arm7).gravity_torque(q[0]))


def test_settings_act_in_one_and_in_many(arm7, evaluated):
    solver = dyn.Solver(arm7)
    q, qd, qdd, tau = states(arm7, 5)
    wrench = [1.0, 2.0, 3.0, 0.1, 0.2, 0.3]
    plain = solver.inverse_dynamics(q, qd, qdd)
    solver.set_tip_wrench(wrench)
    pushed = np.einsum('kij,i->kj', solver.jacobian(q), wrench)
    np.testing.assert_allclose(solver.inverse_dynamics(q, qd, qdd), plain - pushed, atol=1e-10)
    solver.set_friction(True)
    np.testing.assert_allclose(solver.inverse_dynamics(q, qd, qdd),
                               plain - pushed + solver.friction_torque(qd), atol=1e-10)
    acceleration = solver.forward_dynamics(q, qd, tau)
    np.testing.assert_allclose(solver.inverse_dynamics(q, qd, acceleration), tau, atol=1e-8)
    solver.set_gravity([0, 0, 0])
    np.testing.assert_array_equal(solver.gravity_torque(q), np.zeros((5, 7)))
    before = solver.mass_matrix(q)
    solver.set_armature(np.full(7, 0.5))
    np.testing.assert_allclose(solver.mass_matrix(q) - before, np.tile(0.5 * np.eye(7), (5, 1, 1)), atol=1e-12)


def test_rollout_is_step_after_step(arm7):
    solver = dyn.Solver(arm7)
    q, qd, _, _ = states(arm7, 70)
    torques = np.random.default_rng(5).uniform(-5, 5, (70, 6, 7))
    for how in ({}, {'integrator': 'rk4', 'substeps': 3}):
        all_q, all_qd = solver.rollout(q, qd, torques, 0.01, **how)
        now = q, qd
        for t in range(6):
            now = solver.step(*now, torques[:, t], 0.01, **how)
            np.testing.assert_array_equal(all_q[:, t], now[0])
            np.testing.assert_array_equal(all_qd[:, t], now[1])
    one = solver.rollout(q[3], qd[3], torques[3], 0.01)
    np.testing.assert_array_equal(one[0], solver.rollout(q, qd, torques, 0.01)[0][3])


def test_free_fall_keeps_its_energy(arm7):
    solver = dyn.Solver(arm7)
    q, qd, _, _ = states(arm7, 40)
    energy = lambda q, qd: solver.kinetic_energy(q, qd) + solver.potential_energy(q)  # noqa: E731
    later = solver.step(q, qd, np.zeros(7), 0.2, substeps=400, integrator='rk4')
    np.testing.assert_allclose(energy(*later), energy(q, qd), atol=1e-6)


def slopes(function, at, step=1e-6):
    """The derivative of function(at) by the last axis of at, by differences; it comes last."""
    return np.stack([(function(at + step * e) - function(at - step * e)) / (2 * step)
                     for e in np.eye(at.shape[-1])], axis=-1)


def test_derivatives_are_slopes(chain):
    solver = dyn.Solver(chain)
    q, qd, qdd, tau = states(chain, 6, seed=7)
    for query, third in ((solver.inverse_dynamics, qdd), (solver.forward_dynamics, tau)):
        given = (q, qd, third)
        found = getattr(solver, query.__name__ + '_derivatives')(*given)
        for k, matrix in enumerate(found):
            slope = slopes(lambda x: query(*given[:k], x, *given[k + 1:]), given[k])
            np.testing.assert_allclose(matrix, slope, atol=1e-5 * max(1.0, np.abs(slope).max()))
            one = getattr(solver, query.__name__ + '_derivatives')(*(x[2] for x in given))
            np.testing.assert_allclose(one[k], matrix[2], atol=1e-11 * max(1.0, np.abs(slope).max()))
    np.testing.assert_allclose(solver.gravity_torque_derivatives(q), slopes(solver.gravity_torque, q), atol=1e-5)
    by_q, by_qd = solver.coriolis_torque_derivatives(q, qd)
    np.testing.assert_allclose(by_q, slopes(lambda x: solver.coriolis_torque(x, qd), q), atol=1e-5)
    np.testing.assert_allclose(by_qd, slopes(lambda x: solver.coriolis_torque(q, x), qd), atol=1e-5)
    np.testing.assert_allclose(np.moveaxis(solver.mass_matrix_derivatives(q), 1, -1),
                               slopes(solver.mass_matrix, q), atol=1e-5)


def test_linearized_motion_is_the_motion_nearby(arm7):
    solver = dyn.Solver(arm7)
    q, qd, _, tau = states(arm7, 3, seed=8)
    n = arm7.dof
    A, B = solver.linearize(q, qd, tau)
    by_q, by_qd, by_tau = solver.forward_dynamics_derivatives(q, qd, tau)
    np.testing.assert_array_equal(A[:, :n], np.tile(np.eye(2 * n)[n:], (3, 1, 1)))
    np.testing.assert_allclose(A[:, n:], np.concatenate([by_q, by_qd], axis=2), atol=1e-12)
    np.testing.assert_allclose(B[:, n:], by_tau, atol=1e-12)
    assert not B[:, :n].any()
    # Over a short time: x + A dt x + (A dt)² / 2 x …
    dt = 1e-3
    Ad, Bd = solver.linearize(q, qd, tau, dt)
    series, integral, power = np.zeros_like(A), np.zeros_like(A), np.tile(np.eye(2 * n), (3, 1, 1))
    for k in range(1, 20):
        series += power
        integral += power * (dt / k)
        power = power @ A * (dt / k)
    np.testing.assert_allclose(Ad, series, atol=1e-10)
    np.testing.assert_allclose(Bd, integral @ B, atol=1e-10)
    with pytest.raises(dyn.Error, match='dt has to be'):
        solver.linearize(q, qd, tau, 0.0)


def test_code_for_one_robot_gives_the_same(tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    arm = dyn.load_urdf('puma560')
    general, own = dyn.Solver(arm), dyn.Solver(arm)
    own.specialise()
    assert len(list((tmp_path / 'dyn').iterdir())) == 1
    random = np.random.default_rng(3)
    q, qd, qdd = random.uniform(-2, 2, (3, 21, 6))
    for gravity in ([0, 0, -9.81], [0, 0, -1.62]):
        general.set_gravity(gravity)
        own.set_gravity(gravity)
        np.testing.assert_allclose(own.mass_matrix(q), general.mass_matrix(q), atol=1e-13)
        tau = general.inverse_dynamics(q, qd, qdd)
        np.testing.assert_allclose(own.inverse_dynamics(q, qd, qdd), tau, atol=1e-11)
        np.testing.assert_allclose(own.forward_dynamics(q, qd, tau), qdd, atol=1e-8)
    monkeypatch.setenv('CXX', '/nowhere/c++')
    with pytest.raises(dyn.Error, match='no C[+][+] compiler'):
        dyn.Solver(dyn.load_urdf('stanford')).specialise()
