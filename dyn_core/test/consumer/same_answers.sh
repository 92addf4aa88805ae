#!/bin/sh
# same_answers.sh [EMULATOR]: in the build folder of the consumer: every program prints what the first prints.
set -eu
[ "$(wc -l <programs)" -ge 3 ]
while read -r program; do
  "$@" "./$program" >"$program.txt"
  [ -s "$program.txt" ]
  cmp plain.txt "$program.txt"
done <programs
