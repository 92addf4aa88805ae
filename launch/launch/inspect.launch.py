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


"""Show the dynamics of a robot: its nodes, something that moves it, rviz."""

from dyn_bringup.arm import Arm, common_arguments, config
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction


def start(context):
    """Return what is started for the arguments given."""
    arm = Arm(context)
    actions = [arm.dynamics(), arm.rviz()]
    if not arm.description:
        return actions
    movers = {
        'player': lambda: [arm.motion_player()],
        'sliders': lambda: [arm.sliders()],
        'none': lambda: [],
    }
    return [arm.state_publisher(), *movers[arm.argument('motion')](), *actions]


def generate_launch_description():
    """Return the arguments and what they start."""
    return LaunchDescription([
        DeclareLaunchArgument(
            'urdf', default_value='',
            description='The robot: a .urdf or .xacro file, or package://PACKAGE/FILE. Empty: '
                        'one that is running; robot_description and joint_states are on their '
                        'topics.'),
        DeclareLaunchArgument(
            'motion', default_value='player', choices=['player', 'sliders', 'none'],
            description='What moves the robot given by urdf. player: a smooth motion of all '
                        'joints; sliders: joint_state_publisher_gui; none: others publish '
                        'joint_states.'),
        DeclareLaunchArgument(
            'motion_params', default_value=config('motion_player.yaml'),
            description='Parameter file of the motion player.'),
        *common_arguments(),
        OpaqueFunction(function=start),
    ])
