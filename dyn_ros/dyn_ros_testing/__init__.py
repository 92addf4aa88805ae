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

"""What launch tests share: robots, and a listener that waits instead of sleeping."""

import os
import tempfile
import time

from ament_index_python.packages import get_package_share_directory
from launch.actions import SetEnvironmentVariable
import rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def unique_namespace():
    """Return a namespace of this test run: others on the domain do not hear it."""
    return f'/test{os.getpid()}'


def robot_path(name):
    """Return the path of one of dyn_core's robot descriptions."""
    return os.path.join(get_package_share_directory('dyn_core'), 'robots', f'{name}.urdf')


def read_robot(name):
    """Return the text of one of dyn_core's robot descriptions."""
    with open(robot_path(name), encoding='utf-8') as file:
        return file.read()


def own_lock():
    """Return what keeps a spawner from waiting for those of other managers."""
    return SetEnvironmentVariable('ROS_HOME', tempfile.mkdtemp())


class User:
    """A node that listens, calls and waits."""

    def __init__(self):
        rclpy.init()
        self.node = rclpy.create_node('user', namespace=unique_namespace())
        self.latest = {}
        self.counts = {}

    def close(self):
        """Leave the graph."""
        self.node.destroy_node()
        rclpy.shutdown()

    def listen(self, message_type, topic, qos=10):
        """Keep the latest message of a topic and count them."""
        self.counts[topic] = 0

        def take(message):
            self.latest[topic] = message
            self.counts[topic] += 1

        self.node.create_subscription(message_type, topic, take, qos)

    def wait(self, condition, seconds=600):
        """Spin until the condition holds; return whether it did."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                return False
            rclpy.spin_once(self.node, timeout_sec=0.05)
        return True

    def wait_for_more(self, topic, count=5):
        """Spin until so many further messages have come."""
        goal = self.counts[topic] + count
        return self.wait(lambda: self.counts[topic] >= goal)

    def call(self, service_type, name, request):
        """Return the response of a service."""
        client = self.node.create_client(service_type, name)
        assert self.wait(client.service_is_ready), f'{name} is not there'
        future = client.call_async(request)
        assert self.wait(future.done), f'{name} does not answer'
        return future.result()
