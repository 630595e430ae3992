#!/usr/bin/env bash
# cardan linearise, cardan modes: what they write is read again, bad input is told and leaves nothing behind, and a
# feedback designed from the matrices holds two poles on a cart.
set -uo pipefail
. tests/tool/support.sh

m=models/double_cart_pendulum.yaml

# ---- files
run linearise "$m" --set tilt=0 --inputs F,upper.fx --outputs upper.angle,hinge.reaction \
    -o "$work/a.csv" -o "$work/a.json" -o "$work/a.py" -o "$work/a.m"
ok 'linearise writes four kinds of files' all exits 0 -- silent -- prints '6 states' -- test -s "$work/a.csv" -- test -s "$work/a.m"
ok 'it says what comes from differences' prints '3 outputs are by central differences'
ok 'CSV and JSON have the same numbers' python3 - "$work/a.csv" "$work/a.json" <<'PY'
import csv, json, sys
whole = json.load(open(sys.argv[2]))
rows = list(csv.DictReader(open(sys.argv[1])))
for row in rows:
    assert whole[row['matrix']][int(row['row']) - 1][int(row['column']) - 1] == float(row['value']), row
assert len(rows) == 36 + 12 + 24 + 8, len(rows)
assert whole['exact'] == [True, False, False, False]
PY
run linearise "$m" --set tilt=0 --json
ok 'linearise --json is JSON' python3 -c "import json; d = json.load(open('$work/out')); assert d['form'] == 'minimal' and len(d['A']) == 6"
run linearise models/four_bar.yaml --form descriptor --inputs "$(sed -n 's/^  \([a-z_0-9]*\): *{type: revolute.*/\1/p' models/four_bar.yaml | head -n 1)" -o "$work/d.json" -o "$work/d.py" -o "$work/d.m"
ok 'the descriptor form is sparse' all exits 0 -- prints "E X' = A X + B u" -- test -s "$work/d.py"
ok 'its E has a 1 for each state' python3 -c "
import json
d = json.load(open('$work/d.json'))
assert d['E']['value'] == [1.0, 1.0] and d['A']['rows'] == len(d['equations']) == len(d['unknowns'])"

# ---- bad input
run linearise "$m" --inputs rial -o "$work/none.csv"
ok 'an unknown input is told, with the one that was meant' all exits 3 -- says "did you mean 'rail'" -- test ! -e "$work/none.csv"
run linearise "$m" --outputs uper.angle -o "$work/none.csv"
ok 'so is an unknown output' all exits 3 -- says "did you mean 'upper." -- test ! -e "$work/none.csv"
run linearise "$m" -o "$work/none.txt"
ok 'an unknown kind of file is refused' all exits 2 -- says '.csv, .json, .py or .m'
sed 's/^simulation: {/simulation: {stabilise: {method: baumgarte, alpha: 20, beta: 100}, /' models/pendulum.yaml >"$work/baumgarte.yaml"
run sensitivity "$work/baumgarte.yaml" --of ball.x --to L --end 0.5
ok "Baumgarte's terms are not differentiated in silence" all exits 3 -- says 'method: post'
run linearise "$m" --form sparse
ok 'an unknown form is refused' exits 2
run linearise "$m" --form descriptor --outputs hinge.reaction
ok 'the descriptor form names an output without exact derivative' all exits 3 -- says 'hinge.reaction'
run linearise "$m" -o /nowhere/a.csv
ok 'a file that cannot be written is told' all exits 5 -- says 'could not be opened for writing'
run linearise models/double_four_bar.yaml --set nobody=1
ok 'an unknown parameter is told' exits 3
run modes models/pendulum.yaml -o "$work/none.json"
ok 'a state that is no equilibrium has no modes' all exits 4 -- says 'no equilibrium' -- test ! -e "$work/none.json"
run modes "$m" --number many
ok 'a number of modes is a number' exits 2

# ---- the scripts run, and have the numbers of the JSON file
python=''
for candidate in python3 /usr/bin/python3; do
    if [[ -z "$python" ]] && command "$candidate" -c 'import numpy' 2>/dev/null; then python="$candidate"; fi
done
if [[ -n "$python" ]]; then
    ok 'the Python script runs and has the same matrices' command "$python" - "$work" <<'PY'
