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

"""Simulated arms under ros2_control_node for the launch tests, and somebody who uses them."""

import os
import time
import xml.etree.ElementTree as ElementTree

from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from dyn_ros_testing import own_lock, read_robot, User
from launch.actions import GroupAction
from launch_ros.actions import Node, SetRemap
from launch_ros.parameter_descriptions import ParameterValue
from rclpy.action import ActionClient
from rclpy.duration import Duration
from rclpy.serialization import deserialize_message
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

JOINTS = [f'joint{i}' for i in range(1, 8)]
START = [-0.6, -0.3, -0.5, 0.9, -0.8, -0.4, -0.8]
GOAL = [0.2, 0.4, 0.3, 1.6, 0.0, 0.4, 0.0]
LIMITS = [float(joint.find('limit').get('effort'))
          for joint in ElementTree.fromstring(read_robot('arm7')).iterfind('joint')
          if joint.get('name') in JOINTS]
CONTROLLERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'controllers.yaml')


def description(hardware):
    """Return arm7 as URDF text with a simulated arm that has these parameters."""
    parameters = {'tip_link': 'tool0', 'clock': 'own', 'real_time_factor': '0.25', **hardware}
    lines = [f'<param name="{name}">{value}</param>' for name, value in parameters.items()]
    joints = [
        f'<joint name="{joint}"><command_interface name="effort"/><state_interface '
        f'name="position"><param name="initial_value">{start}</param></state_interface>'
        '<state_interface name="velocity"/><state_interface name="effort"/></joint>'
        for joint, start in zip(JOINTS, START)]
    tag = ('<ros2_control name="arm" type="system"><hardware><plugin>dyn_control/SimulatedArm'
           f'</plugin>{"".join(lines)}</hardware>{"".join(joints)}</ros2_control>')
    return read_robot('arm7').replace('</robot>', tag + '</robot>')


def arm(namespace, hardware, parameters):
    """Return what runs one arm: its description, the manager and the spawner."""
    text = ParameterValue(description(hardware), value_type=str)
    overrides = [word for name, value in parameters.items()
                 for word in ('-p', f'{name}:={value}')]
    spawned = ['computed_torque_controller', 'joint_trajectory_controller',
               '--activate-as-group', '--param-file', CONTROLLERS,
               '--controller-manager-timeout', '120', '--switch-timeout', '60',
               '--service-call-timeout', '120']
    if overrides:
        spawned.append('--controller-ros-args=' + ' '.join(overrides))
    clock = SetRemap('/clock', f'{namespace}/clock')
    return GroupAction([
        own_lock(),
        clock,
        Node(package='robot_state_publisher', executable='robot_state_publisher',
             namespace=namespace, parameters=[{'robot_description': text}]),
        Node(package='controller_manager', executable='ros2_control_node', namespace=namespace,
             parameters=[CONTROLLERS, {'use_sim_time': True}], output='screen'),
        Node(package='controller_manager', executable='spawner', namespace=namespace,
             arguments=spawned, output='screen'),
    ])


class Record:
    """The messages of a topic, as they came."""

    def __init__(self, message_type):
        self.type = message_type
        self.raw = []
        self.subscription = None

    def messages(self, last=0):
        """Return all messages, or the last ones."""
        return [deserialize_message(raw, self.type) for raw in self.raw[-last:]]


class ArmUser(User):
    """Somebody who sends goals and records what comes of them."""

    def record(self, message_type, topic, depth):
        """
        Record a topic; its messages are only read when they are looked at.

        With a depth of 1 it is a sample of what comes faster than it can be taken.
        """
        record = Record(message_type)
        record.subscription = self.node.create_subscription(
            message_type, topic, record.raw.append, depth, raw=True)
        return record

    def is_silent(self, record, seconds):
        """Return whether nothing comes for so long."""
        before = len(record.raw)
        end = time.monotonic() + seconds
        self.wait(lambda: time.monotonic() > end)
        return len(record.raw) == before

    def stop(self, records):
        """End recordings."""
        for record in records:
            self.node.destroy_subscription(record.subscription)

    def send(self, namespace, goal=None, seconds=1.5):
        """Send a goal to an arm; return the future of its result."""
        client = ActionClient(self.node, FollowJointTrajectory,
                              f'{namespace}/joint_trajectory_controller/follow_joint_trajectory')
        assert self.wait(client.server_is_ready), f'{namespace} takes no goals'
        zeros = [0.0] * 7
        point = JointTrajectoryPoint(
            positions=GOAL if goal is None else goal, velocities=zeros, accelerations=zeros,
            time_from_start=Duration(seconds=seconds).to_msg())
        message = FollowJointTrajectory.Goal(
            trajectory=JointTrajectory(joint_names=JOINTS, points=[point]))
        end = time.monotonic() + 600.0
        while time.monotonic() < end:  # it takes goals from a moment before it is active
            sent = client.send_goal_async(message)
            assert self.wait(sent.done), f'{namespace} does not answer'
            if sent.result().accepted:
                return sent.result().get_result_async()
        raise AssertionError(f'{namespace} refuses the goal')

    def arrive(self, futures):
        """Wait until all goals have ended; return whether all have succeeded."""
        return self.wait(lambda: all(future.done() for future in futures)) and all(
            future.result().status == GoalStatus.STATUS_SUCCEEDED for future in futures)
