#!/usr/bin/env bash
# The recipes of CONTRIBUTING.md, carried out: each adds its file from tests/tool/recipes/ and its lines to a copy of the
# sources, one build of library and command follows, and what was added is used. Every file touched stands in its recipe.
# usage: tests/tool/test_recipes.sh   (from the top of the checkout)
set -uo pipefail

# shellcheck source=tests/tool/support.sh
source "$(dirname "$0")/support.sh"

recipes="$(dirname "$0")/recipes"
copy="$work/copy"
mkdir "$copy"
cp -r src include tools models bench tests meson.build meson_options.txt "$copy/"

# ---- carrying out

recipe='' # heading in CONTRIBUTING.md
untrue=0

cited() { # FILE: whether the recipe names it
    sed -n "/^## $recipe\$/,/^## /p" CONTRIBUTING.md | grep -qF -- "\`$1\`"
}

begin() { # HEADING
    recipe="$1"
    files=0
    lines=0
}

touched() { # FILE AS_CITED: the folder of a new file stands for it
    if cited "$2"; then return 0; fi
    echo "  recipe '$recipe' does not name $2"
    untrue=$((untrue + 1))
}

file() { # NAME PATH CITED: a new file
    cp "$recipes/$1" "$copy/$2"
    files=$((files + 1))
    touched "$2" "$3"
}

line() { # PATH BEFORE TEXT: a line before the first line that holds BEFORE
    lines=$((lines + 1))
    touched "$1" "$1"
    if ! grep -qF -- "$2" "$copy/$1"; then
        echo "  recipe '$recipe': no line with '$2' in $1"
        untrue=$((untrue + 1))
        return 0
    fi
    awk -v before="$2" -v text="$3" 'index($0, before) && !done { print text; done = 1 } { print }' "$copy/$1" \
        >"$work/changed" && cp "$work/changed" "$copy/$1"
}

carried_out() { # the sum of one recipe
    echo "$recipe: $files new file(s), $lines line(s)"
    ok "recipe_$(tr 'A-Z ' 'a-z_' <<<"$recipe")_is_as_written" test "$untrue" -eq 0
    untrue=0
}

begin "A joint"
file hinge.c src/joint/hinge.c src/joint/
line include/cardan/builder.h '    CARDAN_JOINT_TYPES' '    CARDAN_JOINT_HINGE,'
# shellcheck disable=SC1003 # the line ends with a backslash
line src/joint/records.h '    X(PRISMATIC,' '    X(HINGE, crd_hinge) \\'
line src/meson.build "files('joint/joint.c')" "sources += files('joint/hinge.c')"
carried_out

begin "A force"
file homing.c src/force/homing.c src/force/
line include/cardan/builder.h '    CARDAN_FORCE_TYPES' '    CARDAN_FORCE_HOMING,'
# shellcheck disable=SC1003 # the line ends with a backslash
line src/force/records.h '    X(TORSION,' '    X(HOMING, crd_homing) \\'
line src/meson.build "files('force/limit.c')" "sources += files('force/homing.c')"
carried_out

begin "A stepper"
file ralston.c src/integrate/methods/ralston.c src/integrate/methods/
line include/cardan/options.h '    CARDAN_STEPPERS' '    CARDAN_STEPPER_RALSTON,'
line src/integrate/methods/method.h 'extern const CrdMethod crd_verlet' 'extern const CrdMethod crd_ralston;'
line src/integrate/methods/registry.c '[CARDAN_STEPPER_HEM]' '    [CARDAN_STEPPER_RALSTON] = &crd_ralston,'
line src/meson.build "files('integrate/methods/registry.c')" "sources += files('integrate/methods/ralston.c')"
carried_out

begin "A solver"
file conjugate.c src/linear/conjugate.c src/linear/
line include/cardan/options.h '    CARDAN_SOLVERS' '    CARDAN_SOLVER_CONJUGATE,'
line src/linear/solver.h 'extern const CrdSolverOps crd_solver_dense' 'extern const CrdSolverOps crd_solver_conjugate;'
line src/linear/solver.c '[CARDAN_SOLVER_SUPERNODAL] = ' '    [CARDAN_SOLVER_CONJUGATE] = &crd_solver_conjugate,'
line src/meson.build "files('linear/dense_solver.c')" "sources += files('linear/conjugate.c')"
carried_out

