#!/usr/bin/env python3
"""The rooms of dyn_core: which may use which, checked and drawn from the includes.

usage: rooms.py [--draw]
Fails on an include that goes up or across where it may not, and where docs/pictures/rooms.svg is not the
map of the present includes; --draw draws it.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAP = ROOT / 'docs/pictures/rooms.svg'

# From the ground up. A room may use those it names and what these may use; SOLVER is what stands in no
# folder of its own: the solver and the registry.
SOLVER = 'solver'
MAY_USE = {
    'base': [],
    'math': ['base'],
    'robot': ['math'],
    'fast': ['robot'],
    'papers/shared': ['robot'],
    'papers/classic': ['papers/shared'],
    'papers/safeea_2018': ['papers/shared'],
    'papers/kang': ['papers/shared'],
    'papers/saha_2003': ['papers/shared', 'papers/classic'],
    'papers/kozlowski_1995': ['papers/saha_2003'],
    'papers/bhangale_2004': ['papers/kang'],
    SOLVER: ['fast', 'papers/safeea_2018', 'papers/kozlowski_1995', 'papers/bhangale_2004'],
    'generate': ['fast', 'papers/saha_2003'],
    'motion': [SOLVER],
    'study': [SOLVER],
    'identify': ['motion'],
    'control': ['motion'],
    'inspect': ['control', 'identify'],
}
HOLDS = {
    'base': 'status, text, names',
    'math': 'scalars, spatial vectors, inertia',
    'robot': 'URDF, chain, DH, model, kinematics',
    'fast': 'SIMD lanes, batches, generated code',
    'papers': 'classic, Safeea, Kang, Saha, Kozłowski, Bhangale',
    SOLVER: 'every quantity by name, one door',
    'generate': 'code for one robot',
    'motion': 'trajectories, simulation',
    'study': 'counts, arm selection',
    'identify': 'regressor, excitation, logs, estimation',
    'control': 'law, predictor, observer, plant',
    'inspect': 'what is published, for every front end',
}


def room_of(path):
    """The room of a path below include/dyn_core or src."""
    parts = path.split('/')
    if parts[0] == 'papers':
        return '/'.join(parts[:2])
    return parts[0] if len(parts) > 1 and parts[0] in MAY_USE else SOLVER


def sources():
    """Each file of the library with its path inside its rooms."""
    for folder in (ROOT / 'dyn_core/include/dyn_core', ROOT / 'dyn_core/src'):
        for file in sorted(folder.rglob('*.[ch]pp')):
            yield file, str(file.relative_to(folder))


def target_of(file, path, name):
    """What `name` means in an include of the library's own; None for other people's headers."""
    if name.startswith('dyn_core/'):
        return name.removeprefix('dyn_core/')
    beside = file.parent / name
    if beside.exists():
        return str(Path(path).parent / name)
    return name if (ROOT / 'dyn_core/src' / name).exists() else None


def below(room):
    """The rooms that a room may use, itself among them."""
    rooms = {room}
    for other in MAY_USE[room]:
        rooms |= below(other)
    return rooms


def uses():
    """Count the includes from room to room, and say which may not be."""
    edges, faults = {}, []
    for file, path in sources():
        for name in re.findall(r'^#include "([^"]+)"', file.read_text(), re.MULTILINE):
            target = target_of(file, path, name)
            if target is None:
                continue
            here, there = room_of(path), room_of(target)
            if there not in below(here):
                faults.append(
                    f'{file.relative_to(ROOT)} stands in {here} and includes {name} of {there}, which is '
                    f'not below it: move what it needs down to a room that both may use, or the file up')
            elif here != there:
                edges[here, there] = edges.get((here, there), 0) + 1
    return edges, faults


def folded(edges):
    """The same with the papers' rooms as one."""
    result = {}
    for (here, there), count in edges.items():
        key = tuple(room.split('/')[0] for room in (here, there))
        if key[0] != key[1]:
            result[key] = result.get(key, 0) + count
    return result


# ---- the picture -----------------------------------------------------------------------------------
PLACES = {  # column and row of each box
    'inspect': (1, 0), 'control': (1, 1), 'identify': (0, 1), 'motion': (1, 2), 'study': (2.1, 2),
    SOLVER: (1, 3), 'generate': (2.1, 3),
    'papers': (0.3, 4), 'fast': (2, 4), 'robot': (1, 5), 'math': (1, 6), 'base': (1, 7),
}
WIDTH, HEIGHT, STEP_X, STEP_Y = 300, 46, 310, 84


def draw(edges):
    """Boxes from the ground up, an arrow for each use that is not implied by a nearer one."""
    def corner(room):
        column, row = PLACES[room]
        return 10 + column * STEP_X, 10 + row * STEP_Y

    lines = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 980 664" font-family="sans-serif">',
             '<title>The rooms of dyn_core: an arrow is what a room uses, its number the includes</title>',
             '<rect width="980" height="664" fill="#fff"/>']
    arrows = {(a, b): n for (a, b), n in edges.items()
              if not any((a, c) in edges and reaches(edges, c, b) for c in PLACES if c not in (a, b))}
    for (here, there), _ in sorted(arrows.items()):
        (x1, y1), (x2, y2) = corner(here), corner(there)
        x1, y1, x2 = x1 + WIDTH / 2, y1 + HEIGHT, x2 + WIDTH / 2
        lines.append(f'<path d="M{x1:g} {y1:g}L{x2:g} {y2 - 7:g}" stroke="#667" fill="none"/>'
                     f'<path d="M{x2:g} {y2:g}l-4 -8h8z" fill="#667"/>')
    for room in PLACES:
        x, y = corner(room)
        lines.append(f'<rect x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#eef2f8" '
                     f'stroke="#446"/><text x="{x + WIDTH / 2:g}" y="{y + 19:g}" text-anchor="middle" '
                     f'font-weight="bold">{room}</text><text x="{x + WIDTH / 2:g}" y="{y + 37:g}" '
                     f'text-anchor="middle" font-size="12">{HOLDS[room]}</text>')
    return '\n'.join([*lines, '</svg>', ''])


def reaches(edges, start, end):
    """Whether a chain of uses leads from one room to the other."""
    return any(a == start and (b == end or reaches(edges, b, end)) for a, b in edges)


def main():
    edges, faults = uses()
    picture = draw(folded(edges))
    if '--draw' in sys.argv:
        MAP.write_text(picture)
    elif not MAP.exists() or MAP.read_text() != picture:
        faults.append(f'{MAP.relative_to(ROOT)} is not the map of the includes: scripts/rooms.py --draw')
    sys.exit('\n'.join(faults) or None)


if __name__ == '__main__':
    main()
