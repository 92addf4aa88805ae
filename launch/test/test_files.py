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


"""The helpers of the launch files, and the files in config."""

import importlib.util
import json
import os
import re
import xml.etree.ElementTree as ElementTree

from ament_index_python.packages import get_package_share_directory
from dyn_bringup import arm, description, plot, rviz
import dyn_msgs.msg
from launch import LaunchContext
from launch.actions import DeclareLaunchArgument
from launch_ros.utilities import evaluate_parameters, normalize_parameters
import pytest
import yaml

# Topics of the dynamics node that the files in config name, and their types.
TYPES = {
    'joint_dynamics': dyn_msgs.msg.JointDynamics,
    'mass_matrix': dyn_msgs.msg.MassMatrix,
    'diagonalized': dyn_msgs.msg.DiagonalizedDynamics,
}
OTHER_TOPICS = {'/robot_description', '/dynamics/markers'}
XACRO = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="arm"><xacro:arg name="side" ' \
        'default="left"/><link name="$(arg side)_base"/></robot>'


def write(folder, name, text):
    """Return the path of a new file."""
    path = folder / name
    path.write_text(text, encoding='utf-8')
    return str(path)


def test_descriptions_are_read_and_expanded(tmp_path):
    plain = write(tmp_path, 'arm.urdf', '<robot name="arm"><link name="a"/></robot>')
    assert description.root_link(description.read(plain)) == 'a'
    macro = write(tmp_path, 'arm.urdf.xacro', XACRO)
    assert description.root_link(description.read(macro)) == 'left_base'
    assert description.root_link(description.read(macro, 'side:=right')) == 'right_base'
    arm7 = description.read('package://dyn_core/robots/arm7.urdf')
    assert description.root_link(arm7) == 'base_link'
    assert description.root_link('no robot') is None


def test_hardware_is_replaced_and_other_joints_stand_still():
    arm7 = description.read('package://dyn_core/robots/arm7.urdf')
    tag = '<ros2_control name="a" type="system"><hardware/></ros2_control>'
    assert description.without_hardware(arm7.replace('</robot>', tag + '</robot>')) == arm7
    chain = [f'joint{i + 1}' for i in range(7)]
    assert description.other_joints(arm7, chain) == ['finger_left']
    assert 'joint7' in description.other_joints(arm7, chain[:6])


@pytest.mark.parametrize('name, text, arguments, sentence', [
    (None, None, '', 'there is no file'),
    ('a.urdf', 'no robot', '', 'a.urdf is no robot description: as XML it has an error'),
    ('a.urdf', '<world/>', '', 'it begins with <world> instead of <robot>'),
    ('a.urdf', '<robot name="a"/>', '', 'it has no <link> that no joint moves'),
    ('a.xacro', XACRO, 'right', "xacro_args has 'right': give NAME:=VALUE"),
    ('a.xacro', '<robot', '', 'a.xacro cannot be expanded'),
    ('a.xacro', XACRO.replace(' default="left"', ''), '', 'a.xacro cannot be expanded'),
])
def test_what_is_wrong_with_a_description_is_a_sentence(tmp_path, name, text, arguments, sentence):
    path = write(tmp_path, name, text) if name else '/nowhere/arm.urdf'
    with pytest.raises(RuntimeError, match=re.escape(sentence)):
        description.read(path, arguments)
    with pytest.raises(RuntimeError, match="there is no package 'nowhere'"):
        description.read('package://nowhere/arm.urdf')


def test_the_length_of_a_robot_is_that_of_its_longest_way():
    links = ''.join(f'<link name="l{k}"/>' for k in range(3000))
    joints = ''.join(
        f'<joint name="j{k}" type="fixed"><parent link="l{k}"/><child link="l{k + 1}"/>'
        '<origin xyz="0 0.003 0.004"/></joint>' for k in range(2999))
    sliding = ('<link name="s"/><joint name="s" type="prismatic"><parent link="l2999"/>'
               '<child link="s"/><limit lower="-0.5" upper="0.2"/></joint>')
    text = f'<robot name="long">{links}{joints}{sliding}</robot>'
    assert description.reach(text) == pytest.approx(2999 * 0.005 + 0.5)
    arm7 = description.read('package://dyn_core/robots/arm7.urdf')
    assert 1.0 < description.reach(arm7) < 1.5


