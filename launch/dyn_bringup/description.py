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

import math
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
    The RuntimeError's text says what is wrong with the file.
    """
    path = path_of(name)
    if not os.path.isfile(path):
        raise RuntimeError(f'there is no file {path}: urdf:= takes a .urdf or .xacro file')
    text = expand(path, xacro_arguments) if path.endswith('.xacro') else read_text(path)
    if root_link(text) is None:
        raise RuntimeError(f'{path} is no robot description: {what_is_wrong(text)}')
    return text


def read_text(path):
    """Return the text of a file; the RuntimeError's text says why there is none."""
    try:
        with open(path, encoding='utf-8') as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise RuntimeError(f'{path} cannot be read as text: {error}') from error


def what_is_wrong(text):
    """Return why a text is no robot description."""
    try:
        robot = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        return f'as XML it has an error, {error}'
    if robot.tag != 'robot':
        return f'it begins with <{robot.tag}> instead of <robot>'
    return 'it has no <link> that no joint moves'


def expand(path, xacro_arguments):
    """Return the URDF text of a .xacro file; the RuntimeError says what is wrong with it."""
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
    if robot.tag != 'robot':
        return None
    children = {child.get('link') for child in robot.iterfind('joint/child')}
    roots = [link.get('name') for link in robot.iterfind('link')]
    return next((name for name in roots if name not in children), None)


def length_of(joint):
    """Return how far in m a joint can take its link from the parent link."""
    origin, limit = joint.find('origin'), joint.find('limit')
    xyz = (origin.get('xyz') if origin is not None else None) or '0 0 0'
    length = math.hypot(*map(float, xyz.split()))
    if joint.get('type') == 'prismatic' and limit is not None:
        length += max(abs(float(limit.get(end, 0))) for end in ('lower', 'upper'))
    return length


def reach(text):
    """Return the length in m of the longest way from the root link along the joints."""
    joints_below = {}
    for joint in ElementTree.fromstring(text).iterfind('joint'):
        joints_below.setdefault(joint.find('parent').get('link'), []).append(joint)
    ways = {root_link(text): 0.0}
    links = list(ways)
    for link in links:
        for joint in joints_below.pop(link, []):
            child = joint.find('child').get('link')
            ways[child] = ways[link] + length_of(joint)
            links.append(child)
    return max(ways.values())


def without_hardware(text):
    """Return the robot description without its <ros2_control>."""
    return re.sub(r'<ros2_control\b.*?</ros2_control>', '', text, flags=re.DOTALL)


def other_joints(text, chain):
    """Return the joints that move, but neither in the chain nor after another one."""
    return [joint.get('name') for joint in ElementTree.fromstring(text).iterfind('joint')
            if joint.get('type') in ('revolute', 'continuous', 'prismatic')
            and joint.get('name') not in chain and joint.find('mimic') is None]
