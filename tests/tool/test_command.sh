#!/usr/bin/env bash
# The command as its users see it: exit statuses, what it prints and where, result files, plots.
# usage: CARDAN_COMMAND=build/tools/cardan tests/tool/test_command.sh   (from the top of the checkout)
# Prints 'ok NAME' or 'not ok NAME' for each test, and the sum in the words tools/test counts.
set -uo pipefail

# shellcheck source=tests/tool/support.sh
source "$(dirname "$0")/support.sh"

# ---- help and usage

run
ok "without_words_it_lists_the_verbs" all exits 0 -- prints 'run MODEL' -- silent
run --help
ok "help_option_lists_the_verbs" all exits 0 -- prints 'check MODEL'
run help run
ok "help_of_a_verb_lists_its_options" all exits 0 -- prints '--output-step H' -- prints 'dop853'
run help steppers
ok "help_of_steppers_says_what_each_one_is" all exits 0 -- silent -- prints '^  dop853  *[A-Z]' -- prints '^  rattle  *[A-Z]'
run help solvers
ok "help_of_solvers_says_what_each_one_is" all exits 0 -- silent -- prints '^  auto  *the ' -- prints '^  supernodal  *[a-z]'
run run --help
ok "help_option_of_a_verb_is_its_help" all exits 0 -- prints '--output-step H'
run --version
ok "version_is_printed" all exits 0 -- prints '^cardan [0-9]*\.[0-9]*\.[0-9]*$'
run man run
ok "man_page_is_roff" all exits 0 -- prints '^\.TH CARDAN' -- prints 'stabilise'
run completion bash
ok "completion_is_bash" all exits 0 -- bash -n "$work/out" -- prints 'output-step'
run completion zsh
ok "completion_for_zsh_lists_verbs_options_and_values" all exits 0 -- prints '^#compdef cardan$' -- prints "'run:" -- \
    prints "'\*--output-step\[.*\]:H:' " -- prints "'\*--stepper\[.*:(.* dop853 .*)'"
run completion fish
ok "completion_for_fish_lists_verbs_options_and_values" all exits 0 -- prints '^complete .* -a run -d ' -- \
    prints '_verb run. -l output-step -x -d ' -- prints "-l stepper -x -a '.* dop853 .*' -d "
run completion csh
ok "other_shells_are_refused" all exits 2 -- says 'bash, zsh and fish'
run rum
ok "unknown_verb_gets_a_suggestion" all exits 2 -- says "did you mean 'run'"
run sweep x
ok "verbs_of_later_versions_are_refused_by_name" all exits 2 -- says 'not in this version'
run help sweep
ok "help_of_later_verbs_says_so" all exits 2 -- says 'not in this version'
run run models/pendulum.yaml --stabalise post
ok "unknown_option_gets_a_suggestion" all exits 2 -- says "did you mean '--stabilise'"
run run models/pendulum.yaml --checkpoint "$work/no/such/folder" --every soon
ok "a_word_for_the_time_between_checkpoints_is_a_usage_error" all exits 2 -- says 'expected seconds'
run run
ok "missing_model_is_a_usage_error" exits 2
run run models/pendulum.yaml --end
ok "missing_value_is_a_usage_error" all exits 2 -- says 'needs a value'
run run models/pendulum.yaml models/pendulum.yaml
ok "second_model_is_a_usage_error" exits 2
run run models/pendulum.yaml --end soon
ok "a_word_for_a_number_is_a_usage_error" exits 2
run run models/pendulum.yaml --end -1
ok "negative_end_is_a_usage_error" exits 2
run run models/pendulum.yaml --stepper rk5
ok "unknown_stepper_is_a_usage_error" all exits 2 -- says 'rk4'
run run models/pendulum.yaml --stabilise post:3
ok "three_passes_are_refused" exits 2
run run models/pendulum.yaml --stabilise post:2,form
ok "stabilise_keys_need_values" exits 2
run run models/pendulum.yaml -o "$work/x.gltf"
ok "a_format_there_is_none_for_is_told_those_there_are" all exits 2 -- says '.glb'
run run models/pendulum.yaml -o "$work/x.txt"
ok "unknown_kind_of_result_is_refused" exits 2
run run models/pendulum.yaml -o "$work/x.csv" -o "$work/x.csv"
ok "one_result_file_twice_is_refused" exits 2
run run models/pendulum.yaml --json -o -
ok "json_and_rows_on_stdout_are_refused" exits 2

