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

"""The recorder writes a log that holds what was published, line by line."""

import math
import os
import signal
import tempfile
import unittest

from dyn_ros_testing import unique_namespace, User
from launch import LaunchDescription
from launch_ros.actions import Node
import launch_testing.actions
import launch_testing.asserts
import launch_testing.markers
import pytest
from sensor_msgs.msg import JointState

LOG = os.path.join(tempfile.mkdtemp(), 'log.csv')


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
@launch_testing.ready_to_test_action_timeout(600)
def generate_test_description():
    """Start a recorder that ends by itself."""
    recorder = Node(
        package='dyn_ros', executable='record_log.py', namespace=unique_namespace(),
        arguments=['-o', LOG, '--duration', '0.5', '--joints', 'b', 'a'])
    description = LaunchDescription([recorder, launch_testing.actions.ReadyToTest()])
    return description, {'recorder': recorder}


class TestRecorder(unittest.TestCase):
    """A robot that also says things that do not belong into a log."""

    def test_log(self, proc_info, proc_output, recorder):
        """Shuffled joints, others', a state without efforts, one that is not finite, one twice."""
        user = User()
        try:
            publisher = user.node.create_publisher(JointState, 'joint_states', 1000)
            self.assertTrue(user.wait(lambda: publisher.get_subscription_count() > 0))
            user.wait(lambda: False, 2)  # for the recorder to know the publisher, too
            for k in range(60):
                message = JointState(name=['a', 'finger', 'b'], position=[k + 0.5, 9.0, -k / 7])
                message.header.stamp.sec = 1700000000
                message.header.stamp.nanosec = 10_000_000 * k
                message.velocity = [0.1 * k, 9.0, 0.2]
                message.effort = [] if k == 3 else [1.0, 9.0, math.nan if k == 4 else 2.0 * k]
                publisher.publish(message)
                publisher.publish(message)
        finally:
            user.close()
        proc_info.assertWaitForShutdown(process=recorder, timeout=600)
        with open(LOG, encoding='utf-8') as file:
            lines = file.read().splitlines()
        self.assertEqual(lines[0], 't,q_b,q_a,qd_b,qd_a,tau_b,tau_a')
        rows = [[float(value) for value in line.split(',')] for line in lines[1:]]
        wanted = [[0.01 * k, -k / 7, k + 0.5, 0.2, 0.1 * k, 2.0 * k, 1.0]
                  for k in range(51) if k not in (3, 4)]
        self.assertEqual(len(rows), len(wanted))
        for row, want in zip(rows, wanted):
            self.assertEqual(row[1:], want[1:])
            self.assertAlmostEqual(row[0], want[0], delta=1e-6)


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):
    """After the end."""

    def test_exit_code(self, proc_info, recorder):
        """It ends by itself, in peace."""
        launch_testing.asserts.assertExitCodes(
            proc_info, process=recorder, allowable_exit_codes=[0, -signal.SIGINT])
