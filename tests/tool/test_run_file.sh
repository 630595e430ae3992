#!/usr/bin/env bash
# Run files as users of the command meet them: run, resume, convert, signals, full disks, bad files.
# usage: CARDAN_COMMAND=build/tools/cardan tests/tool/test_run_file.sh   (from the top of the checkout)
set -uo pipefail
# shellcheck source=tests/tool/support.sh
source tests/tool/support.sh

records() { python3 tests/tool/run_records.py "$1" | cut -d' ' -f1; } # the digest of what every run has
same_records() { [[ -n "$(records "$1")" && "$(records "$1")" == "$(records "$2")" ]]; }

# ---- run, convert, plot

run run models/slider_crank.yaml --end 2 -o "$work/a.cardan" -o "$work/a.csv"
ok "a_run_file_is_written_and_said_so" all exits 0 -- silent -- prints 'wrote .*a.cardan'
run convert "$work/a.cardan" "$work/b.csv"
ok "converted_to_csv_it_is_the_csv_of_the_run" all exits 0 -- cmp -s "$work/a.csv" "$work/b.csv"
run convert "$work/a.cardan" -
ok "csv_goes_to_stdout" all exits 0 -- cmp -s "$work/a.csv" "$work/out"
run plot "$work/a.cardan" energy.total -o "$work/a.svg"
ok "a_run_file_is_plotted" all exits 0 -- test -s "$work/a.svg"
run run models/slider_crank.yaml --end 2 --checkpoint "$work/any.name" --every 0
ok "a_checkpoint_has_any_name_and_the_same_records" all exits 0 -- same_records "$work/any.name" "$work/a.cardan"

# ---- other formats

glb() { python3 tests/tool/check_glb.py "$1" >"$work/out"; }
for model in slider_crank stewart_platform every_joint plane_loads; do
    run run "models/$model.yaml" --end 0.3 -o "$work/$model.glb"
    ok "the_animation_of_${model}_keeps_the_rules" all exits 0 -- glb "$work/$model.glb"
done
run convert "$work/a.cardan" "$work/a.glb"
ok "an_animation_has_a_frame_a_row_and_a_node_a_body" all exits 0 -- glb "$work/a.glb" -- \
    prints "^4 nodes 3 meshes $(($(wc -l <"$work/a.csv") - 1)) frames"
echo 'var THREE = {InstancedMesh: 1};' >"$work/three.js"
CARDAN_THREE="$work/three.js" run convert "$work/a.cardan" "$work/a.html"
ok "a_page_is_made_of_a_run_file" all exits 0 -- grep -q '<!DOCTYPE html>' "$work/a.html"
CARDAN_THREE="$work/three.js" run view "$work/a.cardan" -o "$work/v.html"
ok "a_run_file_is_shown" all exits 0 -- prints 'frames to t = 2 s'

# packages of the system's own interpreter: h5py is Debian's python3-h5py
same_h5() { # FILE.h5 FILE.csv: each column to the bit, with its unit
    /usr/bin/python3 - "$1" "$2" <<'PYTHON'
import csv, h5py, struct, sys
f, rows = h5py.File(sys.argv[1], 'r'), list(csv.reader(open(sys.argv[2])))
for c, name in enumerate(rows[0]):
    d = f['/' + name.replace('.', '/')]
    bits = [struct.pack('<d', float(r[c])) for r in rows[1:]]
    assert bits == [struct.pack('<d', x) for x in d[:]] and d.attrs['channel'].decode() == name, name
assert f['t'].attrs['unit'] == b's' and f['energy/total'].attrs['unit'] == b'J'
PYTHON
}
run convert "$work/a.cardan" "$work/a.h5"
if ((status == 2)); then
    ok "without_hdf5_it_says_so" says 'built without HDF5'
elif /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
    ok "hdf5_has_the_bits_of_the_csv_and_units" all exits 0 -- same_h5 "$work/a.h5" "$work/a.csv"
else
    ok "hdf5_is_written" all exits 0 -- test -s "$work/a.h5"
fi

# ---- resume

run resume "$work/a.cardan" --end 2
ok "a_run_that_is_over_stays_as_it_is" all exits 0 -- prints 'come to its end already'
size=$(stat -c %s "$work/any.name")
for part in 20 45 70 95; do
    cp "$work/any.name" "$work/cut.cardan"
    truncate -s $((size * part / 100)) "$work/cut.cardan"
    run resume "$work/cut.cardan" -o "$work/cut.csv"
    ok "cut_at_${part}_percent_it_goes_on_to_the_same_records_and_csv" all exits 0 -- \
        same_records "$work/cut.cardan" "$work/a.cardan" -- cmp -s "$work/cut.csv" "$work/a.csv"
