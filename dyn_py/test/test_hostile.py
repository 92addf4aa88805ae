"""What is no array of the right shape: an exception or the right answer."""

import os
import resource
import threading

import numpy as np
import pytest

import dyn
from conftest import states


@pytest.fixture
def solver(arm7):
    return dyn.Solver(arm7)


@pytest.mark.parametrize('wrong', [
    [], 0.0, [1.0] * 6, np.zeros((3, 6)), np.zeros((2, 3, 7)), np.zeros((7, 1)), None, 'seven', [None] * 7,
    np.zeros(7, dtype=complex), [[0.0] * 7, [0.0] * 6], np.array(['a'] * 7), object(), {}, np.zeros((1, 1, 1, 7)),
])
def test_wrong_shapes_and_types(solver, wrong):
    right = np.zeros(7)
    for arguments in [(wrong, right, right), (right, wrong, right), (right, right, wrong)]:
        with pytest.raises((ValueError, TypeError)):
            solver.inverse_dynamics(*arguments)
    with pytest.raises((ValueError, TypeError)):
        solver.mass_matrix(wrong)
    with pytest.raises((ValueError, TypeError)):
        solver.set_payload('heavy')


def test_sentences(solver):
    with pytest.raises(dyn.Error, match=r'mass_matrix: q has the shape \(6,\), but the chain has 7 coord'):
        solver.mass_matrix(np.zeros(6))
    q = np.zeros((500, 7))
    q[321, 4] = np.nan
    with pytest.raises(dyn.Error, match=r'q\[4\] of state 321 is nan'):
        solver.mass_matrix(q)
    with pytest.raises(dyn.Error, match=r'q\[4\] is inf'):
        solver.gravity_torque([0, 0, 0, 0, np.inf, 0, 0])
    with pytest.raises(dyn.Error, match='3 states, the one before it 500'):
        solver.coriolis_matrix(np.zeros((500, 7)), np.zeros((3, 7)))
    with pytest.raises(dyn.Error, match='nonsense'):
        dyn.Solver(solver.chain, mass_matrix='nonsense')
    with pytest.raises(dyn.Error, match='payload'):
        solver.set_payload([-1, 0, 0, 0])
    with pytest.raises(dyn.Error, match='no-such-robot'):
        dyn.load_urdf('no-such-robot.urdf')
    assert issubclass(dyn.Error, ValueError)


