"""Examples that run, stubs that are complete, sources that are clean."""

import importlib.util
import inspect
import pathlib
import re
import subprocess
import sys

import pytest

import dyn
from conftest import EXAMPLES

PACKAGE = pathlib.Path(dyn.__file__).parent
FOLDER = EXAMPLES.parent


@pytest.mark.parametrize('example', sorted(path.name for path in EXAMPLES.glob('*.py')))
def test_example(example, tmp_path):
    picture = tmp_path / 'errors.svg'
    arguments = {'payload_monte_carlo.py': ['20000'], 'mppi_swing.py': ['200']}.get(example, [])
    if example == 'computed_torque.py' and importlib.util.find_spec('matplotlib'):
        arguments = [str(picture)]
    run = subprocess.run([sys.executable, '-B', EXAMPLES / example, *arguments], capture_output=True, text=True)
    assert run.returncode == 0 and run.stdout, run.stderr
    assert str(picture) not in arguments or '<svg' in picture.read_text()


@pytest.mark.parametrize('page', ['README.md', 'docs/python.md'])
def test_code_of_the_pages(page):
    text = (FOLDER.parent / page).read_text()
    fenced = re.findall(r'```python\n(.*?)```', text, re.DOTALL)
    indented = '\n'.join(line[4:] for line in text.splitlines() if line.startswith('    '))
    for code in fenced or [indented]:
        assert 'import dyn' in code
        exec(compile(code, page, 'exec'), {})


def test_everything_has_a_stub_and_a_text():
    stub = (PACKAGE / '_dyn.pyi').read_text()
    for name, value in vars(dyn._dyn).items():
        if name.startswith('_'):
            continue
        assert f'class {name}' in stub or f'def {name}(' in stub, name
        for member in vars(value) if inspect.isclass(value) else ():
            if not member.startswith('_'):
                assert f'def {member}(' in stub, f'{name}.{member}'
        if not inspect.isclass(value):
            assert value.__doc__.count('\n') >= 2, f'{name} has no text'
    assert '_dyn.' not in stub and 'object at 0x' not in stub


def test_help_reads_well(capsys):
    help(dyn.Solver)
    text = capsys.readouterr().out
    assert 'inverse_dynamics(' in text and 'The torque that makes qdd: (n,).' in text
    assert 'Every query takes arrays of shape (n,)' in text


def tool(*command):
    if importlib.util.find_spec(command[0]) is None:
        pytest.skip(f'{command[0]} is not installed')
    run = subprocess.run([sys.executable, '-B', '-m', *command], capture_output=True, text=True, cwd=FOLDER)
    assert run.returncode == 0, run.stdout + run.stderr


def test_mypy():
    tool('mypy', '--strict', '--cache-dir=/dev/null', str(PACKAGE))


def test_flake8():
    tool('flake8', '--config=setup.cfg', 'dyn', 'scripts', 'test', 'examples', 'setup.py')
