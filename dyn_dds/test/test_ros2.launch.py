"""dyn_serve as ROS 2 sees it: graph, types, QoS, bytes, services, commands, tools."""

import os
import subprocess
import time
import unittest

from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance
from diagnostic_msgs.msg import DiagnosticArray
from dyn_msgs.msg import CoriolisMatrix, DhChain, DiagonalizedDynamics, JointDynamics, MassMatrix
from dyn_msgs.msg import ModelReport
from dyn_msgs.srv import ForwardDynamics, GetDynamics, InverseDynamics
from geometry_msgs.msg import WrenchStamped
from launch import LaunchDescription
from launch.actions import ExecuteProcess
from launch_ros.actions import Node
import launch_testing.actions
import pytest
import rclpy
from rclpy.action import ActionClient
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from visualization_msgs.msg import MarkerArray

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
TOPICS = {
    '/joint_states': JointState, '/robot_description': String, '/tf': TFMessage,
    '/tf_static': TFMessage, '/dynamics/mass_matrix': MassMatrix,
    '/dynamics/joint_dynamics': JointDynamics, '/dynamics/coriolis_matrix': CoriolisMatrix,
    '/dynamics/diagonalized': DiagonalizedDynamics, '/dynamics/torque/gravity': JointState,
    '/dynamics/torque/coriolis': JointState, '/dynamics/residual': JointState,
    '/dynamics/external_wrench': WrenchStamped, '/diagnostics': DiagnosticArray,
    '/dynamics/dh_chain': DhChain,
    '/dynamics/model_report': ModelReport, '/dynamics/markers': MarkerArray}
LATCHED_TOPICS = (
    '/robot_description', '/tf_static', '/dynamics/dh_chain', '/dynamics/model_report')


@pytest.mark.launch_test
def generate_test_description():
    """Start dyn_serve as on a machine without ROS, and a robot_state_publisher that it feeds."""
    with open(os.environ['DYN_ROBOT'], encoding='utf-8') as file:
        description = file.read()
    server = ExecuteProcess(
        cmd=['env', '-u', 'LD_LIBRARY_PATH', os.environ['DYN_SERVE'], os.environ['DYN_ROBOT'],
             '--tip=tool0'], sigterm_timeout='20')
    publisher = Node(
        package='robot_state_publisher', executable='robot_state_publisher', namespace='other',
        parameters=[{'robot_description': description}],
        remappings=[('/tf', '/other/tf'), ('/tf_static', '/other/tf_static'),
                    ('joint_states', '/joint_states')])
    return LaunchDescription([server, publisher, launch_testing.actions.ReadyToTest()])


