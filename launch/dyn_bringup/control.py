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


"""An arm under ros2_control: its controllers, and a simulated one where there is no other."""

import json
import os
import shlex
import subprocess
from xml.sax.saxutils import escape, quoteattr

from ament_index_python.packages import get_package_prefix
from dyn_bringup import description
from dyn_bringup.arm import Arm, config
from launch.actions import DeclareLaunchArgument
import launch.logging
import yaml

CONTROLLER = 'computed_torque_controller'
TRAJECTORIES = 'joint_trajectory_controller'


def presets():
    """Return the names of the robots in config/robots."""
    return sorted(name[:-len('.yaml')] for name in os.listdir(config('robots')))


class Preset:
    """What config/robots says of a kind of robot; nothing where none is named."""

    def __init__(self, name, joints):
        """Read it for these joints; the RuntimeError's text says what does not fit."""
        self.name, self.content = name, {}
        if not name:
            return
        with open(config(f'robots/{name}.yaml'), encoding='utf-8') as file:
            self.content = yaml.safe_load(file)
        self.each_joint = self.content.pop('/**/each_joint')['ros__parameters']
        self.simulated = self.content.pop('/**/simulated_arm')['ros__parameters']
        self.parameters = self.content[f'/**/{CONTROLLER}']['ros__parameters']
        for key, values in self.each_joint.items():
            if len(values) not in (1, len(joints)):
                raise RuntimeError(
                    f'robot:={name} has {len(values)} joints, but this arm has {len(joints)}: '
                    'give base:= and tip:=, or another robot:=')
            group, parameter = key.split('.')
            for index, joint in enumerate(joints):
                entry = self.parameters.setdefault(group, {}).setdefault(joint, {})
                entry[parameter] = values[index % len(values)]

    @property
    def compensates(self):
        """Return 'true' or 'false': whether the hardware compensates gravity; '' if not known."""
        return str(self.parameters['hardware_compensates_gravity']).lower() if self.name else ''

    def arm(self):
        """Return the parameters of a simulated arm that behaves like the robot, as text."""
        values = self.simulated if self.name else {}
        return {key: str(value).lower() for key, value in values.items()}

    def files(self, path, chosen):
        """Write its own to path; return the parameter files in order: the later ones count."""
        if not self.name:
            return [chosen]
        with open(path, 'w', encoding='utf-8') as file:
            yaml.safe_dump(self.content, file)
        general = config('computed_torque.yaml')
        return [general, path, *([] if chosen == general else [chosen])]


def control_arguments():
    """Return the arguments that launch files with controllers have besides the common ones."""
    return [
        DeclareLaunchArgument(
            'robot', default_value='', choices=['', *presets()],
            description='A kind of robot that is known (config/robots): gravity, effort states, '
                        'delay, limits, drives; a simulated arm behaves like it.'),
        DeclareLaunchArgument(
            'control_params', default_value=config('computed_torque.yaml'),
            description='Parameter file of the controller manager and the controllers.'),
        DeclareLaunchArgument(
            'hardware_compensates_gravity', default_value='', choices=['', 'true', 'false'],
            description='Whether the robot adds the torque against gravity by itself. It has to '
                        'be said for a robot description with a <ros2_control> of its own; a '
                        'simulated arm does as it is told, false if it is told nothing.'),
        DeclareLaunchArgument(
            'delay', default_value='',
            description='From a state to the torque that answers it, s: what the controller '
                        'predicts over, and what a simulated arm has. Empty: what control_params '
                        'says, and a simulated arm has none.'),
        DeclareLaunchArgument(
            'predict', default_value='', choices=['', 'true', 'false'],
            description='Act on the state predicted for the time when the torque acts. Empty: as '
                        'control_params says.'),
        DeclareLaunchArgument(
            'arm_params', default_value='',
            description="Further parameters of a simulated arm: 'payload_mass:=2.0 ...'."),
    ]


