#!/usr/bin/env bash
# `cardan view` as its users see it but for the page itself (test_page.sh): exit statuses, sentences, what the page holds.
# usage: CARDAN_COMMAND=build/tools/cardan tests/tool/test_view.sh   (from the top of the checkout)
set -uo pipefail
# shellcheck source=tests/tool/support.sh
source tests/tool/support.sh

# Stands for three.js, so that these tests need no package.
echo 'var THREE = {InstancedMesh: 1};' >"$work/three.js"
export CARDAN_THREE="$work/three.js"

# scene FILE EXPRESSION: a condition over d, the scene in a page, r, its first run, and page, its text
scene() {
    python3 - "$1" "$2" <<'PYTHON'
import json, sys
page = open(sys.argv[1]).read()
d = json.loads(page.split('id="scene">', 1)[1].split('</script>', 1)[0])
r = d['runs'][0]
joint = {j['name']: j for j in r['joints']}
sys.exit(0 if eval(sys.argv[2]) else 1)
PYTHON
}

# ---- pages

run view models/slider_crank.yaml --end 1 -o "$work/a.html"
ok "a_page_is_written_and_said_so" all exits 0 -- silent -- prints 'frames to t = 1 s' -- test -s "$work/a.html"
ok "it_has_the_mechanism" scene "$work/a.html" \
    "[b['name'] for b in r['bodies']] == ['crank', 'rod', 'slider'] and joint['guide']['type'] == 'prismatic' and r['planar']"
ok "it_has_the_geometry_with_parameters" scene "$work/a.html" \
    "r['bodies'][0]['shapes'] == [{'kind': 'rod', 'from': [-0.1, 0.0, 0.0], 'to': [0.1, 0.0, 0.0], 'radius': 0.01}]"
ok "joints_say_where_they_are" scene "$work/a.html" "joint['pin']['pa'] == [0.1, 0, 0] and joint['pin']['pb'] == [-0.2, 0, 0]"
ok "it_has_a_policy_and_three_js_inside" scene "$work/a.html" \
    "\"default-src 'none'\" in page and 'InstancedMesh: 1' in page and 'http://' not in page.replace('http://www.w3.org', '')"
run view models/slider_crank.yaml --end 1 --set r=0.3 -o "$work/b.html"
ok "geometry_follows_parameters" scene "$work/b.html" "r['bodies'][0]['shapes'][0]['to'] == [0.15, 0, 0]"
run view models/slider_crank.yaml --end 0.5 --ghost r=0.15 --ghost r=0.1,l=0.5 --trace rod:0,0.1 -o "$work/c.html"
ok "ghosts_and_paths_are_in_it" all exits 0 -- scene "$work/c.html" \
    "len(d['runs']) == 3 and d['runs'][2]['label'] == 'r=0.1,l=0.5' and d['traces'][0]['point'] == [0, 0.1, 0] and d['runs'][1]['arrows'] == []"
run view models/pendulum.yaml models/double_pendulum.yaml --end 0.2 -o "$work/d.html"
ok "further_models_are_ghosts" all exits 0 -- scene "$work/d.html" "[x['name'] for x in d['runs']] == ['pendulum', 'double_pendulum']"
run view models/every_load.yaml --end 0.1 -o "$work/e.html"
ok "forces_are_in_it" all exits 0 -- scene "$work/e.html" \
    "{f['type'] for f in r['forces']} >= {'spring', 'torsion', 'bushing', 'force', 'torque', 'friction', 'limit', 'contact'}"
run view models/pendulum.yaml --end 0.2 -o -
ok "a_page_goes_to_stdout" all exits 0 -- silent -- prints '^<!DOCTYPE html>'
run view models/pendulum.yaml --end 5 --frames 7 -o "$work/f.html"
ok "frames_are_bounded" all exits 0 -- scene "$work/f.html" "r['frames'] <= 7"
(cd "$work" && cp "$OLDPWD/models/pendulum.yaml" some_name.yaml && "$cardan" view some_name.yaml --end 0.1 >"$work/out" 2>"$work/err")
ok "without_a_name_the_page_is_called_as_the_model" test -s "$work/some_name.html"

# ---- the pose as written

python3 - models/four_bar.yaml "$work/open.yaml" <<'PYTHON'
import re, sys
text = open(sys.argv[1]).read()
# one joint held by points of its own that do not meet: 0.3 m off
name, a, b = re.search(r'^  (\w+): *\{type: revolute, *bodies: \[(\w+), *(\w+)\]', text, re.M).groups()
line = '  %s: {type: revolute, bodies: [%s, %s], local: {a: [0.3, 0], b: [0, 0]}}' % (name, a, b)
text = re.sub(r'^  %s: .*$' % name, line, text, flags=re.M)
open(sys.argv[2], 'w').write(text)
PYTHON
run view "$work/open.yaml" --pose -o "$work/g.html"
ok "a_pose_with_an_open_joint_makes_a_page" all exits 0 -- says 'do not meet\|does not meet\|residual' -- scene "$work/g.html" \
    "r['frames'] == 1 and any(j.get('residual', [0])[0] > 0.05 for j in r['joints']) and r['reason']"
run view "$work/open.yaml" -o "$work/h.html"
ok "a_run_that_cannot_start_leaves_a_page_and_its_exit_status" all exits 3 -- test -s "$work/h.html"
run view models/bricard.yaml --pose -o "$work/i.html"
ok "redundant_joints_are_marked" all exits 0 -- scene "$work/i.html" \
    "r['check']['redundant'] == 1 and r['check']['freedom'] == 1 and all(j['redundant'] for j in r['joints'])"
