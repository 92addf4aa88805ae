#!/usr/bin/env bash
# Makes the Debian packages in build/debs of what is built; with --try installs those in a bare Debian, uses them
# there without this repository and removes them again. Run by ./test --long.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
cd "$root"
debs=$root/build/debs

make_debs() {
  local folder
  rm -rf "$debs"
  for folder in release dds py; do
    plain cpack -G DEB --config "build/$folder/CPackConfig.cmake" -B "$debs/$folder"
  done
  mv "$debs"/*/*.deb "$debs"
  ls -l "$debs"/*.deb
}

check_debs() {
  if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error "$debs"/*.deb
  else
    echo 'skipped: lintian is not installed'
  fi
}

# readme_block LANGUAGE PATTERN: the block of the README in this language that has the pattern.
readme_block() {
  awk -v fence='```'"$1" -v pattern="$2" '
    $0 == fence { inside = 1; text = ""; next }
    inside && /^```/ { inside = 0; if (text ~ pattern) { printf "%s", text; exit } }
    inside { text = text $0 "\n" }' README.md
}

# What is done in the bare Debian, with set -e; the README's program is in /program, the packages in /debs.
use_debs() {
  cat <<'END'
set -ex
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
apt-get update
apt-get install -y --no-install-recommends /debs/*.deb
dpkg -L dyn-core dyn-serve python3-dyn | sort -u >/files
cd /tmp
dyn demo
dyn eval arm7 --q 0,0.4,0,1.9,0,0.84,0 --json >/dev/null
zcat /usr/share/man/man1/dyn-eval.1.gz | grep -q 'forward dynamics'
bash -c '. /usr/share/bash-completion/completions/dyn; COMP_WORDS=(dyn ev) COMP_CWORD=1; _dyn; [ "${COMPREPLY[*]}" = eval ]'
dyn_serve /usr/share/dyn_core/robots/arm7.urdf --tip tool0 --duration 1
python3 -c '
import dyn, numpy as np
arm = dyn.load_urdf("arm7")
solver = dyn.Solver(arm)
q = np.random.default_rng(1).uniform(arm.lower, arm.upper, (1000, 7))
M = solver.mass_matrix(q)
assert M.shape == (1000, 7, 7) and (np.linalg.eigvalsh(M) > 0).all()'
apt-get install -y --no-install-recommends g++ cmake make
cp /usr/share/dyn_core/robots/arm7.urdf .
cmake -S /program -B build
cmake --build build
build/my_program
apt-get purge -y dyn-core dyn-serve python3-dyn
set +x
while read -r file; do
  [ ! -f "$file" ] || { echo "$file is left"; exit 1; }
done </files
echo 'installed, used and removed'
END
}

# A bare Debian, made once; what happens in it stays in a layer above it, thrown away afterwards.
try_debs() {
  local suite bare=$root/build/bare
  suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  if [[ ! -e $bare/$suite.done ]]; then
    rm -rf "${bare:?}/$suite"
    mkdir -p "$bare"
    debootstrap --variant=minbase "$suite" "$bare/$suite"
    touch "$bare/$suite.done"
  fi
  mkdir -p "$bare/layer" "$bare/program"
  use_debs >"$bare/use.sh"
  readme_block cpp 'int main' >"$bare/program/my_program.cpp"
  readme_block cmake my_program >"$bare/program/CMakeLists.txt"
  # shellcheck disable=SC2016 # another shell's
  unshare -m bash -euc '
    bare=$1 suite=$2 debs=$3
    mount -t tmpfs tmpfs "$bare/layer"
    mkdir "$bare"/layer/{upper,work,root}
    mount -t overlay overlay -o "lowerdir=$bare/$suite,upperdir=$bare/layer/upper,workdir=$bare/layer/work" "$bare/layer/root"
    cd "$bare/layer/root"
    mount -t proc proc proc
    mkdir debs program
    cp "$debs"/*.deb debs
    cp "$bare"/program/* program
    cp "$bare/use.sh" .
    cp /etc/resolv.conf etc
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root chroot . bash /use.sh' _ "$bare" "$suite" "$debs"
}

if [[ ${1:-} == --try ]]; then
  try_debs
else
  make_debs
  check_debs
fi
