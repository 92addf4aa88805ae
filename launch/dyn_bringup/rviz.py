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


"""rviz: whether it can be shown here, and its configuration for a robot's names."""

import os

from ament_index_python.packages import get_package_prefix, PackageNotFoundError
import yaml


def has_package(name):
    """Return whether a package is installed."""
    try:
        get_package_prefix(name)
    except PackageNotFoundError:
        return False
    return True


def missing():
    """Return why rviz cannot be shown here, empty if it can."""
    if not (os.environ.get('DISPLAY') or os.environ.get('WAYLAND_DISPLAY')):
        return 'this terminal has no display'
    return '' if has_package('rviz2') else 'rviz2 is not installed'


def with_names(configuration, namespace='', frame_prefix='', fixed_frame=None):
    """Return an rviz configuration (nested lists and dictionaries) for a robot's names."""
    if isinstance(configuration, list):
        return [with_names(item, namespace, frame_prefix, fixed_frame) for item in configuration]
    if not isinstance(configuration, dict):
        return configuration
    adapted = {}
    for key, value in configuration.items():
        is_topic = key in ('Value', 'Robot Description') and str(value).startswith('/')
        if is_topic and namespace and value != '/tf':
            value = f'/{namespace.strip("/")}{value}'
        elif key == 'TF Prefix':
            value = frame_prefix.rstrip('/')
        elif key == 'Fixed Frame':
            value = frame_prefix + (fixed_frame or value)
        adapted[key] = with_names(value, namespace, frame_prefix, fixed_frame)
    return adapted


def adapt(configuration, reach=0.0, **names):
    """Return an rviz configuration for a robot's names that has all of the robot in its view."""
    adapted = with_names(configuration, **names)
    view = adapted['Visualization Manager']['Views']['Current']
    if reach:
        view['Distance'] = 2.75 * reach
        view['Focal Point'] = {'X': 0.0, 'Y': 0.0, 'Z': 0.35 * reach}
    return adapted


def write_adapted(source, target, **arm):
    """Write the rviz configuration in the file source, adapted to an arm, into the file target."""
    with open(source, encoding='utf-8') as file:
        configuration = yaml.safe_load(file)
    with open(target, 'w', encoding='utf-8') as file:
        yaml.safe_dump(adapt(configuration, **arm), file, sort_keys=False)
    return target
