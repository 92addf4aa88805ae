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
Write the joint states of a running robot into a log for dyn check and dyn identify.

A CSV file with t, q_NAME, qd_NAME and tau_NAME of every joint, until Ctrl-C or for --duration.
Usage: ros2 run dyn_ros record_log.py -o log.csv [--duration S] [--joints NAME ...]
"""

import argparse
import math
import sys

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.qos import qos_profile_sensor_data, QoSProfile
from rclpy.utilities import remove_ros_args
from sensor_msgs.msg import JointState


class Recorder:
    """Writes what comes, a line for each joint state with a finite effort of every joint."""

    def __init__(self, node, file, joints):
        """Listen on the topic joint_states."""
        self.file = file
        self.joints = joints
        self.written = self.left_out = 0
        self.first = self.last = None
        qos = QoSProfile(depth=1000, reliability=qos_profile_sensor_data.reliability)
        self.subscription = node.create_subscription(JointState, 'joint_states', self.take, qos)

    def take(self, message):
        """Write one joint state, or count it as left out."""
        time = 10**9 * message.header.stamp.sec + message.header.stamp.nanosec
        columns = [message.position, message.velocity or [0.0] * len(message.name), message.effort]
        at = {name: i for i, name in enumerate(message.name)}
        if not self.joints:
            self.joints = sorted(at)
        complete = all(name in at for name in self.joints) and all(
            len(column) == len(at) for column in columns)
        if not complete or (self.last is not None and time <= self.last):
            self.left_out += 1
            return
        values = [column[at[name]] for column in columns for name in self.joints]
        if not all(map(math.isfinite, values)):
            self.left_out += 1
            return
        if self.last is None:
            self.first = time
            names = [f'{signal}_{name}' for signal in ('q', 'qd', 'tau') for name in self.joints]
            print('t', *names, sep=',', file=self.file)
        self.last = time
        self.written += 1
        print(1e-9 * (time - self.first), *values, sep=',', file=self.file)

    def seconds(self):
        """Return the time between the first state and the last."""
        return 0.0 if self.last is None else 1e-9 * (self.last - self.first)


def main():
    """Record until the end, and say what was written."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[1])
    parser.add_argument('-o', '--output', required=True, help='the log, a CSV file')
    parser.add_argument('--duration', type=float, default=math.inf, help='s, by the stamps')
    parser.add_argument('--joints', nargs='+', default=[],
                        help='those of the chain (default: all of the first joint state)')
    options = parser.parse_args(remove_ros_args(sys.argv)[1:])
    rclpy.init(args=sys.argv)
    node = rclpy.create_node('record_log')
    try:
        file = open(options.output, 'w', encoding='utf-8')
    except OSError as error:
        return f'{options.output} cannot be written: {error.strerror}'
    with file:
        recorder = Recorder(node, file, options.joints)
        try:
            while recorder.seconds() < options.duration:
                rclpy.spin_once(node, timeout_sec=0.5)
        except (KeyboardInterrupt, ExternalShutdownException):
            pass
    print(f'{recorder.written} joint states of {len(recorder.joints)} joints in '
          f'{recorder.seconds():.3f} s written to {options.output}, '
          f'{recorder.left_out} left out (joints, efforts or order)')
    if recorder.written:
        return 0
    return 'no joint state with positions and efforts of every joint came on joint_states'


if __name__ == '__main__':
    sys.exit(main())
