"""The control loop from its parts, and as a whole."""

import numpy as np
import pytest

import dyn
from conftest import states


@pytest.fixture
def way(arm7):
    return dyn.cycloid(-0.2 * np.ones(7) + [0, 0, 0, 0.3, 0, 0, 0], 0.4 * np.ones(7), 1.0)


def test_computed_torque_is_its_equation(arm7):
    q, qd, qdd, q_d = states(arm7, 1)[:, 0] * 0.3
    parameters = dyn.ControlParameters(arm7, friction=False, ramp_in=0.0)
    parameters.limits.effort = np.inf
    parameters.gains.kp = 90.0
    parameters.gains.kd = np.full(7, 11.0)
    law = dyn.ControlLaw(arm7, parameters)
    law.activate()
    solver = dyn.Solver(arm7)
    out = law.update(q, qd, q_d, qdd_d=qdd)
    wanted = solver.inverse_dynamics(q, qd, qdd + 90.0 * (q_d - q) - 11.0 * qd)
    np.testing.assert_allclose(out.torque, wanted, atol=1e-9)
    assert out.mode == 'tracking' and out.status == 'ok'
    terms = out.terms
    total = (terms.inertia + terms.feedback + terms.coriolis + terms.gravity + terms.friction + terms.external
             + terms.handover + terms.limited)
    np.testing.assert_allclose(total, out.torque, atol=1e-9)


def test_a_loop_step_by_step_is_track(arm7, way):
    """The loop that track() closes, closed here with Controller and Plant: the same run to the last bit."""
    parameters = dyn.ControllerParameters(arm7, delay=0.004, predict=True)
    parameters.law.ramp_in = 0.0
    plant_parameters = dyn.PlantParameters(delay=0.004)
    whole = dyn.track(arm7, way, controller=parameters, plant=plant_parameters)
    controller, plant = dyn.Controller(arm7, parameters), dyn.Plant(arm7, plant_parameters)
    start = way(0.0)[0]
    carried = dyn.Solver(arm7).gravity_torque(start)
    plant.reset(start, torque=carried)
    controller.activate(carried)
    for k in range(300):
        q, qd = plant.measured
        np.testing.assert_array_equal(q, whole.q[k])
        reference = way(plant.time + controller.lookahead)
        out = controller.update(plant.time, q, qd, *reference)
        np.testing.assert_array_equal(out.torque, whole.torque[k])
        plant.command(out.torque)
        plant.step(0.001)


def test_prediction_and_laws(arm7, way):
    late = dyn.PlantParameters(delay=0.008)
    errors = {}
    for law, predict in [('pd', False), ('computed_torque', False), ('computed_torque', True),
                         ('quasi_velocity', True)]:
        loop = dyn.ControllerParameters(arm7, delay=0.008, predict=predict)
        loop.law.law = law
        loop.law.ramp_in = 0.0
        loop.law.gains = dyn.gains(arm7, law, frequency=20.0)
        run = dyn.track(arm7, way, controller=loop, plant=late)
        assert run.failures == 0 and run.t.shape == (run.updates,) and run.q.shape == (run.updates, 7)
        np.testing.assert_allclose(run.rms_norm, np.sqrt(((run.q_d - run.q) ** 2).sum(axis=1).mean()), rtol=1e-6)
        errors[law, predict] = run.rms_norm
    assert errors['computed_torque', True] < 0.3 * errors['computed_torque', False]
    assert errors['computed_torque', False] < errors['pd', False]
    assert errors['quasi_velocity', True] < 0.1 * errors['pd', False]


def test_the_observer_feels_a_push(arm7):
    wrench = np.array([5.0, -3.0, 2.0, 0.0, 0.0, 0.0])
    plant = dyn.Plant(arm7, dyn.PlantParameters(model=dyn.StepperOptions(friction='none', stops=False)))
    observer = dyn.Observer(arm7, dyn.ObserverParameters(arm7, friction=False, gain=400.0))
    q = np.array([0.1, 0.4, -0.2, 1.2, 0.3, 0.5, 0.0])
    torque = dyn.Solver(arm7).gravity_torque(q)
    plant.reset(q, torque=torque)
    plant.set_tip_wrench(wrench)
    for _ in range(100):
        q, qd = plant.measured
        felt = observer.update(q, qd, torque, 0.001)
        plant.command(torque)
        plant.step(0.001)
    expected = dyn.Solver(arm7).jacobian(q).T @ wrench
    np.testing.assert_allclose(felt, expected, atol=0.02 * np.abs(expected).max())
    np.testing.assert_allclose(observer.tip_wrench(q), wrench, atol=0.3)


def test_the_predictor_foresees_the_plant(arm7):
    model = dyn.StepperOptions(scheme='rk4', max_step=2.5e-4)
    plant = dyn.Plant(arm7, dyn.PlantParameters(model=model))
    predictor = dyn.Predictor(arm7, dyn.PredictorParameters(delay=0.02, middle_of_hold=False, model=model))
    q, qd, _, tau = states(arm7, 1)[:, 0] * 0.5
    plant.reset(q, qd, torque=tau)
    predictor.reset(tau)
    foreseen = predictor.predict(0.0, q, qd)
    for _ in range(20):
        plant.step(0.001)
    np.testing.assert_allclose(foreseen, plant.state, atol=1e-6)
    assert predictor.horizon == 0.02 and predictor.error is None


def test_faults_and_wrong_parameters(arm7):
    plant = dyn.Plant(arm7)
    plant.reset(np.zeros(7))
    plant.set_fault('state_not_finite')
    plant.step(0.001)
    assert np.isnan(plant.measured[0]).all() and np.isfinite(plant.state[0]).all()
    with pytest.raises(dyn.Error, match='choose one of none, state_not_finite'):
        plant.set_fault('broken')
    parameters = dyn.ControlParameters(arm7)
    with pytest.raises(dyn.Error, match='computed_torque'):
        parameters.law = 'nonsense'
    with pytest.raises(dyn.Error, match='kp has the shape'):
        parameters.gains.kp = np.ones(3)
    with pytest.raises(ValueError, match='read-only'):
        parameters.gains.kp[0] = 3.0
    parameters.gains.kp = -1.0
    with pytest.raises(dyn.Error, match="kp of joint 'joint1' is -1"):
        dyn.ControlLaw(arm7, parameters)
    with pytest.raises(AttributeError):
        dyn.ControllerParameters(arm7, dalay=0.1)
    controller = dyn.Controller(arm7)
    with pytest.raises(dyn.Error, match=r'q_d has the shape \(6,\); give \(7,\)'):
        controller.update(0.0, np.zeros(7), np.zeros(7), np.zeros(6))
    with pytest.raises(dyn.Error, match=r'give \(4, 4\)'):
        controller.update(0.0, np.zeros(7), np.zeros(7), np.zeros(7), tip_pose=np.zeros(3))
    lost = controller.update(0.0, np.full(7, np.nan), np.zeros(7), np.zeros(7))
    assert lost.mode != 'tracking' and np.isfinite(lost.torque).all()


def test_what_was_given_stays_as_it_was(arm7):
    """An output is a copy: the next update does not change it."""
    controller = dyn.Controller(arm7)
    controller.activate()
    first = controller.update(0.0, np.zeros(7), np.zeros(7), np.zeros(7))
    kept, seen = first.torque, first.torque.copy()
    controller.update(0.001, np.zeros(7), np.zeros(7), 0.3 * np.ones(7))
    np.testing.assert_array_equal(kept, seen)
