#!/usr/bin/env bash
# The instructions of one right-hand side of each mechanism of bench/rhs_count.c have not grown against those kept; and
# the comparison itself refuses what has. With a compiler or options of which none are kept, only the latter is looked at.
# Rows of a run file cost no more than is held.
# usage: CARDAN_COMMAND=build/tools/cardan tests/tool/test_instructions.sh   (from the top of the checkout)
set -uo pipefail

# shellcheck source=tests/tool/support.sh
source "$(dirname "$0")/support.sh"

build="$(dirname "$cardan")/.."
count() { # ARGUMENT...
    last="bench/instructions $*"
    bench/instructions "$@" >"$work/out" 2>"$work/err"
    status=$?
}

# ---- without the tool, or without counts: said, and nothing compared
mkdir "$work/bare"
for tool in bash dirname mktemp rm grep; do ln -s "$(command -v "$tool")" "$work/bare/$tool"; done
PATH="$work/bare" count --check "$build"
ok "without_valgrind_it_is_skipped_with_a_sentence" all exits 77 -- prints 'skipped: valgrind is not there'
if ! command -v valgrind >/dev/null; then
    echo "skipped: valgrind is not there, so no instructions are counted"
    ((failed == 0)) && exit 77
    exit 1
fi
echo "cc-0-pdp11-O9-plain chain_64 1" >"$work/other"
count --check "$build" "$work/other"
ok "counts_of_another_compiler_are_not_compared" all exits 77 -- prints 'skipped: no counts are kept'

# ---- counts of this build, one made 6 and one 4 percent smaller: only the first has grown too much
mechanisms="$("$build/bench/rhs-count" --list | wc -l)"
count --keep "$build" "$work/own"
ok "counts_are_kept" all exits 0 -- silent -- test "$(grep -c '^[^#]' "$work/own")" -eq "$mechanisms"
awk '$2 == "bricard" { $3 = int($3 / 1.06) } $2 == "vehicle" { $3 = int($3 / 1.04) } { print }' "$work/own" >"$work/less"
count --check "$build" "$work/less"
ok "six_percent_more_fail" all exits 1 -- prints '^bricard .*has grown by more than 5 percent'
ok "four_percent_more_pass" test "$(grep -c 'has grown' "$work/out")" -eq 1
ok "the_same_count_comes_again" test "$(grep -c ' 1[.]0000 ' "$work/out")" -eq "$((mechanisms - 2))"

# ---- rows beside the run without them; over 10 s in bench/instructions --rows
count --rows "$build" 2
if ((status != 77)); then
    ok "rows_of_a_run_file_cost_no_more_than_is_held" all exits 0 -- prints '^chain_64: .* percent more'
fi
cat -- "$work/out"

# ---- the counts of the repository
count --check "$build"
if ((status == 77)); then
    cat -- "$work/out"
    if ((failed == 0)); then exit 77; fi
else
    ok "no_right_hand_side_has_grown_by_more_than_5_percent" exits 0
fi
cat -- "$work/out"

finish
