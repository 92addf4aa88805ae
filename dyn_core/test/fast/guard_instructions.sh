#!/bin/sh
# guard_instructions.sh PROGRAM COMPILER FIGURES: instructions per call of the fast kernels against stored
# figures, by callgrind. Instructions, unlike time, are the same on every run and every busy machine; they
# change with the compiler, so there is a figure for each. Fails where one is more than 5 % above.
set -eu
program=$1 compiler=$2 figures=$3 status=0 found=0
counted() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=guarded_region \
    "$program" "$1" "$2" 2>&1 | sed -n 's/.*Collected : *\([0-9]*\).*/\1/p'
}
for case in mass_matrix mass_matrix_inverse coriolis inverse_dynamics forward_dynamics \
  inverse_dynamics_derivatives forward_dynamics_derivatives batch_forward_dynamics; do
  for n in 7 30; do
    now=$(($(counted "$case" "$n") / 100))
    stored=$(awk -v c="$compiler" -v q="$case" -v n="$n" '$1 == c && $2 == q && $3 == n { print $4 }' "$figures")
    echo "$compiler $case $n $now"
    [ -n "$stored" ] || continue
    found=1
    if [ $((now * 100)) -gt $((stored * 105)) ]; then
      echo "  $case, n = $n: $now instructions a call, the stored figure is $stored" >&2
      status=1
    fi
  done
done
if [ $found = 0 ]; then
  echo "skipped: no figures are stored for $compiler; the lines above are what to add to $figures"
fi
exit $status
