#!/bin/sh
# exports.sh NM LIBRARY: the library exports what is marked, and no symbol of a template or of an inline
# function: of such a one the program may have a copy, compiled by other flags, that replaces the library's. Only
# the registry's functions are weak too; no header defines them.
set -eu
symbols=$("$1" -DC --defined-only "$2")
echo "$symbols" | grep -q ' T dyn::Solver::make('
[ "$(echo "$symbols" | grep -c ' W .*_algorithms<')" = 16 ]
[ "$(echo "$symbols" | grep -c ' W .*register_algorithm<')" = 16 ]
! echo "$symbols" | grep -v ' [TBDR] \| W .*_algorithms\?<'
