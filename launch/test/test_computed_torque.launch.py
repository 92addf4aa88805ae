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


"""An arm with a prismatic joint under control, as the launch file starts it."""

import os
import tempfile
import unittest

from dyn_msgs.msg import ComputedTorqueState, JointDynamics
from dyn_ros_testing import own_lock, read_robot, robot_path, unique_namespace, User
from launch import LaunchDescription
from launch.actions import GroupAction, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_ros.substitutions import FindPackageShare
import launch_testing.actions
import launch_testing.markers
import pytest
from visualization_msgs.msg import MarkerArray


def computed_torque(**arguments):
    """Include computed_torque.launch.py with these arguments."""
    arguments.update(tip='tool0', rviz='false')
    return GroupAction([own_lock(), IncludeLaunchDescription(
        PythonLaunchDescriptionSource(
            [FindPackageShare('dyn_bringup'), '/launch/computed_torque.launch.py']),
        launch_arguments=arguments.items())], scoped=True, forwarding=False)


def write_nonphysical():
    """Return the path of rtx3 with an inertia that no body has."""
    text = read_robot('rtx3').replace('<inertia ixx="0.4"', '<inertia ixx="-0.4"')
    with tempfile.NamedTemporaryFile('w', suffix='.urdf', delete=False) as file:
        file.write(text)
    return file.name


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
@launch_testing.ready_to_test_action_timeout(600)
def generate_test_description():
    """Start rtx3 on a simulated arm that carries something, and one without trajectories."""
    alone = write_nonphysical()
    description = LaunchDescription([
        computed_torque(urdf=robot_path('rtx3'), namespace=unique_namespace(), delay='0.002',
                        arm_params='payload_mass:=0.5'),
        computed_torque(urdf=alone, namespace=f'{unique_namespace()}/alone',
                        trajectories='false', allow_nonphysical='true'),
        launch_testing.actions.ReadyToTest(),
    ])
    return description, {'alone': alone}


class TestComputedTorque(unittest.TestCase):
    """While it runs."""

    def test_the_arm_is_held_and_looked_at(self):
        user = User()
        self.addCleanup(user.close)
        state = 'computed_torque_controller/controller_state'
        user.listen(ComputedTorqueState, state, 1)
        user.listen(JointDynamics, 'dynamics/joint_dynamics', 1)
        user.listen(MarkerArray, 'dynamics/markers', 1)
        for topic in user.counts:
            self.assertTrue(user.wait_for_more(topic, 20), topic)
        latest = user.latest[state]
        self.assertEqual(latest.mode, ComputedTorqueState.TRACKING)
        self.assertEqual(latest.prediction_horizon, 0.0025)
        self.assertEqual(len(latest.joint_names), 3)
        # The payload pulls at the upright joint; the observer feels it.
        self.assertAlmostEqual(abs(latest.external_torque[0]), 0.5 * 9.81, delta=1.0)
        self.assertEqual(list(user.latest['dynamics/joint_dynamics'].joint_names),
                         list(latest.joint_names))

    def test_the_controller_may_be_alone(self, alone):
        user = User()
        self.addCleanup(user.close)
        user.listen(ComputedTorqueState, 'alone/computed_torque_controller/controller_state', 1)
        user.listen(JointDynamics, 'alone/dynamics/joint_dynamics', 1)
        for topic in user.counts:
            self.assertTrue(user.wait_for_more(topic, 20), topic)
        os.remove(alone)
        names = [name for name, place in user.node.get_node_names_and_namespaces()
                 if place == f'{unique_namespace()}/alone']
        self.assertIn('computed_torque_controller', names)
        self.assertNotIn('joint_trajectory_controller', names)
