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


"""Every robot of config/robots, on an arm that behaves like it: at rest, moved, at rest again."""

import os
import unittest

from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from dyn_bringup.arm import config
from dyn_msgs.msg import ComputedTorqueState, JointDynamics
from dyn_ros_testing import own_lock, robot_path, unique_namespace, User
from launch import LaunchDescription
from launch.actions import GroupAction, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_ros.substitutions import FindPackageShare
import launch_testing.actions
import launch_testing.markers
import pytest
from rclpy.action import ActionClient
from rclpy.duration import Duration
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

ROBOTS = sorted(name[:-len('.yaml')] for name in os.listdir(config('robots')))
SIX_JOINTS = {'universal_robots': 'puma560'}
GRAVITY_BY_HARDWARE = {'franka_fr3', 'franka_panda', 'kuka_iiwa_fri', 'universal_robots'}
WITHOUT_GRAVITY = {'universal_robots'}
HERE = unique_namespace()
FRICTION = 4.0  # N m or less, of every joint of these arms
STEP = 0.4  # rad


def arm(robot):
    """Include computed_torque.launch.py with an arm in the manner of a robot."""
    return GroupAction([own_lock(), IncludeLaunchDescription(
        PythonLaunchDescriptionSource(
            [FindPackageShare('dyn_bringup'), '/launch/computed_torque.launch.py']),
        launch_arguments={
            'urdf': robot_path(SIX_JOINTS.get(robot, 'arm7')), 'tip': 'tool0', 'rviz': 'false',
            'robot': robot, 'namespace': f'{HERE}/{robot}'}.items())],
        scoped=True, forwarding=False)


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
@launch_testing.ready_to_test_action_timeout(600)
def generate_test_description():
    """Start an arm in the manner of every robot."""
    return LaunchDescription([*map(arm, ROBOTS), launch_testing.actions.ReadyToTest()])


class TestPresets(unittest.TestCase):
    """While they run."""

    def test_every_robot_bears_its_weight_and_moves(self):
        user = User()
        self.addCleanup(user.close)
        for robot in ROBOTS:
            user.listen(ComputedTorqueState,
                        f'{robot}/computed_torque_controller/controller_state', 1)
            user.listen(JointDynamics, f'{robot}/dynamics/joint_dynamics', 1)
            user.listen(JointState, f'{robot}/joint_states', 1)
        for topic in user.counts:
            self.assertTrue(user.wait_for_more(topic, 5), topic)
        for robot in ROBOTS:
            with self.subTest(robot=robot, when='at first'):
                self.check_torque(user, robot)
        goals = {robot: self.send(user, robot) for robot in ROBOTS}
        for robot, (goal, future) in goals.items():
            with self.subTest(robot=robot, when='moved'):
                self.assertTrue(user.wait(future.done), 'the motion does not end')
                self.assertEqual(future.result().status, GoalStatus.STATUS_SUCCEEDED)
                topic = f'{robot}/computed_torque_controller/controller_state'
                at_rest = user.wait(lambda: user.wait_for_more(topic, 1) and max(
                    map(abs, user.latest[topic].feedback.velocities)) < 0.01)
                self.assertTrue(at_rest, 'it does not come to rest')
                state = user.latest[topic]
                self.assertEqual(state.mode, ComputedTorqueState.TRACKING)
                off = max(abs(q - wanted) for q, wanted in zip(state.feedback.positions, goal))
                print(f'{robot}: {1e3 * off:.1f} mrad from its goal')
                self.assertLess(off, 0.02)
                gravity = self.check_torque(user, robot)
                self.assertGreater(max(map(abs, gravity)), 3.0 * FRICTION, 'nothing to bear')

    def check_torque(self, user, robot):
        """Compare command and effort state with gravity, where they should have it; return it."""
        for topic in user.counts:
            if topic.startswith(robot):
                self.assertTrue(user.wait_for_more(topic, 3), topic)
        state = user.latest[f'{robot}/computed_torque_controller/controller_state']
        gravity = user.latest[f'{robot}/dynamics/joint_dynamics'].gravity_torque
        efforts = dict(zip(user.latest[f'{robot}/joint_states'].name,
                           user.latest[f'{robot}/joint_states'].effort))
        own = 0.0 if robot in GRAVITY_BY_HARDWARE else 1.0
        reported = 0.0 if robot in WITHOUT_GRAVITY else 1.0
        for joint, torque, g in zip(state.joint_names, state.output.effort, gravity):
            self.assertAlmostEqual(torque, own * g, delta=FRICTION, msg=joint)
            self.assertAlmostEqual(efforts[joint], reported * g, delta=FRICTION, msg=joint)
        return gravity

    def send(self, user, robot):
        """Send every joint a little way; return the goal and the future of the result."""
        state = user.latest[f'{robot}/computed_torque_controller/controller_state']
        goal = [q + STEP for q in state.feedback.positions]
        zeros = [0.0] * len(goal)
        client = ActionClient(
            user.node, FollowJointTrajectory,
            f'{HERE}/{robot}/joint_trajectory_controller/follow_joint_trajectory')
        self.assertTrue(user.wait(client.server_is_ready), robot)
        point = JointTrajectoryPoint(positions=goal, velocities=zeros, accelerations=zeros,
                                     time_from_start=Duration(seconds=2.0).to_msg())
        sent = client.send_goal_async(FollowJointTrajectory.Goal(
            trajectory=JointTrajectory(joint_names=state.joint_names, points=[point])))
        self.assertTrue(user.wait(sent.done) and sent.result().accepted, robot)
        return goal, sent.result().get_result_async()
