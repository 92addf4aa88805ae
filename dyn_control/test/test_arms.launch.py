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

"""FollowJointTrajectory on real ros2_control nodes: five arms that differ from their models."""

import math
import os
import sys
import unittest

from dyn_msgs.msg import ComputedTorqueState
from dyn_msgs.srv import InjectFault, SetPayload
from dyn_ros_testing import unique_namespace
from geometry_msgs.msg import Inertia, WrenchStamped
from launch import LaunchDescription
import launch_testing.actions
import launch_testing.markers
import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from arms import arm, ArmUser, LIMITS, START  # noqa: E402, I100, I202

HERE = unique_namespace()
DELAY = {'delay': '0.004'}
PREDICTION = {'prediction.delay': '0.004'}
EVERY = {'state_publish_rate': '0.0'}
HOLD = {'fault.hold_time': '0.1'}  # ten of the states published
ARMS = {
    'exact': ({}, EVERY),
    'predicted': (DELAY, PREDICTION),
    'unpredicted': (DELAY, {'prediction.enabled': 'false', 'observer.enabled': 'false'}),
    'loaded': ({'payload_mass': '3.0'}, {'payload.mass': '2.1', 'observer.reaction': 'none'}),
    'carried': ({'compensates_gravity': 'true'},
                {'hardware_compensates_gravity': 'true', **HOLD}),
}


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
@launch_testing.ready_to_test_action_timeout(600)
def generate_test_description():
    """Start all arms."""
    return LaunchDescription([
        *[arm(f'{HERE}/{name}', *differences) for name, differences in ARMS.items()],
        launch_testing.actions.ReadyToTest(),
    ])


def topic(name):
    """Return the topic of the state of an arm's controller."""
    return f'{HERE}/{name}/computed_torque_controller/controller_state'


def peak(states):
    """Return the largest distance between reference and state in radians."""
    return max(math.dist(state.reference.positions, state.feedback.positions) for state in states)


class TestArms(unittest.TestCase):
    """While they run."""

    def test_arms(self):
        user = ArmUser()
        self.addCleanup(user.close)
        states = {name: user.record(ComputedTorqueState, topic(name), 1) for name in ARMS}
        self.assertTrue(user.wait(lambda: all(record.raw for record in states.values())),
                        'some arm is not controlled')
        self.assertTrue(user.arrive([user.send(f'{HERE}/{name}') for name in ARMS]))
        peaks = {name: self.check(record.messages()) for name, record in states.items()}
        print('peak errors in mrad:', {name: round(1e3 * x, 3) for name, x in peaks.items()})
        self.assertLess(peaks['exact'], 1e-3)
        self.assertLess(peaks['carried'], 1e-3)
        self.assertLess(peaks['predicted'], 1e-3)
        self.assertGreater(peaks['unpredicted'], 5.0 * peaks['predicted'])
        self.assertLess(peaks['loaded'], 0.1)
        self.set_the_payload_right(user, states['loaded'])
        user.stop(states.values())
        self.lose_the_state(user)
        self.bump_into_something(user)

    def check(self, states):
        """Check what was published of every command; return the peak error."""
        self.assertGreater(len(states), 10)
        for state in states:
            self.assertEqual(state.mode, ComputedTorqueState.TRACKING)
            self.check_torques(state)
        self.assertGreater(math.dist(states[0].feedback.positions,
                                     states[-1].feedback.positions), 1.0, 'it has not moved')
        return peak(states)

    def check_torques(self, state):
        """Finite, and within the robot description's limits."""
        for torque, limit in zip(state.output.effort, LIMITS, strict=True):
            self.assertLessEqual(abs(torque), limit)

    def set_the_payload_right(self, user, states):
        """Tell the controller what its arm carries: it arrives where it should."""
        sag = peak(states.messages(3))
        request = SetPayload.Request(payload=Inertia(m=3.0))
        answer = user.call(
            SetPayload, f'{HERE}/loaded/computed_torque_controller/set_payload', request)
        self.assertTrue(answer.success, answer.message)
        self.assertTrue(user.arrive([user.send(f'{HERE}/loaded', START)]))
        left = peak(states.messages(3))
        print('sag in mrad:', round(1e3 * sag, 3), 'and with the right payload:',
              round(1e3 * left, 3))
        self.assertLess(left, 0.2 * sag)

    def lose_the_state(self, user):
        """Break the sensors: safe torques for a while, then the manager ends the chain."""
        states = user.record(ComputedTorqueState, topic('carried'), 100000)
        self.assertTrue(user.wait(lambda: states.raw))
        answer = user.call(InjectFault, f'{HERE}/carried/arm/inject_fault',
                           InjectFault.Request(fault='state_not_finite'))
        self.assertTrue(answer.success, answer.message)
        self.assertTrue(user.wait(
            lambda: states.messages(1)[0].mode == ComputedTorqueState.BLIND))
        self.assertTrue(user.wait(lambda: user.is_silent(states, 1.0)), 'it goes on for ever')
        messages = states.messages()
        for state in messages:
            self.check_torques(state)
        modes = {state.mode for state in messages}
        self.assertEqual(modes, {ComputedTorqueState.TRACKING, ComputedTorqueState.HOLDING,
                                 ComputedTorqueState.BLIND})

    def bump_into_something(self, user):
        """Push: the arm stops within 10 ms, and the manager ends the chain."""
        push = user.node.create_publisher(WrenchStamped, f'{HERE}/exact/arm/tip_wrench', 1)
        self.assertTrue(user.wait(lambda: push.get_subscription_count() > 0))
        states = user.record(ComputedTorqueState, topic('exact'), 100000)
        self.assertTrue(user.wait(lambda: states.raw))
        message = WrenchStamped()
        message.wrench.force.x = message.wrench.force.z = 60.0
        future = user.send(f'{HERE}/exact', [0.0] * 7)
        push.publish(message)
        self.assertFalse(user.arrive([future]), 'the goal was reached')
        # Every state, until the manager has ended the chain.
        self.assertTrue(user.wait(lambda: any(s.collision for s in states.messages(1))))
        messages = states.messages()
        times = {flag: next(state.header.stamp.sec + 1e-9 * state.header.stamp.nanosec
                            for state in messages if condition(state))
                 for flag, condition in {
                     'felt': lambda s: max(map(abs, s.external_torque[:4])) > 1.0,
                     'stops': lambda s: s.collision}.items()}
        print('contact to reaction in ms:', round(1e3 * (times['stops'] - times['felt']), 3))
        self.assertLessEqual(times['stops'] - times['felt'], 0.010)