def test_every_launch_argument_is_described():
    folder = os.path.join(get_package_share_directory('dyn_bringup'), 'launch')
    names = [name for name in os.listdir(folder) if name.endswith('.launch.py')]
    assert {'demo.launch.py', 'inspect.launch.py'} <= set(names)
    for name in names:
        spec = importlib.util.spec_from_file_location('launch_file', os.path.join(folder, name))
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for action in module.generate_launch_description().entities:
            if isinstance(action, DeclareLaunchArgument):
                assert len(action.description) > 20, action.name


def test_arguments_become_parameters_of_the_dynamics_node():
    context = LaunchContext()
    for action in arm.common_arguments():
        action.execute(context)
    context.launch_configurations['urdf'] = ''
    assert arm.Arm(context).dynamics_parameters() == {}
    context.launch_configurations.update(estimate_inertia='6.5', mesh_path='/a:/b')
    given = normalize_parameters([arm.Arm(context).dynamics_parameters()])
    assert evaluate_parameters(context, given) == (
        {'estimate_inertia': '6.5', 'mesh_path': ('/a', '/b')},)


def test_rviz_is_adapted_to_names():
    with open(arm.config('inspect.rviz'), encoding='utf-8') as file:
        original = yaml.safe_load(file)
    assert rviz.adapt(original) == original
    left = rviz.adapt(original, reach=2.0, namespace='left', frame_prefix='left/',
                      fixed_frame='world')
    assert left['Visualization Manager']['Views']['Current']['Distance'] == 5.5
    adapted = str(left)
    assert "'Fixed Frame': 'left/world'" in adapted
    assert "'Value': '/left/dynamics/markers'" in adapted
    assert "'Value': '/left/robot_description'" in adapted
    assert "'TF Prefix': 'left'" in adapted
    assert "'/dynamics" not in adapted


def test_a_plot_has_round_ticks_and_labels_that_do_not_overlap():
    for end in (1e-6, 0.3, 1.0, 7.3, 9.99, 1234.5):
        marks = plot.ticks(end)
        assert marks[0] == 0.0 and 3 <= len(marks) <= 7
        assert end * (1 - 1 / 3) < marks[-1] <= end * (1 + 1e-9)
    assert plot.ticks(0.0) == plot.ticks(float('nan')) == [0.0]
    curves = {name: [(0.0, 0.0), (1.0, 2.0), (3.0, height)]
              for name, height in (('a & b', 0.5), ('c', 0.5), ('d', 0.0), ('e', 0.49))}
    root = ElementTree.fromstring(plot.svg('Tracking error', 'mrad', curves))
    space = '{http://www.w3.org/2000/svg}'
    assert len(root.findall(f'{space}polyline')) == 4
    places = {text.text: float(text.get('y')) for text in root.findall(f'{space}text')}
    heights = sorted(places[name] for name in curves)
    assert all(high - low >= plot.LINE - 0.2 for low, high in zip(heights, heights[1:]))
    assert heights[-1] <= plot.HEIGHT


def test_rviz_is_missed_without_a_display(monkeypatch):
    monkeypatch.delenv('DISPLAY', raising=False)
    monkeypatch.delenv('WAYLAND_DISPLAY', raising=False)
    assert rviz.missing() == 'this terminal has no display'


