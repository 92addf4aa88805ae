"""Robots from files, texts and names."""

import numpy as np
import pytest

import dyn
from conftest import ROBOTS


def test_file_text_and_name_are_one_robot(arm7):
    path = ROBOTS / 'arm7.urdf'
    for other in (str(path), path.read_text(), 'arm7', f'{path}::tool0'):
        assert repr(dyn.load_urdf(other)) == repr(arm7)
    assert arm7.joint_names == [f'joint{i}' for i in range(1, 8)]
    assert len(arm7) == arm7.dof == 7 and arm7.tip == 'tool0'
    assert dyn.load_urdf('arm7', tip='link4').dof == 4


def test_what_is_told_of_a_chain(arm7):
    text = repr(arm7)
    assert text.startswith("Chain 'arm7' from 'base_link' to 'tool0': 7 coordinates")
    assert all(joint.name in text for joint in arm7.joints)
    assert (arm7.lower < arm7.upper).all() and (arm7.effort_limits > 0).all()
    assert arm7.total_mass > sum(link.body.mass for link in arm7.links)
    assert arm7.has_dynamics and not arm7.objection_to_dynamics and not arm7.estimated
    assert arm7.dh().shape == arm7.dh('classic').shape == (7, 5)
    with pytest.raises(dyn.Error, match='choose modified or classic'):
        arm7.dh('paul')
    np.testing.assert_array_equal(arm7.gravity, [0, 0, -9.81])


def test_options(arm7):
    plain = dyn.Solver(arm7)
    q = 0.3 * np.ones(7)
    loaded = dyn.load_urdf('arm7', payload=[2.0, 0.0, 0.0, 0.1], gravity=(0, 0, 0), armature={'joint1': 1.0})
    M = dyn.Solver(loaded).mass_matrix(q)
    J = plain.jacobian(q)
    pose = plain.tip_pose(q)
    arm = pose[:3, :3] @ [0, 0, 0.1]
    at_load = J[:3] + np.cross(J[3:].T, arm).T
    expected = plain.mass_matrix(q) + 2.0 * at_load.T @ at_load
    expected[0, 0] += 1.0
    np.testing.assert_allclose(M, expected, atol=1e-10)
    np.testing.assert_array_equal(dyn.Solver(loaded).gravity_torque(q), np.zeros(7))
    with pytest.raises(dyn.Error, match='payload'):
        dyn.load_urdf('arm7', payload=[[1, 0, 0, 0]])
    with pytest.raises(dyn.Error, match='joint9'):
        dyn.load_urdf('arm7', armature={'joint9': 1.0})


BARE = '''<robot name="bare"><link name="base"/><link name="arm">{}</link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>'''


def test_without_inertia_there_are_kinematics():
    chain = dyn.load_urdf(BARE.format(''))
    solver = dyn.Solver(chain)
    assert not chain.has_dynamics and "'arm'" in chain.objection_to_dynamics
    assert solver.tip_pose([0.3]).shape == (4, 4)
    for q in ([0.0], np.zeros((3, 1))):
        with pytest.raises(dyn.Error, match="'arm'"):
            solver.mass_matrix(q)


def test_inertia_from_shapes():
    shape = '<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>'
    chain = dyn.load_urdf(BARE.format(shape), estimate_inertia=3.0)
    assert chain.estimated == ['arm']
    np.testing.assert_allclose(dyn.Solver(chain).mass_matrix([0.0]), 3.0 * 0.2 ** 2 / 6.0)
    for wrong in (-1.0, 'water'):
        with pytest.raises(dyn.Error, match='estimate_inertia'):
            dyn.load_urdf(BARE.format(shape), estimate_inertia=wrong)
