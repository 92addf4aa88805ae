# Copyright 2026 The dyn developers
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.


"""A plot of curves over time as an SVG file, without further libraries."""

import math
from xml.sax.saxutils import escape

COLOURS = ['#d1495b', '#00798c', '#b07d11', '#4d8a3d']
WIDTH, HEIGHT, LINE = 800, 400, 18
LEFT, RIGHT, TOP, BOTTOM = 60, 190, 45, 40


def ticks(end, most=6):
    """Return round numbers from 0 to end, at most so many steps."""
    if not (math.isfinite(end) and end > 0.0):
        return [0.0]
    power = 10.0 ** math.floor(math.log10(end / most))
    step = next(power * factor for factor in (1, 2, 5, 10, 20) if power * factor * most >= end)
    return [step * k for k in range(int(end / step * (1.0 + 1e-12)) + 1)]


def apart(heights, distance=LINE, lowest=HEIGHT - BOTTOM):
    """Return the heights moved up as little as keeps them apart, in the same order."""
    moved = [0.0] * len(heights)
    free = lowest
    for index in sorted(range(len(heights)), key=lambda k: -heights[k]):
        moved[index] = min(heights[index], free)
        free = moved[index] - distance
    return moved


def svg(title, unit, curves):
    """
    Return the text of an SVG picture.

    curves is a dictionary from a name to a list of (time in s, value in unit).
    """
    points = [point for curve in curves.values() for point in curve]
    end = max((time for time, _ in points), default=1.0) or 1.0
    top = max((value for _, value in points), default=1.0) or 1.0

    def x_of(time):
        return LEFT + (WIDTH - LEFT - RIGHT) * time / end

    def y_of(value):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top

    def line(x1, y1, x2, y2, colour):
        return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
                f'stroke="{colour}"/>')

    def text(x, y, words, options=''):
        return f'<text x="{x:.1f}" y="{y:.1f}" {options}>{escape(words)}</text>'

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        text(LEFT, 25, f'{title}, {unit}', 'font-size="16"'),
    ]
    for value in ticks(top):
        parts += [line(LEFT, y_of(value), WIDTH - RIGHT, y_of(value), '#dddddd'),
                  text(LEFT - 6, y_of(value) + 4, f'{value:g}', 'text-anchor="end"')]
    for time in ticks(end):
        parts += [line(x_of(time), y_of(0), x_of(time), y_of(top), '#dddddd'),
                  text(x_of(time), y_of(0) + 16, f'{time:g}', 'text-anchor="middle"')]
    parts += [line(LEFT, y_of(0), WIDTH - RIGHT, y_of(0), 'black'),
              line(LEFT, y_of(0), LEFT, y_of(top), 'black'),
              text(WIDTH - RIGHT, y_of(0) + 32, 'time, s', 'text-anchor="end"')]
    ends = [y_of(curve[-1][1]) if curve else y_of(0) for curve in curves.values()]
    for number, (height, (name, curve)) in enumerate(zip(apart(ends), curves.items())):
        colour = COLOURS[number % len(COLOURS)]
        places = ' '.join(f'{x_of(time):.1f},{y_of(value):.1f}' for time, value in curve)
        parts += [f'<polyline points="{places}" fill="none" stroke="{colour}"/>',
                  text(WIDTH - RIGHT + 8, height + 4, name, f'fill="{colour}"')]
    return '\n'.join([*parts, '</svg>\n'])