def named(value):
    """Return all strings in nested lists, dictionaries and strings."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [name for item in value for name in named(item)]
    return [value] if isinstance(value, str) else []


def check_curve(topic, field):
    """Check that a message type has a field."""
    assert field in TYPES[topic].get_fields_and_field_types(), f'{topic} {field}'


def test_the_rviz_configuration_names_topics_of_the_node():
    with open(arm.config('inspect.rviz'), encoding='utf-8') as file:
        names = named(yaml.safe_load(file)['Visualization Manager'])
    assert {name for name in names if name.startswith('/')} == OTHER_TOPICS


# Keys of a panel that Foxglove and its fork Lichtblick read, in what their panels keep.
FOXGLOVE_KEYS = {
    '3D': {'followMode', 'followTf', 'cameraState', 'scene', 'transforms', 'topics', 'layers'},
    'Plot': {'foxglovePanelTitle', 'paths', 'showLegend', 'legendDisplay', 'isSynced', 'xAxisVal',
             'followingViewWidth', 'showXAxisLabels', 'showYAxisLabels'},
    'DiagnosticSummary': {'topicToRender', 'minLevel', 'pinnedIds', 'hardwareIdFilter',
                          'sortByLevel'},
}


def test_the_foxglove_layout_is_of_its_format():
    with open(arm.config('foxglove.json'), encoding='utf-8') as file:
        layout = json.load(file)
    assert set(layout) == {'configById', 'globalVariables', 'userNodes', 'playbackConfig',
                           'layout'}
    for name, panel in layout['configById'].items():
        assert set(panel) <= FOXGLOVE_KEYS[name.split('!')[0]], name
        for path in panel.get('paths', []):
            assert path['timestampMethod'] in ('receiveTime', 'headerStamp') and path['enabled']
    kinds = {layer['layerId'] for layer in layout['configById']['3D!dynamics']['layers'].values()}
    assert kinds == {'foxglove.Grid', 'foxglove.Urdf'}


def test_the_plotjuggler_layout_is_of_its_format():
    # PlotJuggler reads as many sizes and children of a splitter as its count says.
    root = ElementTree.parse(arm.config('plotjuggler.xml')).getroot()
    for splitter in root.iter('DockSplitter'):
        assert splitter.get('orientation') in ('|', '-')
        sizes = [float(size) for size in splitter.get('sizes').split(';')]
        assert len(sizes) == len(splitter) == int(splitter.get('count'))
        assert abs(sum(sizes) - 1) < 1e-3
    assert all([part.tag for part in area] == ['plot'] for area in root.iter('DockArea'))
    for picture in root.iter('plot'):
        assert picture.get('mode') == 'TimeSeries' and picture.find('range') is not None
    tabs = root.findall('tabbed_widget/Tab')
    assert len(tabs) > 2 and all(tab.find('Container/DockSplitter') is not None for tab in tabs)


def test_the_foxglove_layout_names_fields_of_the_messages():
    with open(arm.config('foxglove.json'), encoding='utf-8') as file:
        layout = json.load(file)
    panels = layout['configById']
    assert set(named(layout['layout'])) - {'row', 'column'} == set(panels)
    paths = [path['value'] for panel in panels.values() for path in panel.get('paths', [])]
    assert len(paths) > 20
    for path in paths:
        match = re.fullmatch(r'/dynamics/(\w+)\.(\w+)(\[\d\])?', path)
        check_curve(match[1], match[2])


def test_the_plotjuggler_layout_names_fields_of_the_messages():
    root = ElementTree.parse(arm.config('plotjuggler.xml')).getroot()
    selected = root.find('.//selected_topics').get('value').split(';')
    curves = [curve.get('name') for curve in root.iter('curve')]
    assert len(curves) > 40
    for curve in curves:
        match = re.fullmatch(r'(/dynamics/(\w+))/(\w+)(\[\d+\])?', curve)
        check_curve(match[2], match[3])
        assert match[1] in selected


@pytest.mark.parametrize('name', ['dynamics.yaml', 'motion_player.yaml'])
def test_every_parameter_is_commented(name):
    with open(arm.config(name), encoding='utf-8') as file:
        lines = file.read().splitlines()
    commented = False
    for line in lines[lines.index('  ros__parameters:') + 1:]:
        commented = '#' in line or (commented and line.strip() != '')
        if ':' in line and not line.rstrip().endswith(':'):
            assert commented, line
