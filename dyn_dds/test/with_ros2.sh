#!/usr/bin/env bash
# with_ros2.sh DYN_SERVE ROBOT.urdf: dyn_serve seen from ROS 2; exit status 77 where it is missing.
set -u
here=$(dirname "$(readlink -f "$0")")
setup=/dev/null
if [[ -z ${AMENT_PREFIX_PATH:-} ]]; then
  for setup in /opt/ros/*/setup.bash; do :; done
  [[ -r $setup ]] || { echo 'skipped: there is no ROS 2'; exit 77; }
fi
set +u
PATH=/usr/bin:$PATH
# shellcheck source=/dev/null
. "$setup"
# The suite's own messages, where colcon has built them: in this repository, or as DYN_INSTALL says.
install=${DYN_INSTALL:-$here/../../install}
# shellcheck source=/dev/null
[[ ! -r $install/local_setup.bash ]] || . "$install/local_setup.bash"
python3 -c 'import rclpy, launch_testing, dyn_msgs.msg' 2>/dev/null ||
  { echo 'skipped: rclpy, launch_testing or dyn_msgs is missing; build the suite with colcon'; exit 77; }
export RMW_IMPLEMENTATION=rmw_cyclonedds_cpp
ros2 pkg prefix rmw_cyclonedds_cpp >/dev/null 2>&1 ||
  { echo 'skipped: rmw_cyclonedds_cpp is missing'; exit 77; }
# A domain of its own, as in wire.hpp.
for number in {0..89}; do
  export ROS_DOMAIN_ID=$((10 + ($$ + number) % 90))
  exec {lock}>"/tmp/dyn_dds_domain_$ROS_DOMAIN_ID" && flock -n "$lock" && break
done
export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST
export DYN_SERVE=$1 DYN_ROBOT=$2
exec timeout -k 5 1200 python3 -m launch_testing.launch_test "$here/test_ros2.launch.py"
