# shellcheck shell=bash
# What ./run and ./test share: the packages, ROS 2, and steps that show progress and keep a log.

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
logs=$root/build/logs

# The release decides a few package names; clang-format is 14 everywhere, for one format.
# shellcheck source=/dev/null disable=SC2034
case $(. /etc/os-release && echo "${VERSION_CODENAME:-}") in
  bookworm)
    llvm=14 mujoco=(libmujoco-dev)
    colcon=(python3-colcon-{bash,cmake,defaults,library-path,metadata,output,package-selection}
      python3-colcon-{parallel-executor,ros,test-result})
    ;;
  *) llvm=18 mujoco=() colcon=(python3-colcon-common-extensions) ;;
esac
# shellcheck disable=SC2034
build_packages=(g++ cmake ninja-build libboost-dev libeigen3-dev liburdfdom-dev libtinyxml2-dev
  libconsole-bridge-dev libexpected-dev libfmt-dev nlohmann-json3-dev libcli11-dev
  liblz4-dev libqhull-dev libsqlite3-dev libzstd-dev)
# shellcheck disable=SC2034
dds_packages=(cyclonedds-dev cyclonedds-tools python3)
# shellcheck disable=SC2034
py_packages=(pybind11-dev python3-dev python3-numpy)
# What the tests of dyn_dds play strangers with.
# shellcheck disable=SC2034
dds_test_packages=(iproute2 openssl)
# What the tests of dyn_py run, and what reads its stubs and sources.
# shellcheck disable=SC2034
py_test_packages=(python3-pytest python3-mypy python3-flake8)
# shellcheck disable=SC2034
test_packages=(libgtest-dev liborocos-kdl-dev locales valgrind "${mujoco[@]}")
# shellcheck disable=SC2034
clang_packages=("clang-$llvm" "clang-tidy-$llvm" clang-format-14 "libclang-rt-$llvm-dev" "llvm-$llvm")

die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# Shows the latest line of its input: on a terminal at once, elsewhere one line in ten seconds.
progress() {
  local line columns shown=$SECONDS terminal=false
  [[ ! -t 1 ]] || terminal=true
  columns=$(tput cols 2>/dev/null) || columns=80
  while IFS= read -r line; do
    if $terminal; then
      printf '\r\033[K%s' "${line:0:columns-1}"
    elif ((SECONDS - shown >= 10)); then
      printf '   … %s\n' "${line:0:100}"
      shown=$SECONDS
    fi
  done
  ! $terminal || printf '\r\033[K'
}

# step NAME TITLE COMMAND...: runs the command, its output in build/logs/NAME.log.
step() {
  local log=$logs/$1.log title=$2 start=$SECONDS
  shift 2
  printf '== %s\n' "$title"
  if "$@" </dev/null 2>&1 | tee "$log" | progress; then
    printf '   done in %d s\n' $((SECONDS - start))
  else
    tail -n 50 "$log"
    printf '%s: "%s" failed after %d s; its whole output is in %s\n' \
      "${0##*/}" "$title" $((SECONDS - start)) "$log" >&2
    return 1
  fi
}

start_in_root() {
  cd "$root" || exit
  { mkdir -p "$logs" && [[ -w build && -w $logs ]]; } 2>/dev/null ||
    die "$root/build is not writable for $(id -un): give it to this user or remove it"
}

# ---- packages ------------------------------------------------------------------------------------
missing_packages() {
  local package
  for package; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed* ]] ||
      printf ' %s' "$package"
  done
}

# install_packages APT... -- PACKAGE...: waits up to five minutes for others who use apt, such as unattended
# upgrades. apt-get itself waits for dpkg's lock, but not for that of the lists.
install_packages() {
  local apt=() end=$((SECONDS + 300))
  while [[ $1 != -- ]]; do
    apt+=("$1")
    shift
  done
  while { "${apt[@]}" update 2>&1 || :; } | tee /dev/stderr | grep 'Could not get lock' >/dev/null; do
    ((SECONDS < end)) || break
    echo 'waiting for another program that uses apt'
    sleep 5
  done
  "${apt[@]}" install -y --no-install-recommends "${@:2}"
}