# ---- run

run run models/pendulum.yaml --json
ok "pendulum_json_meets_the_closed_form" all exits 0 -- silent -- json \
    "d['t'] == 10 and abs(d['bodies']['ball']['position'][0] + 0.27508746257611686) < 1e-10"
ok "json_has_the_keys_of_the_contract" json \
    "list(d) == ['model', 't', 'status', 'coordinates', 'start', 'bodies', 'joints', 'energy', 'residual', 'work', 'events', 'units']"
ok "json_work_has_the_keys_of_the_contract" json \
    "list(d['work']) == ['steps', 'rejected', 'rhs', 'factorisations', 'solves', 'cpu_seconds', 'allocations_in_steps']"
ok "steps_allocate_nothing" json "d['work']['allocations_in_steps'] in (0, None)"
ok "particle_has_only_position_and_velocity" json "list(d['bodies']['ball']) == ['position', 'velocity']"
ok "distance_joint_has_its_length" json "abs(d['joints']['bar']['length'] - 1) < 1e-12 and 'rate' not in d['joints']['bar']"
ok "planar_vectors_have_two_numbers_and_a_moment_one" json \
    "len(d['joints']['bar']['reaction']['force']) == 2 and isinstance(d['joints']['bar']['reaction']['moment'], float)"
cp "$work/out" "$work/first"
run run models/pendulum.yaml --json
ok "the_same_run_gives_the_same_bits" cmp -s <(sed 's/"cpu_seconds": [^,]*//' "$work/first") \
    <(sed 's/"cpu_seconds": [^,]*//' "$work/out")
run run models/heavy_top.yaml --json
ok "spatial_bodies_have_quaternions" all exits 0 -- json \
    "list(d['bodies']['top']) == ['position', 'quaternion', 'velocity', 'angular_velocity']"
ok "spatial_moments_have_three_numbers" json "len(d['joints']['tip']['reaction']['moment']) == 3"
run run models/slider_crank.yaml --end 1 --json
ok "joints_have_their_coordinates" all exits 0 -- json \
    "{'angle', 'rate'} < set(d['joints']['main']) and {'displacement', 'speed'} < set(d['joints']['guide'])"
run run models/pendulum.yaml --end 1
ok "without_json_a_short_account_is_printed" all exits 0 -- prints 'reached t = 1 s' -- silent
run run models/pendulum.yaml --end 0.5 --stepper rk4 --step 0.01 --json
ok "fixed_steps_are_taken" all exits 0 -- json "d['work']['steps'] == 50 and d['work']['rejected'] == 0"
run run models/pendulum.yaml --end=0.5 --stepper=rk4 --step=0.01 --stabilise=project --solver=dense --json
ok "options_with_equals_signs" all exits 0 -- json "d['work']['steps'] == 50"
run run models/slider_crank.yaml --set r=0.1 --end 0.5 --json
ok "set_changes_a_parameter" all exits 0 -- json "d['bodies']['crank']['position'][0]**2 + d['bodies']['crank']['position'][1]**2 < 0.0026"
run run models/slider_crank.yaml --set r=0.1 --set l=0.3 --end 0.1 --json
ok "set_may_be_given_twice" all exits 0 -- json "d['bodies']['slider']['position'][0] < 0.401"
run run models/slider_crank.yaml --set q=0.1
ok "set_of_an_unknown_parameter_is_refused" all test "$status" -ne 0 -- says "'q'"
run run models/slider_crank.yaml --set r
ok "set_without_a_value_is_a_usage_error" exits 2
run run models/slider_crank.yaml --set r=big
ok "set_to_a_word_is_a_usage_error" exits 2
run run models/slider_crank.yaml --set r=nan
ok "set_to_nan_is_a_usage_error" exits 2

