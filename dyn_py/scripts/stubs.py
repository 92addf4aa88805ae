"""stubs.py PACKAGE_FOLDER OUTPUT: type stubs from the signatures that pybind11 writes into docstrings."""

import importlib.util
import inspect
import pathlib
import re
import sys
import typing

HEAD = '''"""Written by stubs.py from the module."""

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

'''
TYPES = [
    (r'numpy\.ndarray(\[[^\[\]]*(\[[^\[\]]*\])?[^\[\]]*\])?', 'NDArray[np.float64]'),
    (r'\b_dyn\.|\bdyn\._dyn\.', ''),
    (r'\b(bool|float|int|str)\[\d+\]', r'\1'),
    (r'\bfunction\b', 'Callable[..., Any]'),
    (r'\b(object|handle)\b', 'Any'),
    (r'\*\*kwargs', '**kwargs: Any'),
    (r': (\w+) = None', r': Optional[\1] = None'),
    (r"= (?:\[[^\]]*\]|\{[^}]*\}|\([^)]*\))", '= ...'),
]


def translated(signature: str) -> str:
    for pattern, replacement in TYPES:
        signature = re.sub(pattern, replacement, signature)
    taken, arrow, returned = signature.rpartition('->')
    return taken.replace('List[', 'Sequence[').replace('Dict[', 'Mapping[') + arrow + returned


def split(doc: str) -> tuple[str, str]:
    """Signature, from its parenthesis on, and text."""
    first, _, rest = doc.partition('\n')
    return translated(first[first.index('('):]), rest.strip()


def function(name: str, doc: str, indent: str, is_method: bool) -> str:
    signature, text = split(doc)
    if is_method:
        signature = re.sub(r'^\((self|arg0): [^,)]*', '(self', signature)
    lines = [f'{indent}def {name}{signature}:']
    body = f'{indent}    """{text}"""' if text else f'{indent}    ...'
    return '\n'.join([*lines, *body.split('\n')]) + '\n'


def attribute(name: str, value: property) -> str:
    """A property, and whether it can be set."""
    returned = split('x' + (value.fget.__doc__ or '').strip())[0].split('-> ')[-1]
    text = f'        """{value.__doc__}"""\n' if value.__doc__ and '->' not in value.__doc__ else '        ...\n'
    lines = f'    @property\n    def {name}(self) -> {returned}:\n{text}'
    if value.fset is not None:
        taken = 'ArrayLike' if returned.startswith('NDArray') else returned
        lines += f'    @{name}.setter\n    def {name}(self, value: {taken}) -> None:\n        ...\n'
    return lines


def class_stub(kind: type) -> str:
    bases = [base.__name__ for base in kind.__bases__ if base.__name__ != 'pybind11_object']
    lines = f'\nclass {kind.__name__}({", ".join(bases)}):\n' if bases else f'\nclass {kind.__name__}:\n'
    lines += f'    """{inspect.cleandoc(kind.__doc__)}"""\n' if kind.__doc__ else ''
    for name, value in vars(kind).items():
        doc = getattr(value, '__doc__', None) or ''
        if isinstance(value, property):
            lines += '\n' + attribute(name, value)
        elif name in ('__init__', '__call__', '__len__') or not name.startswith('_'):
            if '->' in doc:
                lines += '\n' + function(name, doc, '    ', True)
    return lines if lines.count('\n') > 2 or kind.__doc__ else lines + '    ...\n'


def stubs(module: typing.Any) -> str:
    out = HEAD
    for name, value in sorted(vars(module).items()):
        if name.startswith('_'):
            continue
        out += class_stub(value) if inspect.isclass(value) else '\n' + function(name, value.__doc__, '', False)
    return out


def main() -> None:
    path = next(pathlib.Path(sys.argv[1]).glob('_dyn.*.so'))
    spec = importlib.util.spec_from_file_location('_dyn', path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    pathlib.Path(sys.argv[2]).write_text(stubs(module), encoding='utf-8')


if __name__ == '__main__':
    main()