begin "A channel"
line src/measure/measure.h '    CRD_MEASURES' '    CRD_LOAD,'
line src/measure/measure.c '[CRD_STEP] =' '    [CRD_LOAD] = {"load", CRD_OF_MODEL, CRD_NEEDS_MULTIPLIERS, BOTH, ONE},'
line src/sim/channel.c 'case CRD_STEP:' "$(printf '    case CRD_LOAD:\n        values[0] = crd_max_abs(dynamics->lambda, structure->rows);\n        break;')"
carried_out

begin "A verb"
file count.c tools/count.c tools/
line tools/verbs.h 'extern const Verb verb_plot' 'extern const Verb verb_count; /* count.c */'
line tools/verbs.c '    NULL,' '    &verb_count,'
line tools/meson.build "files('completion_zsh.c')" "command_sources += files('count.c')"
carried_out

# ---- building, without optimisation; asserts are on

last='meson setup && ninja tools/cardan'
(cd "$copy" && meson setup build --buildtype=debug -Doptimization=0 -Ddebug=false -Db_ndebug=false -Dwerror=false \
    -Dwarning_level=0 -Dtests=disabled && ninja -C build tools/cardan) >"$work/out" 2>"$work/err"
status=$?
ok "what_was_added_builds" exits 0
if ((status != 0)); then
    grep -E 'error|FAILED' "$work/out" | head -n 20
    finish
    exit
fi
cardan="$copy/build/tools/cardan"
crank=models/slider_crank.yaml

# ---- using

run run "$crank" --end 1 --coordinates absolute --json # no tree has the new joint
cp "$work/out" "$work/exact"
# near TOLERANCE: the crank of the last run is where the default methods have it
near() {
    python3 - "$work/exact" "$work/out" "$1" <<'PYTHON'
import json, sys
a, b = (json.load(open(name))['bodies']['crank']['position'] for name in sys.argv[1:3])
sys.exit(0 if max(abs(x - y) for x, y in zip(a, b)) < float(sys.argv[3]) else 1)
PYTHON
}

sed 's/type: revolute/type: hinge/' "$crank" >"$work/hinge.yaml"
run run "$work/hinge.yaml" --end 1 --coordinates absolute --json
ok "the_new_joint_moves_as_the_one_it_copies" all exits 0 -- near 1e-14
cat >"$work/homing.yaml" <<'YAML'
cardan: 1
name: homing
space: planar
bodies:
  ball: {mass: 1.0, inertia: 1.0, position: [1, 0]}
forces:
  home: {type: homing, body: ball, stiffness: 4}
YAML
run run "$work/homing.yaml" --end 1 --rtol 1e-10 --atol 1e-10 --json
ok "the_new_force_swings_as_its_closed_form" all exits 0 -- json "abs(d['bodies']['ball']['position'][0] - math.cos(2)) < 1e-8"
sed 's/stiffness: 4/stiffness: -4/' "$work/homing.yaml" >"$work/bad.yaml"
run check "$work/bad.yaml"
ok "the_rules_of_its_fields_hold" all exits 3 -- says "stiffness"
run run "$crank" --end 1 --stepper ralston --step 1e-3 --json
ok "the_new_stepper_runs" all exits 0 -- near 1e-5
run help steppers
ok "the_new_stepper_is_in_the_help" prints "^  ralston  *Ralston's method"
run run "$crank" --stepper ralston
ok "the_new_stepper_wants_a_step" all exits 2 -- says "stepper 'ralston' estimates no error"
run run "$crank" --end 1 --solver conjugate --json
ok "the_new_solver_runs" all exits 0 -- near 1e-7
run check "$crank"
ok "the_new_solver_stands_beside_the_old" exits 0
sed '/^outputs:/d' "$crank" >"$work/load.yaml"
echo 'outputs: [load]' >>"$work/load.yaml"
run run "$work/load.yaml" --end 0.1 -o "$work/load.csv"
ok "the_new_channel_is_written" all exits 0 -- table "$work/load.csv" "h == ['t', 'load'] and rows[-1][1] > 0"
run count "$crank"
ok "the_new_verb_runs" all exits 0 -- prints '^3 bodies, 4 joints$'
run help count
ok "the_new_verb_has_help" all exits 0 -- prints 'usage: cardan count MODEL'

finish