class TestWithRos2(unittest.TestCase):
    """A ROS 2 node listens, calls and commands."""

    @classmethod
    def setUpClass(cls):
        """Join the graph."""
        rclpy.init()
        cls.node = rclpy.create_node('user')

    @classmethod
    def tearDownClass(cls):
        """Leave the graph."""
        cls.node.destroy_node()
        rclpy.shutdown()

    def wait(self, done, what, seconds=60.0):
        """Spin until done."""
        end = time.monotonic() + seconds
        while not done():
            self.assertLess(time.monotonic(), end, what)
            rclpy.spin_once(self.node, timeout_sec=0.05)

    def first(self, message_type, topic, raw=False):
        """Return the next message of a topic."""
        heard = []
        qos = LATCHED if topic in LATCHED_TOPICS else 10
        subscription = self.node.create_subscription(
            message_type, topic, heard.append, qos, raw=raw)
        self.wait(lambda: heard, topic)
        self.node.destroy_subscription(subscription)
        return heard[0]

    def call(self, service_type, name, request):
        """Call a service."""
        client = self.node.create_client(service_type, f'/dynamics/{name}')
        self.wait(client.service_is_ready, name)
        future = client.call_async(request)
        self.wait(future.done, name)
        self.node.destroy_client(client)
        return future.result()

    def test_graph(self):
        """Show nodes, topics and services under their names and types."""
        self.wait(lambda: {'arm', 'dynamics'} <= set(self.node.get_node_names()), 'nodes')
        topics = dict(self.node.get_publisher_names_and_types_by_node('dynamics', '/'))
        topics.update(self.node.get_publisher_names_and_types_by_node('arm', '/'))
        for topic, message_type in TOPICS.items():
            package = message_type.__module__.split('.')[0]
            self.assertEqual(topics[topic], [f'{package}/msg/{message_type.__name__}'])
        services = dict(self.node.get_service_names_and_types_by_node('dynamics', '/'))
        self.assertEqual(services['/dynamics/get_dynamics'], ['dyn_msgs/srv/GetDynamics'])
        self.assertEqual(len(services), 8)
        commands = dict(self.node.get_subscriber_names_and_types_by_node('arm', '/'))
        self.assertEqual(commands['/joint_trajectory'], ['trajectory_msgs/msg/JointTrajectory'])

    def test_hashes_and_qos(self):
        """Announce the type hashes of ROS 2's own publishers, and the promised QoS."""
        for topic, message_type in TOPICS.items():
            own = self.node.create_publisher(message_type, f'/own{topic}', 1)
            self.wait(lambda: self.node.get_publishers_info_by_topic(topic), topic)
            self.wait(lambda: self.node.get_publishers_info_by_topic(f'/own{topic}'), 'own')
            theirs = self.node.get_publishers_info_by_topic(topic)[0]
            mine = self.node.get_publishers_info_by_topic(f'/own{topic}')[0]
            self.assertEqual(theirs.topic_type_hash, mine.topic_type_hash, topic)
            self.assertIn(theirs.node_name, ('arm', 'dynamics'))
            self.assertEqual(theirs.qos_profile.reliability, ReliabilityPolicy.RELIABLE)
            latched = theirs.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
            self.assertEqual(latched, topic in LATCHED_TOPICS)
            self.node.destroy_publisher(own)

    def test_bytes(self):
        """Write the bytes that ROS 2 writes for the same message."""
        for topic, message_type in TOPICS.items():
            data = self.first(message_type, topic, raw=True)
            own = self.node.create_publisher(message_type, f'/bytes{topic}', LATCHED)
            own.publish(deserialize_message(data, message_type))
            heard = []
            self.node.create_subscription(
                message_type, f'/bytes{topic}', heard.append, LATCHED, raw=True)
            self.wait(lambda: heard, topic)
            # Byte 3 only says how much padding there is at the end; rmw leaves it zero.
            self.assertEqual(data[:3] + data[4:], heard[0][:3] + heard[0][4:], topic)

    def test_services(self):
        """Answer, agree with each other, and refuse in a sentence."""
        state = {'position': [0.1] * 7, 'velocity': [0.2] * 7}
        dynamics = self.call(GetDynamics, 'get_dynamics', GetDynamics.Request(**state))
        self.assertTrue(dynamics.success, dynamics.message)
        torque = self.call(InverseDynamics, 'inverse_dynamics',
                           InverseDynamics.Request(friction=True, **state))
        for got, wanted in zip(torque.torque, dynamics.bias_torque):
            self.assertAlmostEqual(got, wanted, places=9)
        back = self.call(ForwardDynamics, 'forward_dynamics',
                         ForwardDynamics.Request(torque=torque.torque, friction=True, **state))
        self.assertTrue(all(abs(a) < 1e-6 for a in back.acceleration), back.acceleration)
        refused = self.call(GetDynamics, 'get_dynamics', GetDynamics.Request(position=[1.0]))
        self.assertFalse(refused.success)
        self.assertIn('7 joints', refused.message)

    def test_robot_state_publisher_agrees(self):
        """Feed a robot_state_publisher, which has the same frames."""
        own = {t.child_frame_id: t.transform for t in self.first(TFMessage, '/tf').transforms}
        other = self.first(TFMessage, '/other/tf').transforms
        self.assertEqual(set(own), {t.child_frame_id for t in other})

    def test_tools(self):
        """Satisfy the command-line tools without a word on stderr."""
        for arguments in (['topic', 'echo', '--once', '/dynamics/joint_dynamics', '--no-daemon'],
                          ['topic', 'info', '-v', '/joint_states', '--no-daemon'],
                          ['node', 'info', '/dynamics', '--no-daemon']):
            done = subprocess.run(['ros2', *arguments], capture_output=True, text=True,
                                  timeout=300, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ''), arguments)

    def follow(self, client, tolerance, cancel=False):
        """Send a goal; return status and error code of its result, and the feedback."""
        feedback = []
        point = JointTrajectoryPoint(positions=[0.1] * 7)
        point.time_from_start.sec = 20 if cancel else 1
        goal = FollowJointTrajectory.Goal()
        goal.trajectory.joint_names = [f'joint{i}' for i in range(1, 8)]
        goal.trajectory.points = [point]
        goal.path_tolerance = [JointTolerance(name='joint2', position=tolerance)]
        sent = client.send_goal_async(goal, feedback_callback=feedback.append)
        self.wait(sent.done, 'the goal is answered')
        self.assertTrue(sent.result().accepted)
        if cancel:
            cancelled = sent.result().cancel_goal_async()
            self.wait(cancelled.done, 'the cancellation is answered')
            self.assertEqual(len(cancelled.result().goals_canceling), 1)
        result = sent.result().get_result_async()
        self.wait(result.done, 'the result')
        return result.result().status, result.result().result.error_code, feedback

    def test_action(self):
        """Follow the goals of an action client, and say how it fared."""
        client = ActionClient(self.node, FollowJointTrajectory, '/follow_joint_trajectory')
        self.wait(client.server_is_ready, 'the action')
        status, code, feedback = self.follow(client, 0.5)
        self.assertEqual((status, code), (GoalStatus.STATUS_SUCCEEDED, 0))
        for message in feedback:
            self.assertEqual(len(message.feedback.desired.positions), 7)
        status, code, _ = self.follow(client, 1e-12)
        self.assertEqual((status, code), (GoalStatus.STATUS_ABORTED, -4))
        status, code, _ = self.follow(client, 0.5, cancel=True)
        self.assertEqual((status, code), (GoalStatus.STATUS_CANCELED, 0))
        client.destroy()

    def test_zz_command(self):
        """Move where a JointTrajectory says."""
        publisher = self.node.create_publisher(JointTrajectory, '/joint_trajectory', 10)
        self.wait(lambda: publisher.get_subscription_count() == 1, 'the arm listens')
        point = JointTrajectoryPoint(positions=[0.3] * 7)
        point.time_from_start.sec = 1
        names = [f'joint{i}' for i in range(7, 0, -1)]
        latest = {}
        sent = []

        def arrived():
            # The first one may be lost: the arm may know its writer later than the writer the arm.
            if not sent or time.monotonic() > sent[-1] + 10.0:
                publisher.publish(JointTrajectory(joint_names=names, points=[point]))
                sent.append(time.monotonic())
            return latest and all(abs(latest[n] - 0.3) < 2e-3 for n in names)

        subscription = self.node.create_subscription(
            JointState, '/joint_states', lambda m: latest.update(zip(m.name, m.position)), 10)
        self.wait(arrived, 'arrival')
        self.node.destroy_subscription(subscription)
