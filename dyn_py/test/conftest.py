"""Robots, states of fixed seeds, and what `dyn eval` says of them."""

import json
import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

import dyn

ROBOTS = pathlib.Path(__file__).parents[2] / 'dyn_core' / 'robots'
EXAMPLES = pathlib.Path(__file__).parents[1] / 'examples'


@pytest.fixture(params=['arm7', 'puma560', 'stanford', 'planar3r'])
def robot(request):
    return ROBOTS / f'{request.param}.urdf'


@pytest.fixture
def chain(robot):
    return dyn.load_urdf(robot)


@pytest.fixture
def arm7():
    return dyn.load_urdf(ROBOTS / 'arm7.urdf')


def states(chain, count, seed=1):
    """q, qd, qdd and tau of (count, n)."""
    random = np.random.default_rng(seed)
    return random.uniform(-1.0, 1.0, (4, count, chain.dof))


@pytest.fixture
def evaluated():
    """What the tool prints of one state, read back exactly."""
    tool = os.environ.get('DYN') or shutil.which('dyn')
    if tool is None:
        pytest.skip('the tool dyn is not there')

    def run(robot, *options, **vectors):
        numbers = [f'--{name}=' + ','.join(map(repr, map(float, values)))
                   for name, values in vectors.items()]
        out = subprocess.run([tool, 'eval', str(robot), '--json', *options, *numbers],
                             capture_output=True, text=True, check=True).stdout
        return json.loads(out)

    return run
