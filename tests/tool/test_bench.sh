#!/usr/bin/env bash
# Every bench runs, at its smallest: what it measures is not looked at, only that it still measures.
# usage: CARDAN_COMMAND=build/tools/cardan tests/tool/test_bench.sh   (from the top of the checkout)
set -uo pipefail

# shellcheck source=tests/tool/support.sh
source "$(dirname "$0")/support.sh"

# objects NAME: each line is an object of this bench, whose numbers are finite and whose times are not negative
objects() {
    python3 - "$work/out" "$1" <<'PYTHON'
import json, math, sys
def refuse(word): raise ValueError(word)
def numbers(d): return [x for v in d.values() for x in (numbers(v) if isinstance(v, dict) else [v])]
lines = [json.loads(line, parse_constant=refuse) for line in open(sys.argv[1])]
good = len(lines) > 0
for d in lines:
    good &= d['bench'] == sys.argv[2]
    good &= all(math.isfinite(x) for x in numbers(d) if isinstance(x, (int, float)))
    seconds = d.get('seconds', {}) # ratios have none
    good &= all(s >= 0 for s in (seconds.values() if isinstance(seconds, dict) else [seconds]) if isinstance(s, (int, float)))
sys.exit(0 if good else 1)
PYTHON
}

# the names that the program itself lists
names="$("$(dirname "$cardan")/../bench/cardan-bench" 2>&1 | sed -n 's/^  \([a-z]*\) .*/\1/p')"
last='cardan-bench'
: >"$work/out"
: >"$work/err"
ok "there_are_benches" test "$(wc -w <<<"$names")" -ge 5
for name in $names; do
    run bench "$name" --quick --json
    ok "${name}_measures" all exits 0 -- silent -- objects "$name"
    run help bench
    ok "${name}_is_explained_by_the_command" prints "\b$name:\( \|$\)"
    run bench "$name" --quick
    ok "${name}_says_so_in_words" all exits 0 -- silent -- test -s "$work/out"
done
run bench rhs --quick --size 3 --json
ok "a_size_may_be_given_beside" all exits 0 -- json 'd["links"] == 3'
run bench rhs --size 0
ok "a_size_of_zero_is_refused" all exits 2 -- says 'usage'
run bench dance
ok "a_bench_that_there_is_not_is_refused" all exits 2 -- says 'passages'

finish