done
run resume "$work/a.cardan" --end 2.5 --json
ok "a_run_that_is_over_goes_on_further" all exits 0 -- json "d['t'] == 2.5 and d['status'] == 'ok'"
run run models/slider_crank.yaml --set r=0.15 --end 0.5 -o "$work/set.cardan" --checkpoint "$work/set.cardan" -o "$work/set.csv"
truncate -s $(($(stat -c %s "$work/set.cardan") - 9)) "$work/set.cardan"
cp "$work/set.csv" "$work/kept.csv" && rm "$work/set.csv"
run resume "$work/set.cardan"
ok "parameters_and_result_files_are_those_of_the_run" all exits 0 -- cmp -s "$work/set.csv" "$work/kept.csv"

# ---- kills and signals

out="$(python3 tests/tool/kills "$cardan" "${CARDAN_SANITIZED:+3}${CARDAN_SANITIZED:-14}" 5 2>&1 | tail -n 1)"
ok "killed_runs_go_on_to_the_same_bits" test "${out##* kills, }" != "${out}" -a "${out##*runs, }" = "0 different"
for signal in INT TERM; do
    "$cardan" run models/bricard.yaml --rtol 1e-12 --end 20000 -o "$work/s.cardan" >"$work/out" 2>"$work/err" &
    pid=$!
    for _ in $(seq 100); do
        [[ -s "$work/s.cardan" ]] && break
        sleep 0.05
    done
    sleep 0.2
    kill -"$signal" "$pid"
    wait "$pid"
    status=$?
    last="run, then SIG$signal"
    ok "sig${signal,,}_saves_and_says_so" all exits $([[ $signal == INT ]] && echo 130 || echo 143) -- says 'cardan resume'
    t="$(sed -n 's/.*at t = \([0-9.]*\).*/\1/p' "$work/err" | head -n 1)"
    rm -f "$work/s2.cardan"
    cp "$work/s.cardan" "$work/s2.cardan"
    run resume "$work/s2.cardan" --end "$(python3 -c "print($t + 0.01)")" --json
    ok "after_sig${signal,,}_it_goes_on" all exits 0 -- json "d['t'] > $t"
    rm -f "$work/s.cardan"
done

# ---- full disks

mkdir "$work/small"
(
    ulimit -f 200 # blocks of 1 kB
    trap '' XFSZ
    exec "$cardan" run models/slider_crank.yaml --end 60 -o "$work/full.cardan" --every 0 >"$work/out" 2>"$work/err"
)
status=$?
last='run on a full disk'
ok "a_full_disk_is_said_and_has_its_status" all exits 5 -- says 'full.cardan.*could not be written'
run convert "$work/full.cardan" "$work/full.csv"
ok "what_was_saved_before_is_there" all exits 0 -- test "$(wc -l <"$work/full.csv")" -gt 50
run run models/slider_crank.yaml --end 1 -o "$work/no/such/folder.cardan"
ok "a_folder_that_is_not_there_has_its_status" all exits 5 -- says 'could not be opened for writing'

# ---- bad files

run resume "$work/nothing.cardan"
ok "a_run_file_that_is_not_there" all exits 5 -- says 'nothing.cardan. could not be opened'
run convert models/slider_crank.yaml "$work/x.csv"
ok "a_model_is_no_run_file" all exits 5 -- says 'no run file'
run convert "$work/a.cardan" "$work/x.xyz"
ok "an_unknown_format_is_named" all exits 2 -- says 'x.xyz'
head -c 12 "$work/a.cardan" >"$work/head.cardan"
run resume "$work/head.cardan"
ok "a_file_cut_in_its_head" all exits 5 -- says 'first 16 bytes'
python3 - "$work/a.cardan" "$work/future.cardan" <<'PYTHON'
import struct, sys
sys.path.insert(0, 'tests/tool')
from run_records import crc32c
data = bytearray(open(sys.argv[1], 'rb').read())
data[8:12] = struct.pack('<I', 9)
data[12:16] = struct.pack('<I', crc32c(data[:12]))
open(sys.argv[2], 'wb').write(data)
PYTHON
run plot "$work/future.cardan" energy.total -o "$work/x.svg"
ok "a_later_version_is_refused" all exits 5 -- says 'version 9 of the format'
python3 - "$work/a.cardan" "$work/flipped.cardan" <<'PYTHON'
import sys
data = bytearray(open(sys.argv[1], 'rb').read())
data[len(data) // 2] ^= 4
open(sys.argv[2], 'wb').write(data)
PYTHON
run convert "$work/flipped.cardan" "$work/flipped.csv"
ok "a_flipped_bit_is_named_and_what_is_before_it_used" all exits 0 -- says 'at byte [0-9]* is damaged' -- test -s "$work/flipped.csv"
echo 'not mine' >"$work/letter.txt"
run run models/slider_crank.yaml --end 1 --checkpoint "$work/letter.txt"
ok "a_file_that_is_no_run_file_is_not_written_over" all exits 5 -- says 'is not written over' -- grep -q 'not mine' "$work/letter.txt"
run run models/slider_crank.yaml --end 1 -o "$work/a.cardan" -o "$work/c.cardan"
ok "two_run_files_are_refused" exits 2

finish