sed 's/^simulation:.*/simulation: {}/' models/pendulum.yaml >"$work/endless.yaml"
run run "$work/endless.yaml"
ok "a_missing_end_is_asked_for" all exits 2 -- says '--end'
run run "$work/endless.yaml" --end 0.1
ok "end_may_come_from_the_command_line" exits 0

run run "$work/none.yaml"
ok "a_missing_file_is_an_io_error" all exits 5 -- says 'none.yaml'
sed 's/type: distance/type: distence/' models/pendulum.yaml >"$work/bad.yaml"
run run "$work/bad.yaml" --json
ok "a_bad_model_is_named_by_place" all exits 3 -- says "^$work/bad.yaml:[0-9]*:[0-9]*: .*distance"
run check "$work/bad.yaml"
ok "check_refuses_a_bad_model" all exits 3 -- says "^$work/bad.yaml:[0-9]*:[0-9]*: "
sed 's/^outputs:.*/outputs: [ball.height]/' models/pendulum.yaml >"$work/bad.yaml"
run run "$work/bad.yaml"
ok "an_unknown_output_is_a_model_error" all exits 3 -- says 'yaml:[0-9]*:[0-9]*: outputs: .*height'

cat >"$work/burst.yaml" <<'YAML'
cardan: 1
space: planar
bodies:
  ball: {mass: 1, particle: true, position: [1, 0]}
  rod: {mass: 1, inertia: 1, position: [0, 1]}
joints:
  pin: {type: revolute, bodies: [ground, rod], point: [0, 0]}
forces:
  push: {type: force, body: ball, value: ["100*ball.x^3", 0]}
simulation: {end: 1}
outputs: [ball.x]
YAML
run run "$work/burst.yaml" --json -o "$work/burst.csv"
ok "a_run_that_cannot_go_on_leaves_with_4_and_its_state" all exits 4 -- says 'burst.yaml: ' -- json \
    "d['status'] == 'failed' and d['reason'] and 0.1 < d['t'] < 0.2 and len(d['bodies']) == 2"
ok "its_result_file_ends_at_the_last_good_step" table "$work/burst.csv" "0.1 < rows[-1][0] < 0.2"

run run models/pendulum.yaml --stepper euler --step 0.1 --end 1
ok "energy_from_nothing_is_remarked" all exits 0 -- prints 'remark .*energy and work balance'

# ---- result files

run run models/slider_crank.yaml --end 1 -o "$work/a.csv" -o "$work/b.csv"
ok "result_files_are_written" all exits 0 -- prints 'a.csv' -- cmp -s "$work/a.csv" "$work/b.csv"
ok "columns_are_the_outputs_of_the_file" table "$work/a.csv" \
    "h == ['t', 'main.angle', 'slider.x', 'pin.reaction.fx', 'pin.reaction.fy', 'pin.reaction.m', 'energy.kinetic', 'energy.potential', 'energy.total', 'residual.position', 'residual.velocity']"
ok "rows_go_from_the_start_to_the_end" table "$work/a.csv" \
    "rows[0][0] == 0 and rows[-1][0] == 1 and all(a[0] < b[0] for a, b in zip(rows, rows[1:]))"
run run models/heavy_top.yaml --end 1 --output-step 0 -o "$work/e.csv"
ok "without_an_output_step_rows_are_dense_enough_for_smooth_curves" table "$work/e.csv" \
    "all(b[0] - a[0] <= 1.0001/400 for a, b in zip(rows, rows[1:])) and len(rows) < 2000"
