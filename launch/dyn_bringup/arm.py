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


"""Arguments that several launch files have, and the nodes they describe."""

import os

from ament_index_python.packages import get_package_share_directory
from dyn_bringup import description, rviz
from launch.actions import DeclareLaunchArgument, LogInfo
import launch.logging
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

ARM7 = os.path.join(get_package_share_directory('dyn_core'), 'robots', 'arm7.urdf')


def config(name):
    """Return the path of a file in the package's folder config."""
    return os.path.join(get_package_share_directory('dyn_bringup'), 'config', name)


def common_arguments():
    """Return the arguments that every launch file for one arm has."""
    return [
        DeclareLaunchArgument(
            'xacro_args', default_value='',
            description="Arguments for a .xacro file, such as 'name:=left gripper:=true'."),
        DeclareLaunchArgument(
            'base', default_value='',
            description='First link of the chain. Empty: the root link.'),
        DeclareLaunchArgument(
            'tip', default_value='',
            description='Last link of the chain. Empty: where the arm ends, before its hand and '
                        'its wheels.'),
        DeclareLaunchArgument(
            'allow_nonphysical', default_value='false', choices=['true', 'false'],
            description='Accept negative masses and inertias that no body has.'),
        DeclareLaunchArgument(
            'estimate_inertia', default_value='',
            description='For the dynamics node, links without mass get bodies of their shapes: '
                        "geometry (as dense as water) or the robot's total mass in kg. Empty: "
                        'such a robot has kinematics only.'),
        DeclareLaunchArgument(
            'mesh_path', default_value='',
            description='With estimate_inertia: folders where meshes may be, with a colon '
                        'between them.'),
        DeclareLaunchArgument(
            'namespace', default_value='',
            description='Namespace of all nodes and topics; tells two arms apart.'),
        DeclareLaunchArgument(
            'frame_prefix', default_value='',
            description="Put before every frame's name, such as left/; tells two arms apart."),
        DeclareLaunchArgument(
            'params', default_value=config('dynamics.yaml'),
            description='Parameter file of the dynamics node.'),
        DeclareLaunchArgument(
            'respawn', default_value='false', choices=['true', 'false'],
            description='Start the dynamics node again whenever it ends.'),
        DeclareLaunchArgument(
            'view', default_value='false', choices=['true', 'false'],
            description='Show the arm and its dynamics on a page in the browser.'),
        DeclareLaunchArgument(
            'view_port', default_value='8080',
            description='Port of that page, on the loopback of this machine.'),
        DeclareLaunchArgument(
            'rviz', default_value='auto', choices=['auto', 'true', 'false'],
            description='Show rviz. auto: where there is a display and rviz2.'),
        DeclareLaunchArgument(
            'rviz_config', default_value=config('inspect.rviz'),
            description='Configuration of rviz; names and size of the robot are put into it.'),
        DeclareLaunchArgument(
            'use_sim_time', default_value='false', choices=['true', 'false'],
            description='Take the time from the topic /clock.'),
    ]


