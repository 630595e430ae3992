#!/usr/bin/env bash
# Plots: what is drawn is what the result file holds, at the right place, in the right unit.
# usage: tests/tool/test_plot.sh, from the top of the checkout
set -uo pipefail
# shellcheck source=tests/tool/support.sh
source tests/tool/support.sh

look() { "$interpreter" -I -S tests/tool/plot_look.py "$1"; } # EXPRESSION

sed '/^outputs:/d' models/slider_crank.yaml >"$work/model.yaml"
run run "$work/model.yaml" --end 3 --output-step 0.005 -o "$work/fine.csv"
run run "$work/model.yaml" --end 3 --output-step 0.01 --rtol 1e-3 -o "$work/coarse.csv"
read_plot() { # OPTION: the plot as P, the fine run as R
    echo "[P := Plot('$work/p.svg'$1), R := rows_of('$work/fine.csv'), C := rows_of('$work/coarse.csv')]"
}
plot() { run plot "$@" -o "$work/p.svg"; }

plot "$work/fine.csv" main.angle slider.x energy.total
ok "curves_are_the_rows_of_the_file" all exits 0 -- look \
    "$(read_plot '') and all(P.follows(c, R['t'], R[c]) for c in ('main.angle', 'slider.x', 'energy.total'))"
ok "panels_have_their_units" look "$(read_plot '') and P.units == ['rad', 'm', 'J'] and P.x_label == 't (s)'"

plot "$work/fine.csv" main.angle --degrees
ok "angles_are_drawn_in_degrees" look \
    "$(read_plot '') and P.units == ['deg'] and P.follows('main.angle', R['t'], [math.degrees(a) for a in R['main.angle']])"

plot "$work/fine.csv" rod.y --against rod.x --equal
ok "one_channel_against_another_with_equal_units" look \
    "$(read_plot '') and P.follows('rod.y', R['rod.x'], R['rod.y'], 0.3) and P.x_label == 'rod.x (m)' and abs(P.x.slope / P.y[0].slope + 1) < 1e-3"

plot "$work/fine.csv" energy.kinetic energy.total --log
ok "logarithmic_axes_have_ticks_where_they_say" look \
    "$(read_plot ', log_y=True') and P.follows('|energy.total|', R['t'], [abs(e) or math.nan for e in R['energy.total']], 0.05)"

plot "$work/fine.csv" slider.y slider.x
ok "rounding_has_no_panel_of_its_own" look \
    "$(read_plot '') and len(P.frames) == 1 and max(map(abs, R['slider.y'])) < 1e-12 and 'slider.y (0 but for rounding)' in P.legend"

printf 't,p.fx,p.m\n0,1,1e-16\n1,2,-3e-16\n2,1,0\n' >"$work/pin.csv"
plot "$work/pin.csv" p
ok "nor_has_that_of_a_moment_beside_its_force" look \
    "[P := Plot('$work/p.svg')] and len(P.frames) == 1 and P.units == ['N'] and 'p.m (0 but for rounding)' in P.legend"

plot "$work/fine.csv" "$work/coarse.csv" slider.x
ok "several_runs_are_drawn_beside_each_other" look \
    "$(read_plot '') and P.follows('slider.x, fine', R['t'], R['slider.x']) and P.follows('slider.x, coarse', C['t'], C['slider.x'])"
plot "$work/fine.csv" "$work/coarse.csv" slider.x --difference
difference='at_both = [(t, C["slider.x"][C["t"].index(t)] - x) for t, x in zip(R["t"], R["slider.x"]) if t in C["t"]]'
ok "differences_are_those_of_rows_at_equal_times" look \
    "$(read_plot '') and (name := [n for n in P.curves][0]) == 'slider.x: coarse − fine' and [${difference/=/:=}] and len(at_both) > 200 and max(min(abs(P.y[0].pixel(d) - y) for x, y in P.curves[name] if abs(x - P.x.pixel(t)) < 2.5) for t, d in at_both) < 1.5"
plot "$work/fine.csv" "$work/coarse.csv" slider.x --band
ok "the_band_holds_both_runs" look \
    "$(read_plot '') and len(P.bands['slider.x']) > 900 and P.follows('slider.x', R['t'], R['slider.x'])"

