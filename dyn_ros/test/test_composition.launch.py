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

"""Both components in one process with intra-process transport, in simulated time."""

import unittest

from dyn_msgs.msg import JointDynamics, ModelReport
from dyn_ros_testing import LATCHED, read_robot, unique_namespace, User
from launch import LaunchDescription
from launch_ros.actions import ComposableNodeContainer
from launch_ros.descriptions import ComposableNode
import launch_testing.actions
import launch_testing.markers
import pytest
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from visualization_msgs.msg import MarkerArray


def make_container():
    """Return a container with description, motion and dynamics of one arm."""
    description = {'robot_description': read_robot('arm7')}
    common = {
        'namespace': unique_namespace(),
        'extra_arguments': [{'use_intra_process_comms': True}],
        'remappings': [('/clock', f'{unique_namespace()}/clock')],
    }
    settings = {'tip_link': 'tool0', 'use_sim_time': True}
    nodes = [
        ComposableNode(package='robot_state_publisher',
                       plugin='robot_state_publisher::RobotStatePublisher',
                       parameters=[description], **common),
        ComposableNode(package='dyn_ros', plugin='dyn_ros::MotionPlayer',
                       parameters=[settings], **common),
        ComposableNode(package='dyn_ros', plugin='dyn_ros::DynamicsNode',
                       parameters=[settings], **common),
    ]
    return ComposableNodeContainer(
        package='rclcpp_components', executable='component_container', name='container',
        namespace=unique_namespace(), composable_node_descriptions=nodes)


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
@launch_testing.ready_to_test_action_timeout(600)
def generate_test_description():
    """Start the container."""
    return LaunchDescription([
        make_container(),
        launch_testing.actions.ReadyToTest(),
    ])


class TestComposition(unittest.TestCase):
    """While it runs."""

    def test_everything_arrives_with_the_simulated_time(self):
        user = User()
        self.addCleanup(user.close)
        clock = user.node.create_publisher(Clock, 'clock', 10)
        time = Clock()
        time.clock.sec = 5000

        def tick():
            time.clock.nanosec += 10000000
            if time.clock.nanosec >= 1000000000:
                time.clock.sec += 1
                time.clock.nanosec -= 1000000000
            clock.publish(time)

        user.node.create_timer(0.01, tick)
        topics = {
            'joint_states': JointState,
            'dynamics/joint_dynamics': JointDynamics,
            'dynamics/markers': MarkerArray,
        }
        for topic, message_type in topics.items():
            user.listen(message_type, topic)
        user.listen(ModelReport, 'dynamics/model_report', LATCHED)
        for topic in topics:
            self.assertTrue(user.wait_for_more(topic, 20), topic)
        stamp = user.latest['dynamics/joint_dynamics'].header.stamp
        self.assertGreaterEqual(stamp.sec, 5000)
        self.assertLessEqual(stamp.sec, time.clock.sec)
        self.assertEqual(len(user.latest['dynamics/joint_dynamics'].joint_names), 7)
        self.assertTrue(user.wait(lambda: 'dynamics/model_report' in user.latest))
        self.assertEqual(user.latest['dynamics/model_report'].robot_name, 'arm7')
        spaces = {marker.ns for marker in user.latest['dynamics/markers'].markers}
        self.assertIn('predicted_motion', spaces)
