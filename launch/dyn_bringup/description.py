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


"""Robot descriptions: read from .urdf and .xacro files."""

import os
import re
import shlex
import xml.etree.ElementTree as ElementTree

from ament_index_python.packages import get_package_share_directory, PackageNotFoundError
import xacro


def path_of(name):
    """Return the path of a robot description: a file, or package://PACKAGE/FILE."""
    prefix = 'package://'
    if name.startswith(prefix):
        package, _, rest = name[len(prefix):].partition('/')
        try:
            name = os.path.join(get_package_share_directory(package), rest)
        except (PackageNotFoundError, ValueError) as error:
            raise RuntimeError(f"there is no package '{package}' for {name}: install it, or "
                               'source the workspace it is in') from error
    return os.path.abspath(os.path.expanduser(name))


def read(name, xacro_arguments=''):
    """
    Return the robot as URDF text.

    A .xacro file is expanded with xacro_arguments, such as 'name:=left gripper:=true'.
    What is wrong with the file is the text of the RuntimeError.
    """
    path = path_of(name)
    if not os.path.isfile(path):
        raise RuntimeError(f'there is no file {path}: urdf:= takes a .urdf or .xacro file')
    if not path.endswith('.xacro'):
        with open(path, encoding='utf-8') as file:
            return file.read()
    words = shlex.split(xacro_arguments)
    wrong = [word for word in words if ':=' not in word]
    if wrong:
        raise RuntimeError(f"xacro_args has '{wrong[0]}': give NAME:=VALUE, separated by spaces")
    mappings = dict(word.split(':=', 1) for word in words)
    try:
        return xacro.process_file(path, mappings=mappings).toxml()
    except Exception as error:  # xacro has many kinds, all of them about the file
        raise RuntimeError(f'{path} cannot be expanded: {error}') from error


def root_link(text):
    """Return the name of the link that no joint moves, None if the text is no robot."""
    try:
        robot = ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return None
    children = {child.get('link') for child in robot.iterfind('joint/child')}
    roots = [link.get('name') for link in robot.iterfind('link')]
    return next((name for name in roots if name not in children), None)


def without_hardware(text):
    """Return the robot description without its <ros2_control>."""
    return re.sub(r'<ros2_control\b.*?</ros2_control>', '', text, flags=re.DOTALL)


def other_joints(text, chain):
    """Return the joints that move, but neither in the chain nor after another one."""
    return [joint.get('name') for joint in ElementTree.fromstring(text).iterfind('joint')
            if joint.get('type') in ('revolute', 'continuous', 'prismatic')
            and joint.get('name') not in chain and joint.find('mimic') is None]
