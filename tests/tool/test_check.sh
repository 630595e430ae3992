#!/usr/bin/env bash
# `cardan check` is a gate before `cardan run`: the same verdict, the same sentence, over models and bad inputs.
# usage: CARDAN_COMMAND=build/tools/cardan tests/tool/test_check.sh   (from the top of the checkout)
set -uo pipefail
# shellcheck source=tests/tool/support.sh
source tests/tool/support.sh

# The first instant that check looks at: a millionth of the run.
instant() { # FILE
    local end
    end="$(sed -n 's/.*[{ ]end: *\([0-9.e+-]*\).*/\1/p' "$1" 2>/dev/null | head -n 1)"
    awk -v end="${end:-1}" 'BEGIN { printf "%.17g", 1e-6 * end }'
}

# The verdict of check, with and without --json, is that of a run as short as that.
same_verdict() { # NAME FILE ARGUMENT...
    local name="$1" file="$2" expected
    shift 2
    run run "$file" --end "$(instant "$file")" "$@"
    expected="$status"
    sed 's/^cardan: run: /cardan: check: /' "$work/err" >"$work/said"
    run check "$file" "$@"
    ok "check_and_run_agree_on_$name" all exits "$expected" -- cmp -s "$work/err" "$work/said"
    run check "$file" --json "$@"
    ok "check_says_so_in_json_on_$name" all exits "$expected" -- cmp -s "$work/err" "$work/said" -- json \
        "d['ready'] is ($expected == 0) and ('reason' in d) == ($expected != 0) and isinstance(d['remarks'], list)"
    if ((expected != 0)); then
        ok "check_gives_the_sentence_of_run_on_$name" reason_in_said
    fi
}

reason_in_said() { # the reason in $work/out is what $work/said ends with
    python3 - "$work/out" "$work/said" <<'PYTHON'
import json, sys
reason = json.load(open(sys.argv[1]))['reason']
sys.exit(0 if reason and open(sys.argv[2]).read().rstrip('\n').endswith(reason) else 1)
PYTHON
}

refused() { # NAME STATUS FILE ARGUMENT...: as same_verdict, and it is this exit status
    local name="$1" expected="$2" file="$3"
    shift 3
    same_verdict "$name" "$file" "$@"
    ok "${name}_is_refused_with_$expected" exits "$expected"
}

