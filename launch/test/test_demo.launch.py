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


"""demo.launch.py: arm7 moves, and its dynamics with it."""

import math
import unittest

from dyn_msgs.msg import ComputedTorqueState, JointDynamics, ModelReport
from dyn_ros_testing import LATCHED, unique_namespace, User
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_ros.substitutions import FindPackageShare
import launch_testing.actions
import launch_testing.markers
import pytest
from sensor_msgs.msg import JointState


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
@launch_testing.ready_to_test_action_timeout(600)
def generate_test_description():
    """Start the demo as ./run does, without rviz."""
    arguments = {'namespace': unique_namespace(), 'rviz': 'false'}
    return LaunchDescription([
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(
                [FindPackageShare('dyn_bringup'), '/launch/demo.launch.py']),
            launch_arguments=arguments.items()),
        launch_testing.actions.ReadyToTest(),
    ])


class TestDemo(unittest.TestCase):
    """While it runs."""

    def speed(self, user):
        """Return the length of the arm's velocity."""
        return math.hypot(*user.latest['dynamics/joint_dynamics'].velocity)

    def test_arm7_moves_and_its_dynamics_follow(self):
        user = User()
        self.addCleanup(user.close)
        user.listen(JointDynamics, 'dynamics/joint_dynamics')
        user.listen(ModelReport, 'dynamics/model_report', LATCHED)
        self.assertTrue(user.wait_for_more('dynamics/joint_dynamics', 1))
        first = user.latest['dynamics/joint_dynamics']
        self.assertTrue(user.wait_for_more('dynamics/joint_dynamics', 50))
        self.assertTrue(user.wait(lambda: self.speed(user) > 0.3))
        last = user.latest['dynamics/joint_dynamics']
        self.assertEqual(list(last.joint_names), [f'joint{i + 1}' for i in range(7)])
        self.assertNotEqual(first.position, last.position)
        self.assertNotEqual(first.gravity_torque, last.gravity_torque)
        self.assertGreater(last.kinetic_energy, 0.0)
        self.assertTrue(user.wait(lambda: 'dynamics/model_report' in user.latest))
        for arm in ('', 'unpredicted/'):
            topic = f'{arm}computed_torque_controller/controller_state'
            user.listen(ComputedTorqueState, topic)
            self.assertTrue(user.wait_for_more(topic, 5))
            self.assertEqual(user.latest[topic].mode, ComputedTorqueState.TRACKING)
            self.assertEqual(len(user.latest[topic].predicted_position), 0 if arm else 7)
        # The gripper, too, is somewhere.
        user.listen(JointState, 'joint_states')
        self.assertTrue(user.wait_for_more('joint_states', 1))
        self.assertIn('finger_left', user.latest['joint_states'].name)
        self.assertTrue(all(map(math.isfinite, user.latest['joint_states'].position)))
        report = user.latest['dynamics/model_report']
        self.assertEqual((report.robot_name, report.tip_link), ('arm7', 'tool0'))


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):
    """After Ctrl-C."""

    def test_all_end_cleanly(self, proc_info):
        for name in proc_info.process_names():
            # A spawner that has done its work may still be on its way out: Ctrl-C ends it with -2.
            allowed = (0, -2) if 'spawner' in name else (0,)
            self.assertIn(proc_info[name].returncode, allowed, name)
