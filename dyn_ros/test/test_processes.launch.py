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

"""Two arms by namespace in processes of their own; one is killed; one is started wrongly."""

import os
import signal
import unittest

from dyn_msgs.msg import MassMatrix, ModelReport
from dyn_msgs.srv import GetDynamics
from dyn_ros_testing import LATCHED, read_robot, unique_namespace, User
from launch import LaunchDescription
from launch_ros.actions import Node
import launch_testing.actions
import launch_testing.asserts
import launch_testing.markers
import pytest

ARMS = {'left': ('arm7', 7), 'right': ('puma560', 6)}


def make_nodes():
    """Return a description, a motion player and a dynamics node for each arm."""
    nodes = []
    for arm, (robot, _) in ARMS.items():
        place = {'namespace': f'{unique_namespace()}/{arm}'}
        tip = {'tip_link': 'tool0'}
        nodes.append(Node(
            package='robot_state_publisher', executable='robot_state_publisher',
            parameters=[{'robot_description': read_robot(robot),
                         'frame_prefix': f'{arm}/'}], **place))
        nodes.append(Node(
            package='dyn_ros', executable='motion_player', parameters=[tip], **place))
        nodes.append(Node(
            package='dyn_ros', executable='dynamics_node', respawn=True,
            parameters=[tip, {'frame_prefix': f'{arm}/'}], **place))
    return nodes


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
@launch_testing.ready_to_test_action_timeout(600)
def generate_test_description():
    """Start both arms, and a node with a parameter that makes no sense."""
    wrong = Node(
        package='dyn_ros', executable='dynamics_node', namespace=f'{unique_namespace()}/wrong',
        parameters=[{'algorithms.mass_matrix': 'fastest'}])
    description = LaunchDescription([
        *make_nodes(),
        wrong,
        launch_testing.actions.ReadyToTest(),
    ])
    return description, {'wrong': wrong}


def process_of(arm):
    """Return the process id of an arm's dynamics node."""
    marks = ('dynamics_node', f'{unique_namespace()}/{arm}')
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/cmdline', encoding='utf-8') as file:
                words = file.read()
        except OSError:
            continue
        if all(mark in words for mark in marks):
            return int(pid)
    return None


class TestProcesses(unittest.TestCase):
    """While they run."""

    def setUp(self):
        self.user = User()
        for arm in ARMS:
            self.user.listen(MassMatrix, f'{arm}/dynamics/mass_matrix')
            self.user.listen(ModelReport, f'{arm}/dynamics/model_report', LATCHED)

    def tearDown(self):
        self.user.close()

    def test_each_arm_has_its_own_dynamics(self):
        for arm, (robot, dof) in ARMS.items():
            topic = f'{arm}/dynamics/mass_matrix'
            self.assertTrue(self.user.wait_for_more(topic), topic)
            matrix = self.user.latest[topic]
            self.assertEqual(len(matrix.data), dof * dof)
            self.assertTrue(matrix.header.frame_id.startswith(f'{arm}/'))
            response = self.user.call(
                GetDynamics, f'{arm}/dynamics/get_dynamics', GetDynamics.Request())
            self.assertTrue(response.success, response.message)
            self.assertEqual(response.joint_names, matrix.joint_names)
            report = f'{arm}/dynamics/model_report'
            self.assertTrue(self.user.wait(lambda: report in self.user.latest))
            self.assertEqual(self.user.latest[report].robot_name, robot)

    def test_killed_it_comes_back_with_its_model(self):
        topic = 'left/dynamics/mass_matrix'
        self.assertTrue(self.user.wait_for_more(topic))
        before = process_of('left')
        self.assertIsNotNone(before)
        report = 'left/dynamics/model_report'
        self.assertTrue(self.user.wait(lambda: report in self.user.latest))
        count = self.user.counts[report]
        os.kill(before, signal.SIGKILL)
        self.assertTrue(self.user.wait(lambda: self.user.counts[report] > count))
        self.assertTrue(self.user.wait(lambda: self.user.latest[report].loaded))
        self.assertTrue(self.user.wait_for_more(topic))
        self.assertNotEqual(process_of('left'), before)
        self.assertTrue(self.user.wait_for_more('right/dynamics/mass_matrix'))

    def test_a_wrong_parameter_ends_it_with_a_sentence(self, proc_info, proc_output, wrong):
        proc_info.assertWaitForShutdown(process=wrong, timeout=60)
        launch_testing.asserts.assertExitCodes(proc_info, [1], process=wrong)
        proc_output.assertWaitFor(
            "there is no algorithm 'fastest' for algorithms.mass_matrix; choose one of: gdahj",
            process=wrong, timeout=60)