# Installs those of the named packages that are not there; asks apt nothing when all are.
need_packages() {
  local missing apt=(env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -o DPkg::Lock::Timeout=300)
  command -v dpkg-query >/dev/null || die 'this is no Debian or Ubuntu: build dyn_core with CMake (README.md)'
  missing=$(missing_packages "$@")
  [[ -n $missing ]] || return 0
  if ((EUID != 0)); then
    sudo -n true 2>/dev/null ||
      die "packages are missing; run as root, then ${0##*/} again: apt-get update && apt-get install -y --no-install-recommends$missing"
    apt=(sudo "${apt[@]}")
  fi
  # shellcheck disable=SC2086 # a list of words
  step packages "Debian packages:$missing" install_packages "${apt[@]}" -- $missing ||
    die "install these yourself:$missing (python3-colcon-common-extensions is in the archive of ROS 2, the others are in Debian's main and Ubuntu's main and universe)"
}

# ---- plain CMake: never against a sourced ROS 2 --------------------------------------------------
# CMake derives prefixes from PATH too.
plain() {
  local folder folders path=
  IFS=: read -ra folders <<<"$PATH"
  for folder in "${folders[@]}"; do
    [[ $folder == /opt/ros/* || :${AMENT_PREFIX_PATH:-}: == *":${folder%/bin}:"* ]] || path+=:$folder
  done
  env -u AMENT_PREFIX_PATH -u CMAKE_PREFIX_PATH -u LD_LIBRARY_PATH -u PYTHONPATH PATH="${path#:}" "$@"
}

# ---- as much at a time as memory allows ----------------------------------------------------------
# each_level FOLDER FILE: the file's content in the folder and those above it, up to $cgroups.
each_level() {
  local folder=$1
  while [[ $folder == "$cgroups"* ]]; do
    cat "$folder/$2" 2>/dev/null || :
    folder=${folder%/*}
  done
}

# memory_kb PROC CGROUPS: the machine's memory, or what control groups (version 2 or 1) leave of it.
memory_kb() {
  local proc=$1 cgroups=$2 of_group group
  of_group=$(sed -n 's/^[0-9]*:\(memory\)\?://p' "$proc/self/cgroup")
  {
    awk '/^MemTotal/ { print $2 * 1024 }' "$proc/meminfo"
    for group in $of_group; do
      each_level "$cgroups${group%/}" memory.max
      each_level "$cgroups/memory${group%/}" memory.limit_in_bytes
    done
  } | awk '$1 + 0 && (!least || $1 + 0 < least) { least = $1 + 0 } END { printf "%d", least / 1024 }'
}

# build_plan MEMORY_KB CORES: compilers at a time, sources in a unit, megabytes before g++ collects garbage
# (0: as it wants). One source takes up to 1.3 GB, a unit of 6 more than 2 GB, of 40 g++ 5 GB.
build_plan() {
  awk -v gb="$(($1 / 1000))e-3" -v cores="$2" 'BEGIN {
    jobs = int(gb / 1.4); jobs = jobs < 1 ? 1 : jobs < cores ? jobs : cores
    size = int(8 * gb / jobs - 22); most = int(80 / jobs)
    print jobs, size < 1 ? 1 : size < most ? size : most, gb / jobs < 4 ? 0 : 2000 }'
}

read -r jobs unit garbage < <(build_plan "$(memory_kb /proc /sys/fs/cgroup)" "$(nproc)")
# Many sources as one unit: what Eigen and the algorithms instantiate is compiled once in each.
unity=(-DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE="$unit")
# g++ collects its garbage late: a quarter less time for a fifth more memory. Other compilers know no such
# parameters.
[[ $garbage == 0 || ${CXX:-g++} != *g++* ]] ||
  export CXXFLAGS="${CXXFLAGS:-} --param=ggc-min-expand=300 --param=ggc-min-heapsize=${garbage}000"

# cmake_build FOLDER TARGET OPTION...
cmake_build() {
  local folder=$1 target=$2
  shift 2
  plain cmake -G Ninja -S dyn_core -B "$folder" "${unity[@]}" "$@" &&
    plain cmake --build "$folder" --target "$target" -j "$jobs"
}

# build_on_release PACKAGE TESTS OPTION...: a package, against the dyn_core in build/release.
build_on_release() {
  local package=$1 tests=$2
  shift 2
  plain cmake --install build/release --prefix "$root/build/prefix" &&
    plain cmake -G Ninja -S "dyn_$package" -B "build/$package" -DCMAKE_PREFIX_PATH="$root/build/prefix" \
      -DBUILD_TESTING="$tests" "$@" &&
    plain cmake --build "build/$package" -j "$jobs"
}
# dds_build TESTS, py_build TESTS: dyn_dds; the Python module in build/py.
dds_build() { build_on_release dds "$1" -DDYN_DDS_WERROR="$1"; }
py_build() { build_on_release py "$1" -DDYN_PY_WERROR="$1"; }

# ---- ROS 2 ---------------------------------------------------------------------------------------
# Finds a ROS 2, sourced or in /opt/ros; $ros_setup is what with_ros has still to source.
find_ros() {
  ros_setup=/dev/null
  [[ -z ${AMENT_PREFIX_PATH:-} ]] || return 0
  for ros_setup in /opt/ros/*/setup.bash; do :; done
  [[ -r $ros_setup ]]
}

# The environment of ROS 2, with the system's python, talking to this machine only (by unicast: a
# container's loopback often has no multicast).
enter_ros() {
  set +u
  export PATH=/usr/bin:$PATH
  # shellcheck source=/dev/null
  . "$ros_setup"
  export ROS_AUTOMATIC_DISCOVERY_RANGE=${ROS_AUTOMATIC_DISCOVERY_RANGE:-LOCALHOST}
  export CYCLONEDDS_URI=${CYCLONEDDS_URI:-'<CycloneDDS><Domain>
    <General><Interfaces><NetworkInterface name="lo" multicast="false"/></Interfaces>
      <AllowMulticast>false</AllowMulticast></General>
    <Discovery><ParticipantIndex>auto</ParticipantIndex>
      <MaxAutoParticipantIndex>100</MaxAutoParticipantIndex></Discovery></Domain></CycloneDDS>'}
}

with_ros() (
  enter_ros
  "$@"
)

# What the package.xml files name and ROS 2 has not: by rosdep, where it is, once per state of them.
need_ros_packages() {
  local stamp
  stamp=build/rosdep.$(cat ./*/package.xml | sha256sum | cut -c1-16)
  if [[ ! -e $stamp ]] && command -v rosdep >/dev/null; then
    step rosdep 'ROS 2 packages by rosdep' with_ros rosdep install --from-paths . --ignore-src -r -y
    touch "$stamp"
  fi
}

# suite_with_ros VERB OPTION...: a colcon verb on every package of the suite.
suite_with_ros() {
  local verb=$1 packages=(./*/package.xml)
  shift
  MAKEFLAGS=${MAKEFLAGS:--j$jobs} with_ros colcon "$verb" --paths "${packages[@]%/package.xml}" \
    --event-handlers console_direct+ "$@"
}

# colcon_build BUILD_TESTING: the tests of dyn_core need no ROS 2 and are those of the plain build.
colcon_build() {
  local options=(-DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING="$1" -DDYN_CORE_TESTS=OFF
    --no-warn-unused-cli)
  suite_with_ros build --packages-select dyn_core --cmake-args "${options[@]}" \
    "${unity[@]}" &&
    suite_with_ros build --packages-skip dyn_core --cmake-args "${options[@]}"
}
