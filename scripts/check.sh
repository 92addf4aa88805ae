#!/usr/bin/env bash
# What common.sh decides for the machine, on machines made up: run by ./test.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
cd "$root"
made_up=$root/build/made_up
rm -rf "$made_up"
mkdir -p "$made_up"/{proc/self,cgroups/a/b,cgroups/memory/x,ros/bin,ros/lib/cmake/urdfdom}

# expect WHAT IS WANTED
expect() { [[ $2 == "$3" ]] || die "$1: $2 instead of $3"; }

# ---- memory: of the machine, or the least that a control group leaves -----------------------------
memory() { memory_kb "$made_up/proc" "$made_up/cgroups"; }
echo 'MemTotal: 8000000 kB' >"$made_up/proc/meminfo"
printf '%s\n' '1:name=systemd:/' '0::/a/b' >"$made_up/proc/self/cgroup"
expect 'memory without a limit' "$(memory)" 8000000
echo max >"$made_up/cgroups/a/b/memory.max"
echo 2048000000 >"$made_up/cgroups/a/memory.max"
expect 'memory under a limit above' "$(memory)" 2000000
printf '%s\n' '4:memory:/x' '0::/' >"$made_up/proc/self/cgroup"
echo 9223372036854771712 >"$made_up/cgroups/memory/memory.limit_in_bytes"
echo 4096000000 >"$made_up/cgroups/memory/x/memory.limit_in_bytes"
expect 'memory under a limit of version 1' "$(memory)" 4000000

# ---- compilers at a time: one at least, no more than there are cores, 1.3 GB for each ---------------
for gb in 1 2 4 8 16 64; do
  for cores in 1 2 4 8 64; do
    read -r jobs unit _ < <(build_plan $((gb * 1000000)) "$cores")
    ((jobs >= 1 && jobs <= cores && unit >= 1)) || die "$gb GB, $cores cores: $jobs jobs, units of $unit"
    ((jobs == 1 || jobs * 13 <= gb * 10)) || die "$gb GB, $cores cores: $jobs jobs"
  done
done

# ---- apt's lock of the lists: waited for ---------------------------------------------------------
cat >"$made_up/apt-get" <<'END'
#!/bin/sh
cd "$(dirname "$0")"
echo "$@" >>asked
[ "$1" != update ] || [ "$(wc -l <asked)" -gt 2 ] || { echo 'E: Could not get lock /var/lib/apt/lists/lock' && exit 100; }
END
chmod +x "$made_up/apt-get"
(
  sleep() { :; }
  install_packages "$made_up/apt-get" -- some-package 2>/dev/null
)
expect 'what apt was asked' "$(tr '\n' ';' <"$made_up/asked")" \
  'update;update;update;install -y --no-install-recommends some-package;'

# ---- plain CMake finds nothing of a ROS 2 that is sourced ------------------------------------------
echo 'message(FATAL_ERROR "found through PATH")' >"$made_up/ros/lib/cmake/urdfdom/urdfdomConfig.cmake"
sourced() { AMENT_PREFIX_PATH=$made_up/ros PATH=$made_up/ros/bin:$PATH "$@"; }
configure() { cmake -G Ninja -S dyn_core -B "$made_up/build" -DDYN_CORE_TESTS=OFF; }
! sourced configure 2>/dev/null || die 'the prefix made up is not found: it shows nothing'
rm -rf "$made_up/build"
sourced plain cmake -G Ninja -S dyn_core -B "$made_up/build" -DDYN_CORE_TESTS=OFF
