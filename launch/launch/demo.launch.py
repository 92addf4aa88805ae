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


"""Show the arm arm7, or another robot, in motion with its dynamics."""

import os

from ament_index_python.packages import get_package_share_directory
from dyn_bringup.arm import ARM7
from launch import LaunchDescription
from launch.actions import (
    DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction, SetLaunchConfiguration)
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration


def choose_tip(context):
    """Let arm7's chain end at its tool, not at a finger, unless told otherwise."""
    urdf, tip = (LaunchConfiguration(name).perform(context) for name in ('urdf', 'tip'))
    return [SetLaunchConfiguration('tip', 'tool0')] if urdf == ARM7 and not tip else []


def generate_launch_description():
    """Return inspect.launch.py with arguments of its own."""
    here = os.path.join(get_package_share_directory('dyn_bringup'), 'launch')
    return LaunchDescription([
        DeclareLaunchArgument(
            'urdf', default_value=ARM7,
            description='The robot: a .urdf or .xacro file, or package://PACKAGE/FILE.'),
        DeclareLaunchArgument(
            'tip', default_value='',
            description='Last link of the chain. Empty: tool0 of arm7; of another robot the leaf '
                        'with the most moving joints on its way.'),
        OpaqueFunction(function=choose_tip),
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(os.path.join(here, 'inspect.launch.py'))),
    ])