class Arm:
    """The nodes for one arm, from the launch arguments of a context."""

    def __init__(self, context):
        """Read the arguments; the RuntimeError's text says what is wrong with the robot."""
        self.context = context
        self.allows_nonphysical = self.argument('allow_nonphysical') == 'true'
        urdf = self.argument('urdf')
        self.description = description.read(urdf, self.argument('xacro_args')) if urdf else ''

    def argument(self, name):
        """Return the value of a launch argument."""
        return LaunchConfiguration(name).perform(self.context)

    def node(self, package, executable, *parameters, **options):
        """Return a node of this arm in its namespace and time."""
        time = {'use_sim_time': self.argument('use_sim_time') == 'true'}
        return Node(package=package, executable=executable, output='screen',
                    namespace=self.argument('namespace'), parameters=[*parameters, time],
                    **options)

    def names(self, **parameters):
        """Return the parameters of a chain that are given, and further ones."""
        names = {'base_link': self.argument('base'), 'tip_link': self.argument('tip')}
        return {name: ParameterValue(value, value_type=str)
                for name, value in {**names, **parameters}.items() if value}

    def state_publisher(self):
        """Return robot_state_publisher, which makes robot_description and the frames known."""
        text = ParameterValue(self.description, value_type=str)
        prefix = ParameterValue(self.argument('frame_prefix'), value_type=str)
        return self.node('robot_state_publisher', 'robot_state_publisher',
                         {'robot_description': text, 'frame_prefix': prefix})

    def motion_player(self):
        """Return the node that publishes joint_states of a smooth motion."""
        return self.node('dyn_ros', 'motion_player',
                         self.argument('motion_params'), self.names())

    def sliders(self):
        """Return a window with a slider for each joint."""
        package = 'joint_state_publisher_gui'
        if not rviz.has_package(package):
            raise RuntimeError(f'motion:=sliders needs {package}: install it, or give '
                               'motion:=player')
        return self.node(package, package)

    def dynamics_parameters(self):
        """Return the parameters of the dynamics node that are given as arguments."""
        given = self.names(frame_prefix=self.argument('frame_prefix'),
                           estimate_inertia=self.argument('estimate_inertia'))
        folders = [folder for folder in self.argument('mesh_path').split(':') if folder]
        if folders:
            given['mesh_path'] = folders
        if self.allows_nonphysical:
            given['allow_nonphysical'] = True
        if self.argument('view') == 'true':
            given['view.port'] = ParameterValue(self.argument('view_port'), value_type=int)
        return given

    def dynamics(self):
        """Return the node that publishes the dynamics."""
        return self.node('dyn_ros', 'dynamics_node', self.argument('params'),
                         self.dynamics_parameters(), name='dynamics',
                         respawn=self.argument('respawn') == 'true', respawn_delay=1.0)

    def rviz(self):
        """Return rviz, or text that says how to look at the arm without."""
        wanted = self.argument('rviz')
        reason = 'rviz:=false' if wanted == 'false' else rviz.missing()
        if wanted == 'true' and reason:
            raise RuntimeError(f'rviz:=true, but {reason}: give rviz:=false')
        prefix = self.argument('frame_prefix')
        if prefix and not prefix.endswith('/'):
            launch.logging.get_logger('dyn_bringup').warning(
                f"frame_prefix:={prefix} does not end with '/': the display of the robot in rviz "
                'finds no frame, all others do')
        configuration = self.rviz_file()
        if reason:
            return LogInfo(msg=self.hint(reason, configuration))
        return self.node('rviz2', 'rviz2', name='rviz2', arguments=['-d', configuration])

    def rviz_file(self):
        """Write the configuration of rviz for this arm; return the path."""
        known = self.description
        name = '_'.join(['inspect', *filter(None, self.argument('namespace').split('/'))])
        return rviz.write_adapted(
            self.argument('rviz_config'),
            os.path.join(launch.logging.launch_config.log_dir, f'{name}.rviz'),
            namespace=self.argument('namespace'), frame_prefix=self.argument('frame_prefix'),
            fixed_frame=(description.root_link(known) if known else self.argument('base')) or None,
            reach=description.reach(known) if known else 0.0)

    def hint(self, reason, configuration):
        """Return how to look at the arm without rviz."""
        topic = '/'.join(['', *filter(None, [self.argument('namespace').strip('/')]), 'dynamics'])
        frame = '' if self.description or self.argument('base') else ' -f ROOT_LINK'
        return (f'No rviz here: {reason}. To look at the dynamics:\n'
                f'  in a terminal    ros2 topic echo {topic}/joint_dynamics\n'
                f'  with a display   rviz2 -d {configuration}{frame}\n'
                f'                   plotjuggler --layout {config("plotjuggler.xml")}\n'
                f'  with Foxglove    import the layout {config("foxglove.json")}')