import json, runpy, sys
import numpy as np
d = json.load(open(sys.argv[1] + '/a.json'))
s = runpy.run_path(sys.argv[1] + '/a.py')
for k in 'ABCD':
    assert np.array_equal(np.array(d[k], float).reshape(s[k].shape), s[k]), k
assert list(s['states']) == d['states'] and list(s['inputs']) == d['inputs']
PY
else
    echo 'skipped: Python script, there is no Python with numpy'
fi
if command -v octave-cli >/dev/null; then
    (cd "$work" && octave-cli --no-gui --quiet --no-init-file --eval \
        "run('a.m'); for m = {A, B, C, D}; printf('%.17g ', m{1}.'); printf('\n'); end; printf('%s\n', states{:});" >octave.out 2>octave.err)
    ok 'the Octave script runs and has the same matrices' python3 - "$work" <<'PY'
import json, sys
d = json.load(open(sys.argv[1] + '/a.json'))
lines = open(sys.argv[1] + '/octave.out').read().splitlines()
for k, line in zip('ABCD', lines):
    assert [float(x) for x in line.split()] == [x for row in d[k] for x in row], k
assert lines[4:] == d['states']
PY
    run linearise models/four_bar.yaml --form descriptor -o "$work/descriptor.m" -o "$work/descriptor.json"
    (cd "$work" && octave-cli --no-gui --quiet --no-init-file --eval "run('descriptor.m'); printf('%d %d %d\n', rows(A), nnz(E), nnz(A));" >octave.out 2>octave.err)
    ok 'the Octave script of the descriptor form runs' python3 - "$work" <<'PY'
import json, sys
rows, ones, entries = map(int, open(sys.argv[1] + '/octave.out').read().split())
assert rows > 20 and 0 < ones < rows < entries
PY
else
    echo 'skipped: Octave script, there is no Octave'
fi

# ---- modes
run modes models/bicycle.yaml --set push=0 --set v=5
ok 'modes say in words first whether they grow' all exits 0 -- prints 'no mode grows; 3 of 3 fade' -- prints '0.71060577'
run modes "$m" --set tilt=0 --mode 2 -o "$work/swing.csv" -o "$work/modes.json" --json
ok 'modes --json has shapes with names' python3 -c "
import json
d = json.load(open('$work/out'))
assert len(d['damped']) == 4 and len(d['undamped']) == 3 and d['ignorable'] == 2
assert len(d['damped'][0]['shape']['re']) == len(d['coordinates']) == 9
assert d == json.load(open('$work/modes.json'))"
run plot "$work/swing.csv" upper.angle -o "$work/swing.svg"
ok 'a mode over time is a result that plot reads' all exits 0 -- test -s "$work/swing.svg"

# ---- a mode as a run
sed 's/^gravity: .*/gravity: [9.81, 0]/' models/double_pendulum.yaml >"$work/hanging.yaml"
run modes "$work/hanging.yaml" --json -o "$work/modes.json"
for amplitude in 0.1 0.01; do
    run modes "$work/hanging.yaml" --mode 2 --amplitude "$amplitude" -o "$work/swing_$amplitude.cardan"
    ok "mode 2 with amplitude $amplitude is written as a run, in words" all exits 0 -- silent -- prints 'mode 2, one period of 0.87404 s without growth or fading'
    run convert "$work/swing_$amplitude.cardan" "$work/swing_$amplitude.csv"
    ok 'which convert reads' exits 0
done
run modes models/bicycle.yaml --set push=0 --set v=5 --mode 2 --amplitude 0.01 -o "$work/weave.cardan" -o "$work/weave.html" -o "$work/weave.glb"
ok 'a mode of a steady motion too, with the pages that are made of runs' all exits 0 -- test -s "$work/weave.html" -- test -s "$work/weave.glb"
run convert "$work/weave.cardan" "$work/weave.csv"
cat >"$work/swings.py" <<'PY'
import cmath, csv, json, math, sys
work = sys.argv[1]
def columns(name):
    rows = [[float(x) for x in row.values()] for row in csv.DictReader(open(f'{work}/{name}.csv'))]
    return dict(zip(next(csv.reader(open(f'{work}/{name}.csv'))), zip(*rows)))
def harmonic(x, k):
    n = len(x) - 1
    return 2 / n * sum(x[i] * cmath.exp(-2j * math.pi * k * i / n) for i in range(n))