run run models/slider_crank.yaml --end 1 --json
ok "last_row_is_the_final_state_bit_by_bit" python3 - "$work/out" "$work/a.csv" <<'PYTHON'
import csv, json, sys
d, r = json.load(open(sys.argv[1])), list(csv.reader(open(sys.argv[2])))[-1]
sys.exit(0 if float(r[1]) == d['joints']['main']['angle'] and float(r[2]) == d['bodies']['slider']['position'][0] else 1)
PYTHON
# rows of so many columns that those of one step are read in several parts
{
    printf 'cardan: 1\nspace: planar\nbodies:\n'
    for ((i = 0; i < 6000; i++)); do echo "  b$i: {mass: 1, inertia: 1, velocity: [1, $i]}"; done
    echo 'simulation: {end: 0.2, step: 0.1, stepper: rk4}'
} >"$work/wide.yaml"
{
    cat -- "$work/wide.yaml"
    echo 'outputs: [b7.y]'
} >"$work/narrow.yaml"
echo 'outputs: ["*.x", "*.y", "*.angle", "*.vx", "*.vy", "*.spin"]' >>"$work/wide.yaml"
run run "$work/narrow.yaml" -o "$work/narrow.csv"
run run "$work/wide.yaml" -o "$work/wide.csv"
ok "very_wide_rows_are_at_the_same_times" all exits 0 -- \
    test "$(cut -d, -f1 "$work/wide.csv")" = "$(cut -d, -f1 "$work/narrow.csv")"
run run models/slider_crank.yaml --end 0.35 --output-step 0.1 -o "$work/c.csv"
ok "output_step_gives_rows_at_its_multiples_and_the_end" table "$work/c.csv" \
    "[r[0] for r in rows] == [0, 0.1, 0.2, 0.3, 0.35]"
ok "rows_between_steps_meet_the_constraints" table "$work/c.csv" "max(r[-2] for r in rows) < 1e-9"
run run models/slider_crank.yaml --end 0.3 --output-step 0.1 -o "$work/c.csv"
ok "a_multiple_near_the_end_is_the_end" table "$work/c.csv" "[r[0] for r in rows] == [0, 0.1, 0.2, 0.3]"
run run models/slider_crank.yaml --end 0.1 -o -
cp "$work/out" "$work/d.csv"
ok "rows_on_stdout_are_alone_there" all exits 0 -- table "$work/d.csv" "rows[-1][0] == 0.1" -- says 'reached'
sed '/^outputs:/d' models/slider_crank.yaml >"$work/usual.yaml"
run run "$work/usual.yaml" --end 0.1 -o "$work/e.csv"
ok "without_outputs_the_usual_channels_are_written" table "$work/e.csv" \
    "h == ['t', 'main.angle', 'pin.angle', 'wrist.angle', 'guide.displacement', 'crank.x', 'crank.y', 'rod.x', 'rod.y', 'slider.x', 'slider.y', 'energy.kinetic', 'energy.potential', 'energy.total', 'residual.position', 'residual.velocity']"

if [[ -c /dev/full ]]; then
    run run models/slider_crank.yaml -o /dev/full
    ok "a_full_disk_is_noticed" all exits 5 -- says '/dev/full'
    last='cardan run --json >/dev/full'
    "$cardan" run models/pendulum.yaml --end 0.1 --json >/dev/full 2>"$work/err"
    status=$?
    ok "a_full_stdout_is_noticed" exits 5
    last='cardan plot >/dev/full'
    "$cardan" plot "$work/a.csv" energy >/dev/full 2>"$work/err"
    status=$?
    ok "a_full_stdout_is_noticed_by_plot" exits 5
    run plot "$work/a.csv" energy -o /dev/full
    ok "a_full_disk_is_noticed_by_plot" exits 5
fi
run run models/slider_crank.yaml -o "$work/no/such/folder.csv"
ok "a_result_file_that_cannot_be_opened_is_an_io_error" exits 5

# ---- signals

interrupted() { # SIGNAL
    last="cardan run, then SIG$1"
    "$cardan" run models/pendulum.yaml --end 1e9 -o "$work/long.csv" --output-step 0.5 --json >"$work/out" 2>"$work/err" &
    local job=$!
    sleep 1
    kill -s "$1" "$job"
    wait "$job"
    status=$?
}
interrupted INT
ok "sigint_stops_cleanly" all exits 130 -- says 'interrupted' -- json "d['status'] == 'failed' and d['t'] > 0"
ok "sigint_leaves_a_whole_result_file" table "$work/long.csv" "len(rows) > 1"
interrupted TERM
ok "sigterm_stops_cleanly" all exits 143 -- says 'interrupted'

# ---- check

run check models/slider_crank.yaml --json
ok "check_counts_degrees_of_freedom" all exits 0 -- json \
    "d['degrees_of_freedom'] == 1 and d['velocities'] == 9 and d['rows'] == 8 and d['redundant_rows'] == 0 and d['redundant_joints'] == [] and d['singular'] is False"
