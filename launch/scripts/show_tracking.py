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
Move arms to and fro by their trajectory controllers and tell how well they follow.

Parameters: joints, first and second (postures), duration (s from one to the other), arms
(namespaces), labels (what to call them), plot (path of an SVG file, rewritten every time).
"""

import math
import signal

from control_msgs.action import FollowJointTrajectory
from dyn_bringup.plot import svg
from dyn_msgs.msg import ComputedTorqueState
import rclpy
from rclpy.action import ActionClient
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint


class Follower:
    """One arm: it gets goals, and its errors are kept."""

    def __init__(self, node, namespace, label):
        self.label = label
        self.curve = []
        self.start = None
        self.goals = ActionClient(
            node, FollowJointTrajectory,
            f'{namespace}/joint_trajectory_controller/follow_joint_trajectory')
        node.create_subscription(
            ComputedTorqueState, f'{namespace}/computed_torque_controller/controller_state',
            self.take, 100)

    def take(self, state):
        """Keep the distance between reference and state."""
        time = state.header.stamp.sec + 1e-9 * state.header.stamp.nanosec
        if self.start is None:
            self.start = time
        error = math.dist(state.reference.positions, state.feedback.positions)
        self.curve.append((time - self.start, 1e3 * error))

    def forget(self):
        """Begin a new curve."""
        self.curve, self.start = [], None

    def summary(self):
        """Return the root mean square and the peak of the error."""
        values = [value for _, value in self.curve] or [math.nan]
        rms = math.sqrt(sum(value * value for value in values) / len(values))
        return f'{self.label}: rms {rms:.3f}, peak {max(values):.3f}'


class ShowTracking(Node):
    """All arms get the same goals at the same time."""

    def __init__(self):
        super().__init__('show_tracking')
        self.joints = self.declare_parameter('joints', ['']).value
        self.postures = [self.declare_parameter(name, [0.0]).value
                         for name in ('first', 'second')]
        self.duration = self.declare_parameter('duration', 2.0).value
        self.plot = self.declare_parameter('plot', '').value
        arms = self.declare_parameter('arms', ['']).value
        labels = self.declare_parameter('labels', ['']).value
        self.followers = [Follower(self, *pair) for pair in zip(arms, labels)]
        self.round = 0
        self.timer = self.create_timer(self.duration + 0.5, self.go)

    def go(self):
        """Send the next goal; after each time there and back say how it went."""
        if not all(follower.goals.server_is_ready() for follower in self.followers):
            return
        if self.round > 2 and self.round % 2 == 1:
            self.report()
        if self.round % 2 == 1:
            for follower in self.followers:
                follower.forget()
        posture = self.postures[self.round % 2]
        self.round += 1
        zeros = [0.0] * len(posture)
        point = JointTrajectoryPoint(
            positions=posture, velocities=zeros, accelerations=zeros,
            time_from_start=Duration(seconds=self.duration).to_msg())
        goal = FollowJointTrajectory.Goal(
            trajectory=JointTrajectory(joint_names=self.joints, points=[point]))
        for follower in self.followers:
            follower.goals.send_goal_async(goal)

    def report(self):
        """Print the errors and draw them."""
        summary = '; '.join(follower.summary() for follower in self.followers)
        self.get_logger().info(f'tracking error in mrad: {summary}')
        if not self.plot:
            return
        if self.round == 3:
            self.get_logger().info(f'drawn again after every round: {self.plot}')
        curves = {follower.label: follower.curve for follower in self.followers}
        with open(self.plot, 'w', encoding='utf-8') as file:
            file.write(svg('Tracking error', 'mrad', curves))


def main():
    """Run until Ctrl-C, which comes between two callbacks, not in one."""
    stopped = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.append(True))
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = ShowTracking()
    while not stopped:
        rclpy.spin_once(node, timeout_sec=0.2)
    rclpy.shutdown()


if __name__ == '__main__':
    main()
