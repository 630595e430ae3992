#!/usr/bin/env bash
# The verbs assemble, kinematics, equilibrium and inverse as users see them: answers, sentences, exit statuses.
# usage: CARDAN_COMMAND=build/tools/cardan tests/tool/test_analyses.sh   (from the top of the checkout)
set -uo pipefail
# shellcheck source=tests/tool/support.sh
source tests/tool/support.sh

cat >"$work/short.yaml" <<'YAML'
cardan: 1
name: short
space: planar
parameters: {l: 0.3, d: 0.8}
bodies:
  crank: {mass: 1.0, inertia: 0.01, position: [0.1, 0]}
  rod: {mass: 2.0, inertia: 0.02, position: [0.3, 0.1]}
joints:
  main: {type: revolute, bodies: [ground, crank], local: {a: [0, 0], b: [-0.1, 0]}}
  pin: {type: revolute, bodies: [crank, rod], local: {a: [0.1, 0], b: ["-l/2", 0]}}
  end: {type: revolute, bodies: [rod, ground], local: {a: ["l/2", 0], b: [d, 0]}}
YAML
printf 'cardan: 1\nname: stone\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  stone: {mass: 1, inertia: 1}\n' >"$work/stone.yaml"

# ---- assemble

run assemble models/slider_crank.yaml --at main=0.5 --json
ok "assemble_meets_a_joint_coordinate" all exits 0 -- json \
    "abs(d['joints']['main']['coordinate'] - 0.5) < 1e-12 and d['residual'] < 1e-12 and d['status'] == 'ok'"
run assemble "$work/short.yaml"
ok "impossible_lengths_are_refused_by_joints_and_length" all exits 3 -- says "'pin' by 0.1" -- says "parameter 'd' about 0.5"
run assemble "$work/short.yaml" --json
ok "and_in_json" all exits 3 -- json "d['status'] == 'failed' and 'pin' in d['reason']"
run assemble "$work/short.yaml" --set l=0.8 --hold nobody
ok "a_body_that_is_not_there_is_refused" all exits 2 -- says "no body 'nobody'"
run assemble models/slider_crank.yaml --at main
ok "a_coordinate_without_value_is_refused" all exits 2 -- says 'JOINT=VALUE'

# ---- assemble -o

cat >"$work/rough.yaml" <<'YAML'
# a four-bar from rough poses, sketched by Jürgen
cardan: 1
name: rough
space: planar   # in the plane
gravity: [0, -9.81]
parameters: {l: 0.6}
bodies:
  crank: {mass: 1.0, inertia: 0.01, position: [0.1, 0]}  # short
  # the coupler
  rod:
    mass: 2.0
    inertia: 0.02 # kg m^2
    position:
      - "l/2"   # middle
      - 0.1
  rocker: {mass: 1, inertia: 0.03, position: [0.7, 0.2], angle: 1.4}
joints:
  main: {type: revolute, bodies: [ground, crank], point: [0, 0]}
  pin: {type: revolute, bodies: [crank, rod], local: {a: [0.1, 0], b: ["-l/2", 0]}}
  elbow: {type: revolute, bodies: [rod, rocker], local: {a: ["l/2", 0], b: [0.2, 0]}}
  end: {type: revolute, bodies: [rocker, ground], local: {a: [-0.2, 0], b: [0.7, 0]}}
start: {joints: {main: 0.3}, rates: {main: 2}}
outputs: [rod.x, rod.y, rocker.angle, crank.vy]
YAML
# same A B: two tables of numbers agree
same() { python3 - "$1" "$2" <<'PY'
import sys
one, two = ([[float(x) for x in line.split(',')] for line in list(open(p))[1:]] for p in sys.argv[1:3])
assert len(one) == len(two) > 5
assert max(abs(x - y) for a, b in zip(one, two) for x, y in zip(a, b)) < 1e-10
PY
}
# numbers_alone A B: the comments of A are all in B, and lines without bodies or start are the same
numbers_alone() {
    diff <(grep -o '#.*' "$1") <(grep -o '#.*' "$2") && diff <(sed -n '/^joints:/,/end:/p' "$1") <(sed -n '/^joints:/,/end:/p' "$2") &&
        diff <(head -n 7 "$1") <(head -n 7 "$2")
}
run assemble "$work/rough.yaml" -o "$work/closed.yaml"
ok "the_corrected_file_keeps_comments_and_joints" all exits 0 -- numbers_alone "$work/rough.yaml" "$work/closed.yaml"
run check "$work/closed.yaml" --json
ok "and_is_closed" all exits 0 -- json "d['residual']['position'] < 1e-12 and d['residual']['velocity'] < 1e-12"
for name in rough closed; do
    run run "$work/$name.yaml" --end 0.5 --step 0.005 -o "$work/$name.csv"
done
ok "and_runs_the_same_motion" same "$work/rough.csv" "$work/closed.csv"
cp "$work/closed.yaml" "$work/again.yaml"
run assemble "$work/again.yaml" -o "$work/again.yaml"
ok "a_file_that_is_closed_is_written_as_it_is" all exits 0 -- cmp "$work/closed.yaml" "$work/again.yaml"
run assemble models/double_wishbone.yaml --at lower_hinge=0.1 --alternatives 0 -o "$work/wishbone.yaml"
run check "$work/wishbone.yaml" --json
ok "points_and_axes_in_space_move_along" all exits 0 -- json "d['residual']['position'] < 1e-12"
run assemble models/cart_pendulum.yaml --at rail=0.05 -o "$work/none.yaml"
ok "a_law_of_a_coordinate_that_moved_is_named_and_nothing_written" all exits 3 -- says "force 'feedback'" -- test ! -e "$work/none.yaml"
cat >"$work/driven.yaml" <<'YAML'
cardan: 1
name: driven
space: planar
bodies:
  arm: {mass: 1.0, inertia: 0.01, position: [0.1, 0.05]}
