# What the tests of the command share; they count their cases in the words of cmocka.
# shellcheck shell=bash

cardan="${CARDAN_COMMAND:-build/tools/cardan}"
work="$(mktemp -d)"
trap 'rm -rf -- "$work"' EXIT
passed=0
failed=0
status=0

# sampled FILE...: the models that are looked at. All of them; under sanitizers, which look at memory and not at numbers,
# each fourth (CARDAN_SANITIZED is set by the build).
sampled() {
    local i=0 file
    for file in "$@"; do
        if [[ -z "${CARDAN_SANITIZED:-}" ]] || ((i++ % 4 == 0)); then echo "$file"; fi
    done
}

# The interpreter itself, and no packages but its own: hundreds are started, and what chooses between several of them
# costs more than they do.
interpreter="$(python3 -c 'import sys; print(sys.executable)')"
python3() { "$interpreter" -I -S "$@"; }

# ---- tools of this file

ok() { # NAME CONDITION...: a test; the condition is a command
    local name="$1"
    shift
    if "$@"; then
        echo "ok $name"
        passed=$((passed + 1))
    else
        echo "not ok $name"
        failed=$((failed + 1))
        printf '  command: %s\n  status: %s\n' "$last" "$status"
        head -c 1000 "$work/out" | sed 's/^/  out: /'
        head -c 1000 "$work/err" | sed 's/^/  err: /'
    fi
}

last=''
run() { # ARGUMENT...: runs the command; output in $work/out and $work/err, exit status in $status
    last="cardan $*"
    "$cardan" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

exits() { [[ "$status" -eq "$1" ]]; } # STATUS
says() { grep -q -- "$1" "$work/err"; }    # PATTERN on stderr
prints() { grep -q -- "$1" "$work/out"; }  # PATTERN on stdout
silent() { [[ ! -s "$work/err" ]]; }       # nothing on stderr
all() { # CONDITION... parted by --
    local words=()
    for word in "$@" --; do
        if [[ "$word" != -- ]]; then
            words+=("$word")
            continue
        fi
        "${words[@]}" || return 1
        words=()
    done
}

# json EXPRESSION: a condition over d, the object in $work/out
json() {
    python3 - "$work/out" "$1" <<'PYTHON'
import json, math, sys
def refuse(word): raise ValueError(word)
d = json.load(open(sys.argv[1]), parse_constant=refuse)
sys.exit(0 if eval(sys.argv[2]) else 1)
PYTHON
}

# table FILE EXPRESSION: a condition over h (headings) and rows (lists of numbers)
table() {
    python3 - "$1" "$2" <<'PYTHON'
import csv, math, sys
lines = list(csv.reader(open(sys.argv[1])))
h, rows = lines[0], [[float(x) for x in r] for r in lines[1:]]
same = all(len(r) == len(h) for r in rows)
sys.exit(0 if same and eval(sys.argv[2]) else 1)
PYTHON
}

xml() { python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$1"; } # FILE

finish() { # the sum in the words of cmocka, and the exit status
    echo "[  PASSED  ] $passed test(s)."
    if ((failed > 0)); then echo "[  FAILED  ] $failed test(s)."; fi
    ((failed == 0))
}
