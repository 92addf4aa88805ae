"""Logs, check, identify, excite; counts and comparisons."""

import numpy as np
import pytest

import dyn


@pytest.fixture
def planar():
    return dyn.load_urdf('planar3r')


@pytest.fixture
def heavy(planar):
    return dyn.scale_inertia(planar, last=1.5)


def log_of(chain, truth, duration=6.0):
    motion = dyn.excite(chain, duration=duration, period=3.0, draws=5, starts=1, steps=10)
    t = np.arange(0.0, duration, 0.002)
    q, qd, qdd = motion.trajectory(t)
    return t, q, qd, dyn.Solver(truth).inverse_dynamics(q, qd, qdd)


def test_an_excitation_stays_within_limits(planar):
    found = dyn.excite(planar, duration=6.0, period=3.0, draws=5, starts=1, steps=10)
    q, qd, _ = found.trajectory(np.linspace(0.0, 6.0, 2000))
    assert (found.lowest <= q.min(axis=0)).all() and (q.max(axis=0) <= found.highest).all()
    assert (np.abs(qd).max(axis=0) <= found.velocity + 1e-9).all()
    assert found.condition > 1.0 and found.parameters > 0
    again = dyn.excite(planar, duration=6.0, period=3.0, draws=5, starts=1, steps=10)
    assert again.log_det == found.log_det


def test_masses_are_found_again(planar, heavy, tmp_path):
    t, q, qd, tau = log_of(planar, heavy)
    log = dyn.log(planar, t, q, tau, qd)
    assert len(log) == len(log.t) == len(log.q) and log.tau.shape == log.qdd.shape
    report = dyn.check(planar, log)
    assert report.joints[0].rms_error > 0.1 * report.joints[0].rms_measured
    found = dyn.identify(planar, log, friction='none', prior=1e-3)
    for joint in found.joints:
        assert joint.rms_after < 0.1 * joint.rms_before
    assert dyn.check(found.chain, log).joints[0].rms_error < 0.1 * report.joints[0].rms_error
    names = [f'{signal}_{i}' for signal in ('q', 'qd', 'tau') for i in (1, 2, 3)]
    path = tmp_path / 'log.csv'
    np.savetxt(path, np.column_stack([t, q, qd, tau]), delimiter=',', header=','.join(['t', *names]), comments='',
               fmt='%.17g')
    read = dyn.read_log(planar, [str(path)])
    np.testing.assert_array_equal(read.q, log.q)


def test_wrong_logs(planar, heavy):
    t, q, qd, tau = log_of(planar, heavy)
    for arguments in ((t[::-1], q, tau), (t, q[:-1], tau), (t, q, tau[:, :2]), (t, q, tau + np.nan),
                      (t[:0], q[:0], tau[:0]), (t[:1], q[:1], tau[:1])):
        with pytest.raises(dyn.Error):
            dyn.log(planar, *arguments)
    with pytest.raises(dyn.Error, match='nowhere.csv'):
        dyn.read_log(planar, 'nowhere.csv')
    log = dyn.log(planar, t, q, tau)
    with pytest.raises(dyn.Error):
        dyn.check(planar, log, effort='volts')
    with pytest.raises(dyn.Error):
        dyn.identify(planar, log, friction='soap')


def test_counts_are_of_the_paper(arm7):
    rows = {(row.quantity, row.algorithm): row for row in dyn.counts(dyn.random_chain(7))}
    assert rows['mass_matrix', 'gdahj'].paper is not None
    row = rows['inverse_dynamics', 'gim_mci']
    assert row.multiplications > row.additions > 0
    fewer = {(row.quantity, row.algorithm): row for row in dyn.counts(arm7, customised=True)}
    assert fewer['inverse_dynamics', 'gim_mci'].multiplications < row.multiplications


def test_arms_are_ranked():
    arms = [dyn.load_urdf(name) for name in ('rp', 'pr')]
    ranked = dyn.compare(arms, samples=500, weights={'time': 0.0})
    assert {arm.name for arm in ranked} == {arm.name for arm in arms}
    assert ranked[0].score >= ranked[1].score and ranked[0].why
    with pytest.raises(dyn.Error, match='beauty'):
        dyn.compare(arms, weights={'beauty': 1.0})
    with pytest.raises(dyn.Error):
        dyn.compare([])


def test_a_paper_reproduced(evaluated):
    del evaluated  # skips where the tool is not there
    items = dyn.paper('safeea')
    assert items and all(item['paper'] == 'safeea' for item in items)
    assert any(item['agrees'] for item in items)
    with pytest.raises(dyn.Error, match='nobody'):
        dyn.paper('nobody')
