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


"""
Show the arm arm7, or another robot, in motion with its dynamics.

Two simulated arms behind a delay get the same goals. The first one predicts over the delay, the
second one does not: their tracking errors are printed and drawn.
"""

import os

from dyn_bringup.arm import ARM7, common_arguments
from dyn_bringup.control import control_arguments, ControlledArm, joints_of
from launch import LaunchDescription
from launch.actions import (
    DeclareLaunchArgument, IncludeLaunchDescription, LogInfo, OpaqueFunction,
    SetLaunchConfiguration)
from launch.launch_description_sources import PythonLaunchDescriptionSource
import launch.logging
from launch.substitutions import LaunchConfiguration
from launch_ros.substitutions import FindPackageShare


def choose_tip(context):
    """Let arm7's chain end at its tool, not at a finger, unless told otherwise."""
    urdf, tip = (LaunchConfiguration(name).perform(context) for name in ('urdf', 'tip'))
    return [SetLaunchConfiguration('tip', 'tool0')] if urdf == ARM7 and not tip else []


def postures_of(chain):
    """Return two postures within the joints' limits, and how long the way between takes."""
    first, second, duration = [], [], 1.5
    for joint in (joint for joint in chain['joints'] if 'mimic' not in joint):
        reach = 0.3 if joint['type'] == 'prismatic' else 1.6
        lower = -reach if joint['lower'] is None else joint['lower']
        upper = reach if joint['upper'] is None else joint['upper']
        middle, half = 0.5 * (lower + upper), min(0.2 * (upper - lower), 0.25 * reach)
        first.append(middle - half)
        second.append(middle + half)
        if joint['velocity']:
            # The fastest moment of a quintic has 15/8 of its mean velocity.
            duration = max(duration, 15.0 / 8.0 * 2.0 * half / (0.5 * joint['velocity']))
    return first, second, duration


def second_arm(context, namespace, at):
    """Return the nodes of an arm beside the first one that does not predict."""
    configurations = context.launch_configurations
    before = dict(configurations)
    configurations.update({'namespace': namespace, 'predict': 'false'})
    arm = ControlledArm(context, at)
    actions = [arm.state_publisher(), arm.manager(tells_goals=False), *arm.spawners()]
    configurations.update(before)
    return actions


def tracking(arm, namespaces, motion):
    """Return the node that moves the arms and tells how well they follow."""
    first, second, duration = motion
    delay = 1e3 * float(arm.argument('delay'))
    return arm.node('dyn_bringup', 'show_tracking.py', {
        'joints': joints_of(arm.chain), 'first': first, 'second': second, 'duration': duration,
        'arms': namespaces,
        'labels': [f'{delay:g} ms of delay predicted', f'{delay:g} ms not predicted'],
        'plot': os.path.join(launch.logging.launch_config.log_dir, 'tracking_error.svg')})


def without_control():
    """Return the same robot with a motion that nobody controls."""
    return [
        LogInfo(msg='A joint of this robot has no effort limit: it moves without control.'),
        IncludeLaunchDescription(PythonLaunchDescriptionSource(
            [FindPackageShare('dyn_bringup'), '/launch/inspect.launch.py']))]


def start(context):
    """Return what is started for the arguments given."""
    arm = ControlledArm(context)
    if any(not joint['effort'] for joint in arm.chain['joints']):
        return without_control()
    motion = postures_of(arm.chain)
    at = dict(zip(joints_of(arm.chain), motion[0]))
    here = '/'.join(['', *filter(None, [arm.argument('namespace').strip('/')])])
    arm = ControlledArm(context, at)
    return [arm.state_publisher(), arm.manager(tells_goals=False), *arm.spawners(),
            arm.dynamics(), arm.rviz(),
            tracking(arm, [here, here + '/unpredicted'], motion),
            *second_arm(context, here + '/unpredicted', at)]


def generate_launch_description():
    """Return the arguments and what they start."""
    return LaunchDescription([
        DeclareLaunchArgument(
            'urdf', default_value=ARM7,
            description='The robot: a .urdf or .xacro file, or package://PACKAGE/FILE.'),
        DeclareLaunchArgument(
            'delay', default_value='0.004',
            description='Delay of the simulated drives, s.'),
        *common_arguments(),
        *control_arguments(),
        SetLaunchConfiguration('simulated', 'true'),
        OpaqueFunction(function=choose_tip),
        OpaqueFunction(function=start),
    ])