run check models/pendulum.yaml
ok "check_offers_a_look" all exits 0 -- prints 'cardan view models/pendulum.yaml'

# ---- what is wrong

CARDAN_THREE="$work/nowhere.js" run view models/pendulum.yaml -o "$work/x.html"
ok "three_js_that_is_not_there_is_an_io_error" all exits 5 -- says "three.js could not be read from '$work/nowhere.js'" -- test ! -e "$work/x.html"
echo 'nothing' >"$work/other.js"
run view models/pendulum.yaml --three "$work/other.js" -o "$work/x.html"
ok "a_file_that_is_not_three_js_is_refused" all exits 5 -- says 'is not three.js'
run view models/nowhere.yaml
ok "a_model_that_is_not_there_is_an_io_error" exits 5
run view result.csv
ok "results_without_poses_are_refused_by_name" all exits 2 -- says 'give the model file'
run view models/pendulum.yaml --trace nobody -o "$work/x.html"
ok "a_path_of_an_unknown_body_is_a_usage_error" all exits 2 -- says "no body 'nobody'"
run view models/pendulum.yaml --trace bob:1,2,3,4 -o "$work/x.html"
ok "a_path_of_a_bad_point_is_a_usage_error" exits 2
run view models/slider_crank.yaml --ghost r -o "$work/x.html"
ok "a_ghost_without_a_value_is_a_usage_error" all exits 2 -- says 'expected PARAM=VALUE'
run view models/slider_crank.yaml --ghost q=1 -o "$work/x.html"
ok "a_ghost_of_an_unknown_parameter_is_a_usage_error" all exits 2 -- says 'q'
run view models/pendulum.yaml --frames one -o "$work/x.html"
ok "a_word_for_frames_is_a_usage_error" all exits 2 -- says 'whole number'
run view models/pendulum.yaml --end 0.1 -o "$work/no/such/folder.html"
ok "a_page_that_cannot_be_written_is_an_io_error" all exits 5 -- says 'could not be opened'
run view models/pendulum.yaml --end 0.1 -o /dev/full
ok "a_full_disk_is_an_io_error" all exits 5 -- says 'could not be written'

# ---- remarks of a sanity look, in check and before a run

remarked() { # NAME PATTERN TEXT-OF-MODEL: check and run remark it, and go on
    printf 'cardan: 1\nname: m\n%s\nsimulation: {end: 0.01}\n' "$3" >"$work/m.yaml"
    run check "$work/m.yaml"
    ok "check_remarks_$1" all exits 0 -- prints "remark .*$2"
    run run "$work/m.yaml"
    ok "run_remarks_$1" all exits 0 -- prints "remark .*$2"
}
free='space: planar
bodies:
  a: {mass: 1, inertia: 0.1, position: [0.5, 0]}
  b: {mass: 1, inertia: 0.1, position: [1.5, 0]}
  c: {mass: 1, inertia: 0.1, position: [9, 0]}'
remarked "a_body_that_nothing_holds" "body 'c' has no joint" "$free
joints:
  j: {type: revolute, bodies: [ground, a], point: [0, 0]}
  k: {type: revolute, bodies: [a, b], point: [1, 0]}"
remarked "parts_that_are_not_connected" "not connected" "$free
joints:
  j: {type: revolute, bodies: [ground, a], point: [0, 0]}
  k: {type: revolute, bodies: [b, c], point: [1, 0]}"
remarked "degrees_for_radians" "more than a turn: is it in degrees" "space: planar
bodies: {a: {mass: 1, inertia: 0.1, position: [0.5, 0], angle: 90}}
joints: {j: {type: revolute, bodies: [ground, a], point: [0, 0]}}"
remarked "roll_pitch_yaw_in_degrees" "rpy has 45 rad" "space: spatial
bodies: {a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0], rpy: [0, 0, 45]}}
joints: {j: {type: spherical, bodies: [ground, a], point: [0, 0, 0]}}"
remarked "a_limit_in_degrees" "force 'stop': range has 60 rad" "space: planar
bodies: {a: {mass: 1, inertia: 0.1, position: [0.5, 0]}}
joints: {j: {type: revolute, bodies: [ground, a], point: [0, 0]}}
forces: {stop: {type: limit, joint: j, range: [-60, 60], stiffness: 10, damping: 0}}"
remarked "millimetres_for_metres" "is it in metres" "space: planar
bodies:
  a: {mass: 1, inertia: 0.1, position: [0.5, 0]}
  b: {mass: 1, inertia: 0.1, position: [1.5, 0]}
  c: {mass: 1, inertia: 0.1, position: [2.5, 0]}
joints:
  j: {type: revolute, bodies: [ground, a], point: [0, 0]}
  k: {type: revolute, bodies: [a, b], point: [1, 0]}
  l: {type: revolute, bodies: [b, c], point: [2000, 0]}"
remarked "an_inertia_in_other_units" "is it in kg m^2" "space: planar
bodies: {a: {mass: 1, inertia: 83000, position: [0.5, 0]}}
joints: {j: {type: revolute, bodies: [ground, a], point: [0, 0]}}"
remarked "an_inertia_that_is_far_too_small" "is it in kg m^2" "space: planar
bodies: {a: {mass: 1, inertia: 1e-12, position: [0.5, 0]}}
joints: {j: {type: revolute, bodies: [ground, a], point: [0, 0]}}"

quiet=1
for model in models/*.yaml; do
    run check "$model" --json
    json "not any('metres?' in x or 'kg m^2?' in x or 'degrees?' in x or 'connected' in x or 'holds it' in x for x in d['remarks'])" || quiet=0
done
ok "no_model_of_the_project_is_remarked_on" test "$quiet" -eq 1

finish