ok "check_has_residuals_of_the_whole_and_of_joints" json \
    "d['residual']['position'] < 1e-12 and d['joints']['guide']['residual']['position'] < 1e-12 and d['joints']['guide']['rows'] == 2"
run check models/four_bar.yaml
ok "check_without_json_is_for_people" all exits 0 -- prints '1 degree of freedom' -- prints 'solver'
run check models/four_bar.yaml --set a=0.12 --json
ok "check_takes_parameters" all exits 0 -- json "d['assembled'] and d['residual']['position'] < 1e-12"

cat >"$work/door.yaml" <<'YAML'
cardan: 1
space: spatial
bodies:
  door: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}
joints:
  upper: {type: revolute, bodies: [ground, door], point: [0, 0, 0.5], axis: [0, 0, 1]}
  lower: {type: revolute, bodies: [ground, door], point: [0, 0, -0.5], axis: [0, 0, 1]}
simulation: {end: 1}
YAML
run check "$work/door.yaml" --json
ok "check_names_redundant_joints" all exits 0 -- json \
    "d['degrees_of_freedom'] == 1 and d['redundant_rows'] == 5 and d['redundant_joints'] == ['upper', 'lower']"
run run "$work/door.yaml" --regularise none
ok "run_refuses_redundant_rows_by_joint_when_asked_to" all test "$status" -eq 3 -- says "'upper'"
run run "$work/door.yaml" --json
ok "run_passes_redundant_rows_and_says_which_reactions_are_not_unique" all exits 0 -- json \
    "d['joints']['upper']['reaction_unique'] is False and d['joints']['lower']['reaction_unique'] is False"

# ---- plot

run plot "$work/a.csv" main.angle slider.x pin.reaction -o "$work/a.svg" --title 'a < b & c'
ok "plot_writes_svg" all exits 0 -- silent -- xml "$work/a.svg"
ok "plot_escapes_text" grep -q 'a &lt; b &amp; c' "$work/a.svg"
ok "a_prefix_draws_all_its_columns" grep -q 'pin.reaction.fy' "$work/a.svg"
run plot "$work/a.csv" energy
ok "plot_without_o_goes_to_stdout" all exits 0 -- xml "$work/out"
run plot "$work/a.csv" energy --width 500 --height 300
ok "plot_has_the_size_asked_for" prints 'width="500" height="300"'
run plot "$work/a.csv" main.angel
ok "unknown_channel_gets_a_suggestion_and_the_list" all exits 2 -- says "did you mean 'main.angle'" -- says 'slider.x'
run plot "$work/a.csv"
ok "plot_without_a_channel_lists_what_there_is" all exits 2 -- says 'slider.x'
run plot "$work/a.csv" energy -o "$work/a.gif"
ok "a_gif_is_refused_by_name" all exits 2 -- says 'ends in .svg or .png'
run plot "$work/a.csv" energy --width wide
ok "a_bad_width_is_a_usage_error" exits 2
run plot "$work/none.csv" energy
ok "plot_of_a_missing_file_is_an_io_error" exits 5
printf 't,a.x,b\n0,1,2\n1,,nan\n2,3,\n3,inf,4\n' >"$work/gaps.csv"
run plot "$work/gaps.csv" a.x b
ok "gaps_are_drawn_around" all exits 0 -- xml "$work/out" -- test "$(grep -ciE 'nan|inf' "$work/out")" -eq 0
printf 't,a\n0,1\n1,x\n' >"$work/word.csv"
run plot "$work/word.csv" a
ok "a_word_in_a_result_file_is_named_by_line" all exits 5 -- says 'word.csv:3:'
printf 't,a\n0,1\n1\n' >"$work/short.csv"
run plot "$work/short.csv" a
ok "a_short_row_is_named_by_line" all exits 5 -- says 'short.csv:3:'
printf 't,a\n' >"$work/empty.csv"
run plot "$work/empty.csv" a
ok "a_result_file_without_rows_is_refused" exits 5
printf 't,a\n0.5,3\n' >"$work/one.csv"
run plot "$work/one.csv" a
ok "one_row_is_drawn" all exits 0 -- xml "$work/out"
printf 't,a\n0,3\n1,3\n2,3\n' >"$work/constant.csv"
run plot "$work/constant.csv" a
ok "a_constant_is_drawn" all exits 0 -- xml "$work/out"
{
    echo t,a
    awk 'BEGIN { for (i = 0; i < 200000; i++) print i / 1000 "," (i == 777 ? 9 : sin(i / 50)) }'
} >"$work/many.csv"
run plot "$work/many.csv" a
ok "long_series_are_thinned" all exits 0 -- test "$(wc -c <"$work/out")" -lt 300000