modes = json.load(open(f'{work}/modes.json'))
mode, names = modes['damped'][1], modes['coordinates']
shape = [complex(a, b) for a, b in zip(mode['shape']['re'], mode['shape']['im'])]
upper, lower = shape[names.index('upper.angle')], shape[names.index('lower.angle')]
share = {}
for amplitude in (0.1, 0.01):
    c = columns(f'swing_{amplitude}')
    assert len(c['t']) == 49 and abs(c['t'][-1] * mode['frequency'] - 1) < 1e-12
    assert max(map(abs, c['residual.position'])) < 1e-12 and max(map(abs, c['residual.velocity'])) < 1e-12
    first = [harmonic(c[name], 1) for name in ('shoulder.angle', 'elbow.angle')]
    assert abs(first[1] / first[0] - (lower - upper) / upper) < 3 * amplitude**2, first
    assert abs(abs(first[0]) - amplitude * abs(upper)) < amplitude**3 and abs(first[0].imag) < 1e-9 * amplitude, first
    # of lower.y, whose pose is closed: harmonics besides the first fall with the square of the amplitude
    share[amplitude] = max(abs(harmonic(c['lower.y'], k)) for k in (2, 3)) / abs(harmonic(c['lower.y'], 1))
    # of lower.x there is none but the second, which is of second order
    assert abs(harmonic(c['lower.x'], 2)) < amplitude**2, amplitude
assert 1e-6 < share[0.1] and share[0.01] < 0.012 * share[0.1], share
c = columns('weave')
assert max(map(abs, c['residual.position'])) < 1e-12 and max(map(abs, c['residual.velocity'])) < 1e-12
# small turns: body.wx is the rate of a roll, at most its amplitude times omega; steer.angle a cosine
steer = [abs(harmonic(c['steer.angle'], k)) for k in (1, 2)]
assert steer[1] < 0.02 * steer[0] and abs(c['t'][-1] - 1 / 0.71060577) < 1e-7, steer
print(share, steer)
PY
ok 'the swing is a cosine of the frequency of the mode, other harmonics fall with the amplitude, rows are closed' python3 "$work/swings.py" "$work"
run modes "$work/hanging.yaml" --amplitude 0.1 -o "$work/a.cardan" -o "$work/b.cardan"
ok 'two run files are refused' all exits 2 -- says 'one run file is written' -- test ! -e "$work/b.cardan"
sed 's/^outputs: .*/outputs: [nobody.x]/' "$work/hanging.yaml" >"$work/nobody.yaml"
run modes "$work/nobody.yaml" -o "$work/c.cardan"
ok 'a wrong channel leaves no run file' all exits 3 -- says 'nobody' -- test ! -e "$work/c.cardan"

# ---- sensitivities
run sensitivity models/double_pendulum.yaml --of lower.x --to L,m,start.upper.spin --end 0.5 --json
cp "$work/out" "$work/forwards"
run sensitivity models/double_pendulum.yaml --of lower.x --to L,m,start.upper.spin --end 0.5 --json --method adjoint
ok 'sensitivities forwards and backwards are the same' python3 -c "
import json
a, b = (json.load(open('$work/' + name)) for name in ('forwards', 'out'))
assert a['method'] == 'tangent' and b['method'] == 'adjoint'
assert all(abs(a['derivatives'][k] - b['derivatives'][k]) < 1e-10 for k in ('L', 'm', 'start.upper.spin'))"
run sensitivity models/double_pendulum.yaml --of lower.x --to L --end 0.5
ok 'they say in words first what they are of' all exits 0 -- prints 'lower.x is .* at t = 0.5; it depends most on L'
sed 's/^simulation: {/simulation: {stepper: radau5, /' models/double_pendulum.yaml >"$work/radau5.yaml"
run sensitivity "$work/radau5.yaml" --of lower.x --to L --end 0.2
ok 'a stepper that is replaced is told' all exits 0 -- prints 'stepper     dop853 in place of radau5'
run sensitivity "$work/radau5.yaml" --of lower.x --to L --end 0.2 --json
ok 'for programs too' python3 -c "
import json
d = json.load(open('$work/out'))
assert d['stepper'] == 'dop853' and d['stepper_replaced'] == 'radau5'
assert 'stepper_replaced' not in json.load(open('$work/forwards'))"
cat >"$work/stiff.yaml" <<'YAML'
cardan: 1
name: stiff
space: planar
parameters: {k: 1e6, c: 1e5}
bodies: {ball: {mass: 1, inertia: 0.1, position: [1, 0]}}
joints: {rail: {type: prismatic, bodies: [ground, ball], axis: [1, 0]}}
forces: {s: {type: spring, bodies: [ground, ball], points: [[0, 0], [0, 0]], stiffness: k, damping: c, length: 0.5}}
simulation: {end: 0.1, stepper: auto, tolerance: {relative: 1e-7, absolute: 1e-9}}
YAML
run sensitivity "$work/stiff.yaml" --of ball.x --to k,c --json
ok 'the stepper auto, which would turn to an implicit one on the way, is replaced; derivatives are those of the closed form' python3 -c "
import json, math
d = json.load(open('$work/out'))
def x(k, c, t=0.1):
    fast = -(c + math.sqrt(c * c - 4 * k)) / 2
    slow = k / fast
    return 0.5 + 0.5 * (fast * math.exp(slow * t) - slow * math.exp(fast * t)) / (fast - slow)