for model in $(sampled models/*.yaml); do
    same_verdict "$(basename "$model" .yaml)" "$model"
done

# ---- bad inputs

pendulum() { # FILE SED-SCRIPT
    sed "$2" models/pendulum.yaml >"$work/$1"
}

refused a_missing_file 5 "$work/none.yaml"
refused a_directory 5 "$work"
: >"$work/empty.yaml"
refused an_empty_file 3 "$work/empty.yaml"
printf 'cardan: 1\nspace: [planar\n' >"$work/broken.yaml"
refused broken_yaml 3 "$work/broken.yaml"
pendulum type.yaml 's/type: distance/type: distence/'
refused an_unknown_joint_type 3 "$work/type.yaml"
pendulum output.yaml 's/^outputs:.*/outputs: [ball.height]/'
refused an_unknown_output 3 "$work/output.yaml"
pendulum stepper.yaml 's/^simulation:.*/simulation: {end: 1, stepper: best}/'
refused an_unknown_stepper 3 "$work/stepper.yaml"
refused an_unknown_parameter 3 models/slider_crank.yaml --set q=0.1
refused a_parameter_without_a_value 2 models/slider_crank.yaml --set r
refused a_parameter_that_is_no_number 2 models/slider_crank.yaml --set r=big
refused a_mass_that_is_no_mass 3 models/slider_crank.yaml --set l=0

body() { # FILE REST: one body on a rail
    printf 'cardan: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1}}\n%s\n' "$2" >"$work/$1"
}
rail='joints: {rail: {type: prismatic, bodies: [ground, b], axis: [1, 0]}}'

body law.yaml "$rail
forces: {f: {type: torque, joint: rail, value: \"sqrt(t - 1)\"}}
simulation: {end: 2}"
refused a_law_without_a_value_at_the_start 4 "$work/law.yaml"
body later.yaml "$rail
forces: {f: {type: torque, joint: rail, value: \"sqrt(1e-7 - t)\"}}
simulation: {end: 1}"
refused a_law_without_a_value_after_the_first_instant 4 "$work/later.yaml"
body open.yaml 'joints: {pin: {type: revolute, bodies: [ground, b], local: {a: [0, 0], b: [1, 0]}}}
simulation: {end: 1}'
refused an_open_joint 3 "$work/open.yaml"
body stepless.yaml "$rail
simulation: {end: 1, stepper: rk4}"
refused a_stepper_without_the_step_it_needs 2 "$work/stepless.yaml"
body two.yaml "joints:
  rail: {type: prismatic, bodies: [ground, b], axis: [1, 0]}
  slow: {type: driver, joint: rail, value: \"t\"}
  fast: {type: driver, joint: rail, value: \"2*t\"}
simulation: {end: 1}"
same_verdict two_drivers_that_disagree "$work/two.yaml"
ok "two_drivers_that_disagree_are_refused" test "$status" -ne 0

body endless.yaml "$rail"
run check "$work/endless.yaml" --json
ok "check_remarks_on_a_missing_end" all exits 0 -- json "d['ready'] and any('--end' in r for r in d['remarks'])"

# ---- what a start moves

cat >"$work/bars.yaml" <<'YAML'
cardan: 1
space: planar
bodies:
  crank: {mass: 1, inertia: 0.01, position: [0, 0.25]}
  rod: {mass: 2, inertia: 0.2, position: [0.5, 0.5]}
  rocker: {mass: 1, inertia: 0.01, position: [1.002, 0.25]}
joints:
  main: {type: revolute, bodies: [ground, crank], local: {a: [0, 0], b: [0, -0.25]}}
  pin: {type: revolute, bodies: [crank, rod], local: {a: [0, 0.25], b: [-0.5, 0]}}
  wrist: {type: revolute, bodies: [rod, rocker], local: {a: [0.5, 0], b: [0, 0.25]}}
  foot: {type: revolute, bodies: [ground, rocker], local: {a: [1.2, 0], b: [0, -0.25]}}
start: {positions: project, hold: [crank], rates: {main: 2}}
simulation: {end: 0.01}
YAML
run check "$work/bars.yaml" --json
ok "check_tells_what_a_start_moves" all exits 0 -- json "d['start']['moved_body'] == 'rocker' \
    and d['start']['bodies']['crank']['held'] and d['start']['bodies']['crank']['moved'] == 0 \
    and abs(d['start']['joints']['foot']['off'] - 0.198) < 1e-12 and d['start']['joints']['main']['rate_held'] \
    and abs(d['start']['joints']['main']['rate'] - 2) < 1e-12 and len(d['start']['accelerations']) == 9 \
    and len(d['start']['joints']['foot']['multipliers']) == 2"
run check "$work/bars.yaml"
ok "check_tells_it_in_words" test "$(grep -c "crank  *held, moved 0 m\|rocker  *moved 0\.\|main .*rate 2 asked for" "$work/out")" -eq 3
run run "$work/bars.yaml" --json
ok "run_tells_the_largest_changes" all exits 0 -- json "d['start']['moved'] > 0.05 and d['start']['spin'] >= 2"

# ---- for people

run check "$work/open.yaml"
ok "the_verdict_stands_in_the_first_line" test "$(head -n 1 "$work/out" | grep -c 'not ready: ')" -eq 1
run check models/equal_slider_crank.yaml
ok "a_model_that_is_ready_says_so_first" test "$(head -n 1 "$work/out" | grep -c 'ready to run')" -eq 1

finish