def test_any_layout_and_number_type_is_right(solver):
    q, qd, qdd, _ = states(solver.chain, 30)
    right = solver.inverse_dynamics(q, qd, qdd)
    wide = np.zeros((60, 14))
    wide[::2, ::2] = q
    frozen = qd.copy()
    frozen.flags.writeable = False
    odd = np.frombuffer(b'x' + qdd.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(qdd.shape)
    np.testing.assert_array_equal(solver.inverse_dynamics(wide[::2, ::2], frozen, odd), right)
    np.testing.assert_array_equal(solver.inverse_dynamics(np.asfortranarray(q), qd.astype('>f8'), qdd), right)
    np.testing.assert_array_equal(solver.inverse_dynamics(q[::-1], qd[::-1], qdd[::-1]), right[::-1])
    np.testing.assert_array_equal(solver.inverse_dynamics(q.tolist(), list(qd), np.matrix(qdd)), right)
    np.testing.assert_array_equal(solver.mass_matrix([0, 1, 0, 1, 0, 1, 0]),
                                  solver.mass_matrix(np.array([0.0, 1, 0, 1, 0, 1, 0])))
    np.testing.assert_array_equal(solver.mass_matrix(q[0].astype(np.float32)),
                                  solver.mass_matrix(q[0].astype(np.float32).astype(np.float64)))
    assert solver.mass_matrix(np.zeros((0, 7))).shape == (0, 7, 7)


def test_out(solver):
    q, qd, qdd, _ = states(solver.chain, 30)
    out = np.empty((30, 7))
    assert solver.inverse_dynamics(q, qd, qdd, out=out) is out
    np.testing.assert_array_equal(out, solver.inverse_dynamics(q, qd, qdd))
    read_only = np.empty((30, 7))
    read_only.flags.writeable = False
    for wrong in (np.empty((29, 7)), np.empty((7, 30)).T, np.empty((30, 7), dtype=np.float32), read_only, [], 3):
        with pytest.raises(dyn.Error, match='out has to be'):
            solver.inverse_dynamics(q, qd, qdd, out=wrong)
    with pytest.raises(dyn.Error, match='shares memory with qd'):
        solver.inverse_dynamics(q, qd, qdd, out=qd)


def test_broken_robots():
    for text in ('<robot', '<robot name="x"/>', '<a/>', '<' * 1000, '<robot name="x"><link name="a"/></robot>'):
        with pytest.raises(dyn.Error):
            dyn.load_urdf(text)
    for wrong in (None, 3, [], b'\xff<'):
        with pytest.raises((TypeError, ValueError)):
            dyn.load_urdf(wrong)


def test_threads_of_python_share_a_solver(solver):
    q, qd, _, tau = states(solver.chain, 4000)
    right = solver.forward_dynamics(q, qd, tau)
    one = solver.gravity_torque(q[0])
    wrong = []

    def work():
        for _ in range(20):
            if not np.array_equal(solver.forward_dynamics(q, qd, tau), right):
                wrong.append('many')
            if not np.array_equal(solver.gravity_torque(q[0]), one):
                wrong.append('one')

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_forked_process_goes_on(solver):
    q = states(solver.chain, 3000)[0]
    right = solver.mass_matrix(q)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(solver.mass_matrix(q), right) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_nothing_leaks(solver):
    """A million calls, wrong ones among them, take no memory."""
    q = np.zeros(7)
    few, strided = np.zeros((3, 7)), np.zeros(14)[::2]

    def calls(count):
        for _ in range(count):
            solver.mass_matrix(q)
            solver.inverse_dynamics(q, q, strided)
            solver.gravity_torque(few)
            solver.udut(q)
            try:
                solver.mass_matrix(q[:3])
            except dyn.Error:
                pass
    calls(10000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    calls(190000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4000  # kB


@pytest.mark.parametrize('nasty', [np.nan, np.inf, -np.inf, -1.0, 0.0, 1e300, 1e-300])
def test_nasty_parameters(nasty):
    """Each parameter in turn: a sentence, or a loop that runs."""
    arm = dyn.load_urdf('planar3r')
    way = dyn.cycloid(np.zeros(3), 0.1 * np.ones(3), 0.02)

    def attempt(controller, plant):
        try:
            dyn.track(arm, way, controller=controller, plant=plant)
        except dyn.Error:
            pass

    def parts(parameters):
        yield parameters
        for name in dir(parameters):
            part = getattr(parameters, name)
            if not name.startswith('_') and type(part).__module__.endswith('_dyn'):
                yield from parts(part)

    for kind in ('controller', 'plant'):
        made = {'controller': lambda: dyn.ControllerParameters(arm, delay=0.004, predict=True, observe=True),
                'plant': lambda: dyn.PlantParameters(delay=0.004)}
        for index, part in enumerate(parts(made[kind]())):
            for name in dir(part):
                if name.startswith('_') or not isinstance(getattr(part, name), (float, np.ndarray)):
                    continue
                if np.ndim(getattr(part, name)) == 2:
                    continue
                parameters = made[kind]()
                broken = list(parts(parameters))[index]
                length = np.shape(getattr(broken, name))
                setattr(broken, name, np.full(length, nasty) if length else nasty)
                attempt(**{'controller': None, 'plant': None, kind: parameters})


def test_what_belongs_to_another_arm(arm7):
    planar = dyn.load_urdf('planar3r')
    way = dyn.cycloid(np.zeros(3), np.ones(3), 1.0)
    t = np.linspace(0.0, 3.0, 600)
    q = np.sin(t)[:, None] * np.ones(3)
    log = dyn.log(planar, t, q, q)
    for wrong in (lambda: dyn.track(arm7, way), lambda: dyn.track(planar, way, truth=arm7),
                  lambda: dyn.simulate(arm7, np.zeros(7), torque=way), lambda: dyn.fastest(arm7, way),
                  lambda: dyn.check(arm7, log), lambda: dyn.identify(arm7, log),
                  lambda: dyn.Controller(arm7, dyn.ControllerParameters(planar)),
                  lambda: dyn.ControlLaw(arm7, dyn.ControlParameters(planar)),
                  lambda: dyn.Observer(arm7, dyn.ObserverParameters(planar)),
                  lambda: dyn.Controller(arm7).set_gains(dyn.Gains(planar))):
        with pytest.raises(dyn.Error):
            wrong()
    empty = dyn.Solver(arm7).rollout(np.zeros(7), np.zeros(7), np.zeros((0, 7)), 0.01)
    assert empty[0].shape == (0, 7)
