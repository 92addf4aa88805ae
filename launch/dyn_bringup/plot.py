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

COLOURS = ['#d1495b', '#00798c', '#edae49', '#66a182']
WIDTH, HEIGHT, MARGIN = 800, 400, 60


def svg(title, unit, curves):
    """
    Return the text of an SVG picture.

    curves is a dictionary from a name to a list of (time in s, value in unit).
    """
    points = [point for curve in curves.values() for point in curve]
    end = max((time for time, _ in points), default=1.0) or 1.0
    top = max((value for _, value in points), default=1.0) or 1.0

    def place(time, value):
        x = MARGIN + (WIDTH - 2 * MARGIN) * time / end
        y = HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * value / top
        return f'{x:.1f},{y:.1f}'

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        'font-family="sans-serif" font-size="14">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{MARGIN}" y="25" font-size="18">{title}</text>',
        f'<path d="M{place(0, top)} L{place(0, 0)} L{place(end, 0)}" fill="none" stroke="black"/>',
        f'<text x="5" y="{MARGIN - 8}">{top:.3g} {unit}</text>',
        f'<text x="{WIDTH - MARGIN}" y="{HEIGHT - MARGIN + 20}">{end:.3g} s</text>',
    ]
    for number, (name, curve) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        line = ' '.join(place(time, value) for time, value in curve)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}"/>')
        y = 45 + 20 * number
        parts.append(f'<text x="{WIDTH // 2}" y="{y}" fill="{colour}">{name}</text>')
    return '\n'.join([*parts, '</svg>\n'])