assert d['stepper'] == 'dop853' and d['stepper_replaced'] == 'auto'
assert abs(d['derivatives']['k'] / ((x(1.0001e6, 1e5) - x(0.9999e6, 1e5)) / 200) - 1) < 1e-6
assert abs(d['derivatives']['c'] / ((x(1e6, 1.0001e5) - x(1e6, 0.9999e5)) / 20) - 1) < 1e-6"
run sensitivity models/double_pendulum.yaml --of lower.x
ok 'of what over what is asked for' all exits 2 -- says '--to'
run sensitivity models/cart_pendulum.yaml --of pole.angle --to L --end 6
ok 'an event on the way is crossed' all exits 0 -- prints 'at t = 6; it depends most on L'
run sensitivity models/equal_slider_crank.yaml --of crank.angle --to x
ok 'a singular pose on the way is refused with its time' all exits 4 -- says 't = 0.98.* singular pose'
run sensitivity models/double_pendulum.yaml --of energy --as integral --to L,m --end 0.5 --json
ok 'of an integral each column is told' python3 -c "
import json
d = json.load(open('$work/out'))
assert d['as'] == 'integral' and list(d['columns']) == ['energy.kinetic', 'energy.potential', 'energy.total']
assert set(d['columns']['energy.total']['derivatives']) == {'L', 'm'}"
run sensitivity models/double_pendulum.yaml --of lower.x --as mean --to L
ok 'an unknown target is refused' all exits 2 -- says 'end, integral, square'

# ---- LQR: needs scipy, of whichever Python has it
scipy=''
for candidate in python3 /usr/bin/python3; do
    if command "$candidate" -c 'import scipy.linalg' 2>/dev/null; then scipy="$candidate"; break; fi
done
if [[ -n "$scipy" ]]; then
    run linearise "$m" --set tilt=0 --inputs F -o "$work/cart.py"
    command "$scipy" - "$work" >"$work/gains" <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from scipy.linalg import solve_continuous_are
from cart import A, B, states
P = solve_continuous_are(A, B, np.diag([1, 1, 1, 0.1, 0.1, 0.1]), np.array([[0.1]]))
K = (10 * B.T @ P)[0]
assert max(np.linalg.eigvals(A - B @ K[None, :]).real) < -0.5
names = dict(zip(['cart.x', 'lower.angle', 'upper.angle', 'cart.vx', 'lower.spin', 'upper.spin'],
                 ['kx', 'ka', 'kb', 'kv', 'kw', 'ks']))
for state, k in zip(states, K):
    print('--set', '%s=%.17g' % (names[state], -k))
PY
    # shellcheck disable=SC2046 # words
    run run "$m" $(tr '\n' ' ' <"$work/gains") --set tilt=0.1 --end 20 --json
    ok 'a feedback designed from linearise holds two poles on a cart' python3 -c "
import json
d = json.load(open('$work/out'))
worst = max(abs(d['bodies'][b]['angle']) for b in ('lower', 'upper'))
assert worst < 1e-3 and abs(d['bodies']['cart']['position'][0]) < 1e-2, (worst, d['bodies']['cart'])"
    run run "$m" --set tilt=0.1 --end 1.2 --json
    ok 'without it they fall' python3 -c "
import json
assert abs(json.load(open('$work/out'))['bodies']['upper']['angle']) > 1"
else
    echo 'skipped: LQR, there is no Python with scipy'
fi

finish
