#!/usr/bin/env bash
# Mutants of the models (tools/mutants), some hundreds, and that the judge of them sees what it is there for.
# usage: CARDAN_MUTANT_SERVER=build/tests/tool/mutant_server tests/tool/test_mutants.sh   (from the top of the checkout)
set -uo pipefail

# shellcheck source=tests/tool/support.sh
source "$(dirname "$0")/support.sh"
server="${CARDAN_MUTANT_SERVER:-build/tests/tool/mutant_server}"

# judged EXPRESSION: a condition over judge(status, out, err), of models/slider_crank.yaml and what was printed of it
judged() {
    python3 - "$work/out" "$1" <<'PYTHON'
import json, sys
sys.path.insert(0, 'tests/tool/mutants')
import judge as judges
text = open('models/slider_crank.yaml').read()
printed = open(sys.argv[1]).read()
def judge(status, out, err): return judges.judge(text, 'm.yaml', status, out if isinstance(out, str) else json.dumps(out), err)[0]
def moved(body, key, by):
    out = json.loads(printed)
    value = out['bodies'][body][key]
    if isinstance(value, list): value[0] += by
    else: out['bodies'][body][key] = value + by
    return out
sys.exit(0 if eval(sys.argv[2]) else 1)
PYTHON
}

run run models/slider_crank.yaml --json --end 0.02
ok "a run that is well is judged so" judged 'judge(0, printed, "") == "ok"'
ok "an open joint is seen" judged 'judge(0, moved("rod", "position", 1e-5), "") == "open"'
ok "a slider that turns is seen" judged 'judge(0, moved("slider", "angle", 1e-4), "") == "open"'
ok "what the tolerance allows is no opening" judged 'judge(0, moved("rod", "position", 1e-9), "") == "ok"'
ok "a number that is none is seen" judged 'judge(0, printed.replace("\"t\": 0.02", "\"t\": null"), "") == "not finite"'
ok "an infinity is seen" judged 'judge(0, printed.replace("\"t\": 0.02", "\"t\": Infinity"), "") == "not finite"'
ok "a refusal without a place is seen" judged 'judge(3, "", "m.yaml: something is wrong") == "not placed"'
ok "a refusal by line and column is one" judged 'judge(3, "", "m.yaml:3:1: something is wrong") == "refused"'
ok "a refusal by name is one" judged 'judge(4, "", "m.yaml: joint \x27pin\x27 opens") == "refused"'
ok "a signal is a crash, a time-out a hang" judged 'judge(-6, "", "") == "crash" and judge(-24, "", "") == "hang"'

last="tools/mutants"
timeout 200 tools/mutants 200 2 --server "$server" --budget 25 >"$work/out" 2>"$work/err"
status=$?
ok "two hundred mutants do nothing wrong" exits 0
sed 's/^/  /' "$work/out"

finish