# ---- bench

run bench rhs --json --size 20
ok "bench_hands_over_to_its_program" all exits 0 -- json "{'right_hand_side', 'cholmod_factor_and_solve'} <= set(d)"
run bench joints --json --size 40
ok "bench_joints_measures_all_kinds_mixed" all exits 0 -- prints '"kind": "mixed", "joints": 40'
run bench
ok "bench_without_a_name_is_a_usage_error" exits 2
run bench nothing
ok "bench_hands_the_exit_status_through" all exits 2 -- says 'rhs'
last='cardan bench rhs, copied away from its program'
cp "$cardan" "$work/alone"
LD_LIBRARY_PATH="$(dirname "$cardan")/../src" "$work/alone" bench rhs >"$work/out" 2>"$work/err" </dev/null
status=$?
ok "bench_says_where_it_looked" all exits 5 -- says '/cardan-bench'

# ---- every model of the project

for model in $(sampled models/*.yaml); do
    name="$(basename "$model" .yaml)"
    run check "$model"
    ok "check_of_$name" exits 0
    run run "$model" --end 0.2 --json
    ok "run_of_$name" all exits 0 -- json "d['residual']['position_max'] < 1e-9 and d['energy']['drift_max'] < 1e-5"
done

# ---- channels

run channels models/slider_crank.yaml
ok "channels_lists_names_with_units" all exits 0 -- prints '^crank.x  *m$' -- prints '^pin.reaction.fx  *N$' -- prints '^pin.reaction.m  *N m$' -- prints '^step  *s$' -- silent
run channels models/slider_crank.yaml 'crank.v*' momentum.y
ok "channels_of_names_and_groups_are_those_alone" all exits 0 -- prints '^crank.vy  *m/s$' -- prints '^momentum.y  *kg m/s$' -- test "$(wc -l <"$work/out")" -eq 3
run channels models/slider_crank.yaml main --json
ok "a_channel_that_is_not_there_is_told" all exits 3 -- says "there is no channel 'main'" -- test ! -s "$work/out"
run channels models/slider_crank.yaml main.angel
ok "with_the_one_that_was_meant" all exits 3 -- says "did you mean 'main.angle'"
run channels models/slider_crank.yaml --json
ok "channels_are_one_object" all exits 0 -- json "d['model'] == 'slider_crank' and d['channels']['main.angle'] == 'rad' and d['channels']['energy.total'] == 'J'"
run run models/slider_crank.yaml --end 0.1 -o "$work/units.cardan" -o "$work/units.csv" --json
ok "the_object_of_a_run_has_the_units_of_its_columns" all exits 0 -- json "list(d['units']) == open('$work/units.csv').readline().strip().split(',') and d['units']['t'] == 's'"
run channels "$work/units.cardan"
ok "channels_of_a_run_file_are_its_columns" all exits 0 -- test "$(wc -l <"$work/out")" -eq "$(($(head -n 1 "$work/units.csv" | tr ',' '\n' | wc -l) - 1))"
sed 's/^outputs:.*/outputs: [main.angel]/' models/slider_crank.yaml >"$work/typo.yaml"
run run "$work/typo.yaml" -o "$work/typo.csv"
ok "an_unknown_output_is_told_with_its_place_and_what_was_meant" all exits 3 -- says "typo.yaml:[0-9]*:[0-9]*: outputs: there is no channel 'main.angel'; did you mean 'main.angle'" -- test ! -e "$work/typo.csv"

finish
