"""What the program `dyn` has beyond the library: the papers, reproduced."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
from typing import Any

from ._dyn import Error


def _program() -> str:
    """$DYN, or dyn of this installation or build, or of the PATH."""
    here = pathlib.Path(__file__).absolute()
    beside = (folder / place / 'dyn' for folder in here.parents for place in ('bin', 'release'))
    for program in (os.environ.get('DYN'), *beside, shutil.which('dyn')):
        if program and os.path.isfile(program) and os.access(program, os.X_OK):
            return str(program)
    raise Error('the program dyn is not in the PATH; install it, or name it in the variable DYN')


def paper(name: str = '') -> list[dict[str, Any]]:
    """The items of safeea, kang, saha, kozlowski or bhangale, or of all: printed beside measured.

    Each has paper, item, kind, printed, measured, agrees (True, False or None) and note.
    """
    command = [_program(), 'paper', *([name] if name else []), '--json']
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise Error(run.stderr.strip().removeprefix('dyn: '))
    items: list[dict[str, Any]] = json.loads(run.stdout)['items']
    return items
