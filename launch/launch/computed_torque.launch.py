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


"""Control a robot by computed torque: on its hardware, or on a simulated arm without one."""

from dyn_bringup.arm import common_arguments
from dyn_bringup.control import control_arguments, ControlledArm
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction


def start(context):
    """Return what is started for the arguments given."""
    arm = ControlledArm(context)
    spawners = arm.spawners(trajectories=arm.argument('trajectories') == 'true')
    return [arm.state_publisher(), arm.manager(), *spawners, arm.dynamics(), arm.rviz()]


def generate_launch_description():
    """Return the arguments and what they start."""
    return LaunchDescription([
        DeclareLaunchArgument(
            'urdf',
            description='The robot: a .urdf or .xacro file, or package://PACKAGE/FILE. Without a '
                        '<ros2_control> in it, a simulated arm is added.'),
        DeclareLaunchArgument(
            'simulated', default_value='false', choices=['true', 'false'],
            description='Put a simulated arm in the place of the <ros2_control> of the robot '
                        'description.'),
        DeclareLaunchArgument(
            'trajectories', default_value='true', choices=['true', 'false'],
            description='Start the joint_trajectory_controller in front of the computed-torque '
                        'controller. false: the latter alone, with references on its topic.'),
        *common_arguments(),
        *control_arguments(),
        OpaqueFunction(function=start),
    ])