joints:
  main: {type: revolute, bodies: [ground, arm], local: {a: [0, 0], b: [-0.1, 0]}}
  drive: {type: driver, joint: main, value: "0.4 + t"}
YAML
run assemble "$work/driven.yaml" -o "$work/none.yaml"
ok "a_drive_of_a_coordinate_that_moved_is_named" all exits 3 -- says "'drive'" -- test ! -e "$work/none.yaml"
sed -e '/drive:/d' -e 's/^joints:/forces: {stop: {type: limit, joint: main, range: [-3, 3], stiffness: 10}}\n&/' "$work/driven.yaml" >"$work/stopped.yaml"
run assemble "$work/stopped.yaml" --at main=0.4 -o "$work/none.yaml"
ok "a_stop_that_is_far_away_is_named_too" all exits 3 -- says "'stop'" -- test ! -e "$work/none.yaml"
run assemble "$work/rough.yaml" -o "$work/no/such/folder.yaml"
ok "a_folder_that_is_not_there_is_told" exits 5
run assemble "$work/rough.yaml" --set l=0.61 -o "$work/none.yaml"
ok "set_and_output_together_are_refused" all exits 2 -- test ! -e "$work/none.yaml"

# ---- kinematics

run kinematics models/slider_crank.yaml --sweep main=0.1:6.2:12
ok "a_sweep_prints_a_row_a_step" all exits 0 -- test "$(wc -l <"$work/out")" -eq 14
run kinematics models/slider_crank.yaml --sweep guide=-0.1:-0.5:8 --json
ok "a_dead_point_is_located_and_named" all exits 4 -- says 'dead point' -- json \
    "abs(d['dead_point'] + 0.4) < 1e-10 and d['status'] == 'failed' and len(d['rows']) > 3"
run kinematics models/double_pendulum.yaml
ok "nothing_driven_is_told" all exits 3 -- says 'nothing drives'
run kinematics models/double_pendulum.yaml --sweep shoulder=0:1:3
ok "joints_that_still_move_are_named" all exits 3 -- says "'elbow'" -- test ! -s "$work/out"
run kinematics models/slider_crank.yaml --sweep main=0:1
ok "a_sweep_without_steps_is_refused" all exits 2 -- says 'A:B:N'

# ---- equilibrium

run equilibrium models/pendulum.yaml
ok "the_answer_is_in_words_first" all exits 0 -- test "$(head -n 1 "$work/out" | grep -c 'at rest, stable')" -eq 1
run equilibrium models/double_pendulum.yaml --starts 20 --json
ok "several_equilibria_are_listed_lowest_first" all exits 0 -- json \
    "d['equilibria'][0]['stability'] == 'stable' and d['equilibria'][-1]['stability'] == 'unstable'"
run equilibrium "$work/stone.yaml"
ok "a_stone_that_falls_is_named" all exits 4 -- says "'stone'"
run equilibrium models/rolling_disc.yaml
ok "rolling_is_refused_by_name" all exits 3 -- says "'road'"
run equilibrium models/double_wishbone.yaml --loads upright
ok "loads_on_a_body_are_listed" all exits 0 -- test "$(grep -c '^    \(lower_ball\|upper_ball\|track_rod\|gravity\|inertia\|sum\) ' "$work/out")" -ge 6

run equilibrium models/flyball_governor.yaml --rate base=5 --json
ok "a_governor_at_its_speed_is_found" all exits 0 -- json \
    "d['kind'] == 'steady motion' and d['equilibria'][0]['stability'] == 'stable' and abs(d['joints']['base']['rate'] - 5) < 1e-12"
run equilibrium models/flyball_governor.yaml --rate base=5
ok "a_steady_motion_is_told_in_words_first" all exits 0 -- \
    test "$(head -n 1 "$work/out" | grep -c 'steady motion, stable')" -eq 1
run equilibrium models/four_bar.yaml --rate main=3
ok "what_cannot_stay_at_rest_is_named" all exits 3 -- says 'would open'
run equilibrium models/pendulum.yaml --steady
ok "a_steady_motion_without_rates_is_refused" all exits 3 -- says 'nothing has a rate'
run equilibrium models/six_axis_arm.yaml --steady
ok "drives_that_stand_still_are_no_rates" all exits 3 -- says 'nothing has a rate'
run equilibrium models/flyball_governor.yaml --rate shaft=5
ok "a_rate_of_no_joint_is_refused" all exits 2 -- says "'shaft'"

# ---- inverse

run inverse models/peaucellier.yaml --motor Q --end 1 --step 0.5 --json
ok "motor_forces_are_found" all exits 0 -- json "d['status'] == 'ok' and len(d['rows']) == 3 and d['left'] < 1e-9"
run inverse models/six_axis_arm.yaml --motor j1 --end 0.2 --step 0.1 --json
ok "too_few_motors_are_told" all exits 0 -- json "d['status'] == 'under_actuated'"
run inverse models/peaucellier.yaml
ok "motors_must_be_named" all exits 2 -- says '--motor'

finish
