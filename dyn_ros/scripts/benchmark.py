#!/usr/bin/env python3
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

"""
Measure the dynamics node: joint states in at 1 kHz, all small outputs out at 1 kHz.

Prints loss and delay of each topic, the processor time that the callback of one joint state takes
and the node's share of one core. Usage: ros2 run dyn_ros benchmark.py [ROBOT.urdf] [--tip LINK]
[--algorithms NAME] [--seconds S]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

from ament_index_python.packages import get_package_prefix, get_package_share_directory

RATES = ('joint_dynamics', 'mass_matrix', 'coriolis_matrix', 'diagonalized', 'gravity_torque',
         'coriolis_torque')


def arguments():
    """Return the command line's arguments."""
    robots = os.path.join(get_package_share_directory('dyn_core'), 'robots')
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[1])
    parser.add_argument('robot', nargs='?', default=os.path.join(robots, 'arm7.urdf'))
    parser.add_argument('--tip', default='tool0', help='last link of the chain')
    parser.add_argument('--algorithms', default='fast',
                        help="for mass matrix, inverse dynamics and Coriolis matrix; '': the "
                             "library's choice")
    parser.add_argument('--rate', type=float, default=1000.0, help='of the joint states, Hz')
    parser.add_argument('--seconds', type=float, default=20.0)
    return parser.parse_args()


def node_parameters(options):
    """Return the text of the node's parameter file."""
    with open(options.robot, encoding='utf-8') as file:
        description = file.read()
    parameters = {f'rates.{name}': 10000.0 for name in RATES}
    for quantity in ('mass_matrix', 'inverse_dynamics', 'coriolis'):
        parameters[f'algorithms.{quantity}'] = options.algorithms
    parameters.update(robot_description=description, tip_link=options.tip)
    # JSON is YAML.
    return json.dumps({'dynamics': {'ros__parameters': parameters}})


def processor_seconds(pid):
    """Return the processor time a process has used so far, in s."""
    with open(f'/proc/{pid}/stat', encoding='utf-8') as file:
        fields = file.read().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def measure(options):
    """Run node and traffic; return what the traffic saw and the node's share of a core."""
    programs = os.path.join(get_package_prefix('dyn_ros'), 'lib', 'dyn_ros')
    with tempfile.NamedTemporaryFile('w', suffix='.yaml') as file:
        file.write(node_parameters(options))
        file.flush()
        node = subprocess.Popen([os.path.join(programs, 'dynamics_node'),
                                 '--ros-args', '--params-file', file.name])
        try:
            traffic = subprocess.Popen(
                [os.path.join(programs, 'benchmark_traffic'), options.robot, options.tip,
                 str(options.rate), str(options.seconds)], stdout=subprocess.PIPE)
            before = processor_seconds(node.pid)
            output, _ = traffic.communicate()
            # One second of warming up counts as well.
            used = (processor_seconds(node.pid) - before) / (options.seconds + 1.0)
        finally:
            node.terminate()
            node.wait()
    return json.loads(output), used


def main():
    """Print the table."""
    options = arguments()
    result, used = measure(options)
    print(f'{options.robot}: {result["sent"]} joint states at {options.rate:g} Hz, algorithms '
          f"{options.algorithms or 'of the library'}")
    print(f'{"topic":18}{"received":>10}{"lost":>7}{"delay median":>15}{"p99":>10}')
    for topic in result['topics']:
        lost = result['sent'] - topic['received']
        print(f'{topic["name"]:18}{topic["received"]:10}{lost:7}'
              f'{topic["delay_median_us"]:12.0f} us{topic["delay_p99_us"]:7.0f} us')
    print(f'callback of one joint state: {result["callback_median_us"]} us median, '
          f'{result["callback_worst_us"]} us worst of the last second (goal: 20 us median)')
    print(f'node: {100 * used:.1f} % of one core (goal: 15 %)')
    return 0


if __name__ == '__main__':
    sys.exit(main())
