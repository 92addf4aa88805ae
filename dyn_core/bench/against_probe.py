#!/usr/bin/env python3
"""Ratios of `dyn bench` to the head-room probe: both in turn on one core, medians of the rounds.

usage: against_probe.py DYN PROBE_FOLDER [ROUNDS] [TARGET]
"""

import collections
import json
import os
import statistics
import subprocess
import sys

DOF = [7, 30, 100]
# quantity, algorithm, batch, operation of the probe, most it may take of it for each of DOF
ROWS = [
    ('mass_matrix', 'fast', 1, 'M_lower', [0.70, 0.50, 0.50]),
    ('forward_dynamics', 'fast', 1, 'FD_aba', [0.90, 0.95, 0.95]),
    ('inverse_dynamics', 'fast', 1, 'ID_rnea', [0.90, 0.90, 0.90]),
    ('mass_matrix_inverse', 'fast', 1, 'Minv_lower', [0.90, 0.80, 0.70]),
    ('coriolis', 'fast', 1, 'M_lower', [2.5, 3.0, 3.5]),
    ('mass_matrix', 'batch', 8, 'M_lower_x8', [1.0, 1.0, 1.0]),
    ('forward_dynamics', 'batch', 8, 'FD_aba_x8', [1.0, 1.0, 1.0]),
    ('inverse_dynamics', 'batch', 8, 'ID_rnea_x8', [1.0, 1.0, 1.0]),
]
# What `all` answers at once, of what is timed alone, and how much of their sum it may take.
PARTS, MOST_OF_PARTS = ['mass_matrix', 'bias', 'factorisation'], 0.75


def dyn_round(dyn, target, times):
    command = ['taskset', '-c', os.environ.get('CORE', '0'), dyn, 'bench', '--no-peers', '--json',
               '--dof', ','.join(map(str, DOF)), '--batch', '8', '--rounds', '3', '--only', 'fast']
    command += ['--target', target] if target else []
    answer = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    for t in json.loads(answer.stdout)['timings']:
        times[t['quantity'], t['algorithm'], t['batch'], t['dof']].append(t['ns'])


def probe_round(folder, times):
    environment = dict(os.environ, PC_BATCHES='3')
    answer = subprocess.run([os.path.join(folder, 'run.sh'), *map(str, DOF)], env=environment,
                            stdout=subprocess.PIPE, check=True, text=True)
    for line in answer.stdout.splitlines():
        _, who, operation, n, ns = line.split(',')
        times[who, operation, int(n)].append(float(ns))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 9
    target = sys.argv[4] if len(sys.argv) > 4 else ''
    ours, probes = collections.defaultdict(list), collections.defaultdict(list)
    for _ in range(rounds):
        dyn_round(sys.argv[1], target, ours)
        probe_round(sys.argv[2], probes)

    def time(quantity, algorithm, batch, n):
        return statistics.median(ours[quantity, algorithm, batch, n])

    print(f'{"":36}' + ''.join(f'{"n = " + str(n):>28}' for n in DOF))
    for quantity, algorithm, batch, operation, most in ROWS:
        line = f'{quantity} {algorithm} / {operation}'
        print(f'{line:36}', end='')
        for n, limit in zip(DOF, most):
            a = time(quantity, algorithm, batch, n)
            b = statistics.median(probes['poc_native', operation, n])
            print(f'{a:9.0f} {b:7.0f} {a / b:5.2f} <{limit:4.2f}', end='')
        print()
    print(f'{"all / " + " + ".join(PARTS):36}'[:36], end='')
    for n in DOF:
        a = time('all', 'fast', 1, n)
        b = sum(time(part, 'fast', 1, n) for part in PARTS)
        print(f'{a:9.0f} {b:7.0f} {a / b:5.2f} <{MOST_OF_PARTS:4.2f}', end='')
    print()


if __name__ == '__main__':
    main()
