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


"""inspect.launch.py: a .xacro and a .urdf with names of their own, and a robot that is running."""

import os
import tempfile
import unittest

from dyn_bringup.arm import config
from dyn_msgs.msg import JointDynamics, MassMatrix, ModelReport
from dyn_ros_testing import LATCHED, read_robot, unique_namespace, User
from launch import LaunchDescription
from launch.actions import GroupAction, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare
import launch_testing.actions
import launch_testing.asserts
import launch_testing.markers
import pytest
from rcl_interfaces.srv import GetParameters, ListParameters
from rclpy.parameter import parameter_value_to_python
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray
import yaml

# Not of dyn_ros, or only given at start.
OTHER_PARAMETERS = ('qos_overrides', 'use_sim_time', 'start_type_description_service',
                    'robot_description')


def inspect(place, **arguments):
    """Include inspect.launch.py with names of its own and these arguments."""
    arguments.update(namespace=f'{unique_namespace()}/{place}', rviz='false')
    return GroupAction([IncludeLaunchDescription(
        PythonLaunchDescriptionSource(
            [FindPackageShare('dyn_bringup'), '/launch/inspect.launch.py']),
        launch_arguments=arguments.items())], scoped=True, forwarding=False)


def write_xacro():
    """Return the path of arm7 as a .xacro file whose name is an argument."""
    text = read_robot('arm7').replace(
        '<robot name="arm7">',
        '<robot name="$(arg name)" xmlns:xacro="http://www.ros.org/wiki/xacro">')
    with tempfile.NamedTemporaryFile('w', suffix='.urdf.xacro', delete=False) as file:
        file.write(text)
    return file.name


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
@launch_testing.ready_to_test_action_timeout(600)
def generate_test_description():
    """Start three of them, and both nodes without parameter files."""
    xacro = write_xacro()
    bare = {'namespace': f'{unique_namespace()}/bare'}
    description = LaunchDescription([
        inspect('left', urdf=xacro, xacro_args='name:=left_arm', tip='tool0',
                frame_prefix='left/'),
        inspect('right', urdf='package://dyn_core/robots/puma560.urdf', motion='none',
                base='link1', respawn='true'),
        inspect('running', tip='tool0'),
        Node(package='dyn_ros', executable='dynamics_node', **bare),
        Node(package='dyn_ros', executable='motion_player', **bare),
        launch_testing.actions.ReadyToTest(),
    ])
    return description, {'xacro': xacro}


class TestInspect(unittest.TestCase):
    """While they run."""

    def setUp(self):
        self.user = User()

    def tearDown(self):
        self.user.close()

    def test_a_xacro_moves_under_its_names(self, xacro):
        user = self.user
        user.listen(JointDynamics, 'left/dynamics/joint_dynamics')
        user.listen(MarkerArray, 'left/dynamics/markers')
        user.listen(ModelReport, 'left/dynamics/model_report', LATCHED)
        user.listen(TFMessage, '/tf')
        self.assertTrue(user.wait_for_more('left/dynamics/joint_dynamics', 10))
        self.assertTrue(user.wait_for_more('left/dynamics/markers'))
        dynamics = user.latest['left/dynamics/joint_dynamics']
        self.assertEqual(dynamics.header.frame_id, 'left/base_link')
        self.assertEqual(len(dynamics.effort), 7)
        self.assertNotEqual(dynamics.velocity, [0.0] * 7)
        self.assertTrue(user.wait(lambda: 'left/dynamics/model_report' in user.latest))
        self.assertEqual(user.latest['left/dynamics/model_report'].robot_name, 'left_arm')
        self.assertTrue(user.wait(lambda: '/tf' in user.latest and any(
            frame.child_frame_id.startswith('left/')
            for frame in user.latest['/tf'].transforms)))
        os.remove(xacro)

    def test_joint_states_may_come_from_others(self):
        user = self.user
        user.listen(ModelReport, 'right/dynamics/model_report', LATCHED)
        report = 'right/dynamics/model_report'
        self.assertTrue(user.wait(lambda: report in user.latest and user.latest[report].loaded))
        self.assertEqual(user.latest[report].base_link, 'link1')
        self.assertEqual(len(user.latest[report].joint_names), 5)

    def test_a_robot_may_be_running_already(self):
        user = self.user
        user.listen(MassMatrix, 'running/dynamics/mass_matrix')
        description = user.node.create_publisher(String, 'running/robot_description', LATCHED)
        description.publish(String(data=read_robot('arm7')))
        states = user.node.create_publisher(JointState, 'running/joint_states', 10)
        names = [f'joint{i + 1}' for i in range(7)]
        user.node.create_timer(0.05, lambda: states.publish(
            JointState(name=names, position=[0.1] * 7)))
        self.assertTrue(user.wait(lambda: 'running/dynamics/mass_matrix' in user.latest))
        self.assertEqual(len(user.latest['running/dynamics/mass_matrix'].data), 49)

    def parameters(self, node):
        """Return the parameters of a node that are its own."""
        names = self.user.call(ListParameters, f'bare/{node}/list_parameters',
                               ListParameters.Request()).result.names
        names = [name for name in names if not name.startswith(OTHER_PARAMETERS)]
        values = self.user.call(GetParameters, f'bare/{node}/get_parameters',
                                GetParameters.Request(names=names)).values
        return {name: parameter_value_to_python(value) for name, value in zip(names, values)}

    def test_the_parameter_files_hold_all_parameters_and_their_defaults(self):
        for node in ('dynamics', 'motion_player'):
            with open(config(f'{node}.yaml'), encoding='utf-8') as file:
                text = file.read()
            present = {name: list(value) if hasattr(value, 'tolist') else value
                       for name, value in self.parameters(node).items()}
            # A parameter file cannot hold an empty list: those are shown in comments.
            for name in [name for name, value in present.items() if value == []]:
                self.assertRegex(text, f'# +{name.split(".")[-1]}: ')
                del present[name]
            self.assertEqual(flat(yaml.safe_load(text)['/**']['ros__parameters']), present)


def flat(tree, prefix=''):
    """Return nested parameters with names joined by dots."""
    parameters = {}
    for name, value in tree.items():
        below = flat(value, f'{prefix}{name}.') if isinstance(value, dict) else {
            f'{prefix}{name}': value}
        parameters.update(below)
    return parameters


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):
    """After Ctrl-C."""

    def test_all_end_cleanly(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
