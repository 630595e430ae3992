#!/usr/bin/env bash
# The hardening that meson.build asks for is in the programs and libraries it makes; a program without it is refused.
# usage: CARDAN_COMMAND=build/tools/cardan tests/tool/test_hardening.sh [fortified]   (from the top of the checkout)
set -uo pipefail

# shellcheck source=tests/tool/support.sh
source "$(dirname "$0")/support.sh"

build="$(dirname "$cardan")/.."
: >"$work/out"
: >"$work/err"
if ! command -v readelf >/dev/null; then
    echo "skipped: readelf (binutils) is not there"
    exit 77
fi

# Each: FILE; 0 when it is so. grep reads to the end (and not -q): readelf is not to be cut off.
position_independent() { readelf -Wh "$1" | grep 'Type: *DYN' >/dev/null; }
relocations_read_only() {
    readelf -Wl "$1" | grep 'GNU_RELRO' >/dev/null && readelf -Wd "$1" | grep -E '\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*NOW' >/dev/null
}
stack_not_executable() { readelf -Wl "$1" | grep -E 'GNU_STACK .* RW +0x' >/dev/null; }
nothing_writable_and_executable() { ! readelf -Wl "$1" | grep ' RWE ' >/dev/null; }
text_not_relocated() { ! readelf -Wd "$1" | grep TEXTREL >/dev/null; }
stack_guarded() { readelf -W --dyn-syms "$1" | grep 'UND __stack_chk_fail' >/dev/null; }
calls_checked() { readelf -W --dyn-syms "$1" | grep -E 'UND __(mem|str|v?s?n?f?printf|f?read)[a-z]*_chk' >/dev/null; }

properties=(position_independent relocations_read_only stack_not_executable nothing_writable_and_executable
    text_not_relocated stack_guarded)
if [[ "${1-}" == fortified ]]; then properties+=(calls_checked); fi

for file in tools/cardan bench/cardan-bench src/libcardan.so; do
    name="$(basename "$file" .so | tr - _)"
    for property in "${properties[@]}"; do
        last="readelf $file"
        ok "${name}_is_${property}" "$property" "$build/$file"
    done
done

# ---- and a program that has nothing of it
cat >"$work/soft.c" <<'C'
#include <stdio.h>
#include <string.h>
int main(int count, char **words) {
    char text[16];
    strcpy(text, words[count - 1]);
    return puts(text) < 0;
}
C
if gcc -O1 -no-pie -fno-stack-protector -U_FORTIFY_SOURCE -z norelro -z lazy -z execstack "$work/soft.c" -o "$work/soft" \
    >"$work/out" 2>"$work/err"; then
    for property in position_independent relocations_read_only stack_not_executable nothing_writable_and_executable \
        stack_guarded calls_checked; do
        last="readelf of a program without hardening"
        refused() { ! "$property" "$work/soft"; }
        ok "a_program_that_is_not_${property}_is_refused" refused
    done
else
    echo "skipped: gcc makes no program without hardening"
fi

finish