def chain_of(text, base='', tip='', allow_nonphysical=False):
    """Return what `dyn info` says of a chain; the RuntimeError's text says what is wrong."""
    tool = os.path.join(get_package_prefix('dyn_core'), 'bin', 'dyn')
    options = [word for name, link in (('--base', base), ('--tip', tip)) if link
               for word in (name, link)]
    options += ['--allow-nonphysical'] if allow_nonphysical else []
    result = subprocess.run([tool, 'info', '-', '--json', *options], input=text,
                            capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(result.stderr.strip())
    return json.loads(result.stdout)


def joints_of(chain):
    """Return the names of the independent joints, base to tip."""
    return [joint['name'] for joint in chain['joints'] if 'mimic' not in joint]


def settings(text):
    """Return 'NAME:=VALUE ...' as a dictionary."""
    words = shlex.split(text)
    wrong = [word for word in words if ':=' not in word]
    if wrong:
        raise RuntimeError(f"arm_params has '{wrong[0]}': give NAME:=VALUE, separated by spaces")
    return dict(word.split(':=', 1) for word in words)


def with_simulated_arm(text, chain, parameters, start=None):
    """
    Return the robot description with a simulated arm, its joints standing at start.

    Joints off the chain, such as a gripper's, stand still.
    """
    values = ''.join(f'<param name={quoteattr(name)}>{escape(str(value))}</param>'
                     for name, value in parameters.items())
    joints = ''
    for name in joints_of(chain):
        position = (start or {}).get(name)
        initial = '' if position is None else f'<param name="initial_value">{position}</param>'
        commands = ''.join(f'<command_interface name="{kind}"/>'
                           for kind in ('position', 'velocity', 'effort', 'kp', 'kd'))
        joints += (f'<joint name={quoteattr(name)}>{commands}<state_interface name="position">'
                   f'{initial}</state_interface><state_interface name="velocity"/>'
                   '<state_interface name="effort"/></joint>')
    names = {joint['name'] for joint in chain['joints']}
    for name in description.other_joints(text, names):
        joints += f'<joint name={quoteattr(name)}><state_interface name="position"/></joint>'
    tag = ('<ros2_control name="arm" type="system"><hardware>'
           f'<plugin>dyn_control/SimulatedArm</plugin>{values}</hardware>{joints}</ros2_control>')
    at = text.rindex('</robot>')
    return text[:at] + tag + text[at:]


class ControlledArm(Arm):
    """The nodes for one arm under controllers, from the launch arguments of a context."""

    def __init__(self, context, start=None):
        """Read the arguments; the RuntimeError's text says what is wrong with the robot."""
        super().__init__(context)
        if self.argument('simulated') == 'true':
            self.description = description.without_hardware(self.description)
        self.chain = chain_of(self.description, self.argument('base'), self.argument('tip'),
                              self.allows_nonphysical)
        self.preset = Preset(self.argument('robot'), joints_of(self.chain))
        self.compensates = (self.argument('hardware_compensates_gravity')
                            or self.preset.compensates)
        if '<ros2_control' not in self.description:
            self.compensates = self.compensates or 'false'
            parameters = {
                'base_link': self.chain['base'], 'tip_link': self.chain['tip'],
                'allow_nonphysical': str(self.allows_nonphysical).lower(),
                **self.preset.arm(), 'compensates_gravity': self.compensates,
                **({'delay': self.argument('delay')} if self.argument('delay') else {}),
                **settings(self.argument('arm_params'))}
            self.description = with_simulated_arm(
                self.description, self.chain, parameters, start)
        elif not self.compensates:
            raise RuntimeError(
                'the robot description has a <ros2_control> of its own: say whether that robot '
                'adds the torque against gravity by itself, '
                'hardware_compensates_gravity:=true or false; or try it on a simulated arm, '
                'simulated:=true')

    def names_file(self):
        """Write what the parameter file cannot know; return the path."""
        joints = joints_of(self.chain)
        computed_torque = {
            'joints': list(joints), 'base_link': self.chain['base'], 'tip_link': self.chain['tip'],
            'hardware_compensates_gravity': self.compensates == 'true'}
        if self.allows_nonphysical:
            computed_torque['allow_nonphysical'] = True
        prediction = {}
        if self.argument('predict'):
            prediction['enabled'] = self.argument('predict') == 'true'
        if self.argument('delay'):
            prediction['delay'] = float(self.argument('delay'))
        if prediction:
            computed_torque['prediction'] = prediction
        trajectories = {
            'joints': list(joints),
            'command_joints': [f'{CONTROLLER}/{joint}' for joint in joints]}
        content = {f'/**/{CONTROLLER}': {'ros__parameters': computed_torque},
                   f'/**/{TRAJECTORIES}': {'ros__parameters': trajectories}}
        path = self.own_file('controllers')
        with open(path, 'w', encoding='utf-8') as file:
            yaml.safe_dump(content, file)
        return path

    def parameter_files(self):
        """Return the parameter files of manager and controllers."""
        return self.preset.files(self.own_file('robot'), self.argument('control_params'))

    def own_file(self, name):
        """Return the path of a parameter file of this arm, which others do not write."""
        name = '_'.join([name, *self.argument('namespace').split('/')]) + '.yaml'
        return os.path.join(launch.logging.launch_config.log_dir, name)

    def manager(self, tells_goals=True):
        """Return the controller manager with the hardware; it may keep quiet about each goal."""
        namespace = self.argument('namespace').strip('/').replace('/', '.')
        logger = '.'.join([*filter(None, [namespace]), TRAJECTORIES])
        quiet = ['--log-level', f'{logger}:=warn']
        return self.node('controller_manager', 'ros2_control_node', *self.parameter_files(),
                         ros_arguments=[] if tells_goals else quiet)

    def spawners(self, trajectories=True):
        """Return what loads the controllers: the chain as one group, and joint_states."""
        patience = ['--controller-manager-timeout', '120', '--service-call-timeout', '120',
                    '--switch-timeout', '60']
        files = [word for file in [*self.parameter_files(), self.names_file()]
                 for word in ('--param-file', file)]
        front = [TRAJECTORIES, '--activate-as-group'] if trajectories else []
        return [
            self.node('controller_manager', 'spawner',
                      arguments=['joint_state_broadcaster', *patience]),
            self.node('controller_manager', 'spawner',
                      arguments=[CONTROLLER, *front, *files, *patience]),
        ]