run plot "$work/fine.csv" slider.x -o "$work/p.png" --width 700 --height 300
if grep -q 'without cairo' "$work/err"; then
    ok "png_without_cairo_is_refused_by_name" exits 2
else
    plot "$work/fine.csv" slider.x --width 700 --height 300
    ok "png_has_the_curve_where_svg_has_it" all exits 0 -- look \
        "$(read_plot '') and png('$work/p.png')[:2] == (700, 300) and painted('$work/p.png', P.curves['slider.x'], '#0072b2') > 0.99"
    ok "png_is_white_elsewhere" look \
        "$(read_plot '') and painted('$work/p.png', [(x, y + 60 if y < 150 else y - 60) for x, y in P.curves['slider.x'][40:60]], '#0072b2') < 0.2"
    run plot "$work/fine.csv" slider.x -o "$work/no/such/p.png"
    ok "png_that_cannot_be_opened_is_an_io_error" exits 5
fi

# ---- run files: units of their own, events

run run models/equal_slider_crank.yaml --output-step 0.01 -o "$work/e.cardan" -o "$work/e.csv" --json
cp "$work/out" "$work/e.json"
plot "$work/e.cardan" slider.x energy.total
passages="E := rows_of('$work/e.csv'), T := [e['t'] for e in __import__('json').load(open('$work/e.json'))['events']]"
ok "run_files_are_drawn_as_their_tables" all exits 0 -- look \
    "[P := Plot('$work/p.svg'), $passages] and P.follows('slider.x', E['t'], E['slider.x']) and P.units == ['m', 'J']"
ok "singular_passages_are_marked_where_they_were" look \
    "[P := Plot('$work/p.svg'), $passages] and len(T) == 2 and len(P.marks) == 4 and all(abs(m[1][0][0] - P.x.pixel(t)) < 0.01 for m, t in zip(P.marks, T + T)) and {m[2] for m in P.marks} == {'#c00000'} and 'singular pose' in P.legend"
plot "$work/e.cardan" slider.x --against main.angle
ok "against_another_channel_marks_are_on_the_curve" look \
    "[P := Plot('$work/p.svg'), $passages] and len(P.marks) == 2 and all(abs(0.5 * (m[1][0][0] + m[1][2][0]) - P.x.pixel(min(zip(E['t'], E['main.angle']), key=lambda r: abs(r[0] - t))[1])) < 4 for m, t in zip(P.marks, T))"

# ---- a terminal

if command -v script >/dev/null; then
    last='cardan plot on a terminal'
    # shellcheck disable=SC2016 # $cardan and $work are the inner shell's
    export cardan work
    LC_ALL=C.UTF-8 NO_COLOR=1 script -qc 'stty cols 80 rows 30; "$cardan" plot "$work/fine.csv" slider.x' /dev/null \
        >"$work/out" 2>"$work/err" </dev/null
    status=$?
    ok "ticks_on_a_terminal_are_round_numbers" all exits 0 -- prints '0\.6 ┤' -- prints '0\.2 ┤' -- \
        prints '0\.0 *0\.5 *1\.0 *1\.5 *2\.0 *2\.5 *3\.0' -- prints 't (s)'
fi

# ---- what makes no sense

run plot "$work/fine.csv" slider.x --equal
ok "equal_axes_want_another_channel" all exits 2 -- says 'against'
run plot "$work/fine.csv" slider.x --band
ok "a_band_wants_two_results" all exits 2 -- says 'two results'
run plot "$work/fine.csv" "$work/coarse.csv" slider.x --band --difference
ok "band_and_difference_exclude_each_other" exits 2
run plot "$work/fine.csv" rod.y --against rod.xx
ok "an_unknown_channel_to_draw_against_gets_a_suggestion" all exits 2 -- says "did you mean 'rod.x'"
printf 't,a\n0,1\n' >"$work/other.csv"
run plot "$work/fine.csv" "$work/other.csv" slider.x
ok "a_channel_that_the_second_result_lacks_is_named_with_its_file" all exits 2 -- says 'other.csv'
run plot "$work/fine.csv" slider.x -o "$work/p.gif"
ok "an_unknown_kind_of_picture_is_refused" all exits 2 -- says 'ends in .svg or .png'
finish
