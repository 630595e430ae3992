#!/usr/bin/env bash
# tools/lint finds what it is there for: each check on a copy of the sources with one thing broken.
# usage: CARDAN_COMMAND=build/tools/cardan tests/tool/test_lint.sh   (from the top of the checkout)
# shellcheck disable=SC2016 # backquotes are those of the pages
set -uo pipefail

# shellcheck source=tests/tool/support.sh
source "$(dirname "$0")/support.sh"

CARDAN_COMMAND="$(realpath "$cardan")"
export CARDAN_COMMAND
copy="$work/copy"
mkdir "$copy"
cp -r src include tools tests bench models docs README.md CHANGELOG.md LICENSE meson.build .clang-format .clang-tidy "$copy/"
if [[ -f CONTRIBUTING.md ]]; then cp CONTRIBUTING.md "$copy/"; fi

lint() { # CHECK: in the copy
    last="tools/lint $1"
    "$copy/tools/lint" "$1" >"$work/out" 2>"$work/err"
    status=$?
}

# breaks NAME CHECK PATTERN FILE TEXT: with the text at the end of the file the check fails and says PATTERN
breaks() {
    local file="$copy/$4"
    cp "$file" "$work/kept"
    printf '%b' "$5" >>"$file"
    lint "$2"
    ok "$1" all exits 1 -- prints "$3" -- prints "^FAILED $2\$" -- prints '^lint: 0 passed, 1 failed$'
    cp "$work/kept" "$file"
}

# the pages, all breaks at once; what the other pages have run is run by tools/lint itself
sed -i '/^```/,/^```/d' "$copy"/*.md "$copy"/docs/*.md
cat >>"$copy/docs/DRIFT.md" <<'TEXT'
See [there](NOWHERE.md), [there](NOTATION.md#nowhere), `models/nothing.yaml`, `crd_nothing_of_the_kind`.
```sh
build/tools/cardan dance
build/tools/cardan run models/slider_crank.yaml --dance
```
TEXT
lint docs
ok "a_broken_page_fails" all exits 1 -- prints '^FAILED docs$'
ok "a_dead_link_is_named" prints '^docs/DRIFT.md:[0-9]*: the link to NOWHERE.md leads nowhere'
ok "a_missing_heading_is_named" prints 'has no heading #nowhere'
ok "a_file_that_is_not_there_is_named" prints 'there is no models/nothing.yaml$'
ok "a_name_that_the_code_does_not_have_is_shown" prints 'there is no crd_nothing_of_the_kind in the code'
ok "a_verb_that_there_is_not_is_shown" prints "there is no 'cardan dance'"
ok "an_option_that_there_is_not_is_shown" prints "'cardan run' has no option --dance"

# the sources: one folder of the copy alone, for of the whole each check takes its time
find "$copy" -name '*.c' ! -path '*/src/core/*' -delete
if command -v clang-format >/dev/null; then
    breaks "a_file_that_clang_format_would_change_is_named" format '^src/core/memory.c$' src/core/memory.c \
        'static  int x ;\n'
fi
breaks "an_include_of_a_later_folder_is_named" layers '^src/core/memory.h:[0-9]*: core includes "sim/sim.h"' \
    src/core/memory.h '#include "sim/sim.h"\n'
breaks "headers_in_a_circle_are_named" layers '^    joint/joint.h$' src/joint/joint.h '#include "joint/part.h"\n'
breaks "a_small_number_without_a_name_is_shown" tolerances '^src/core/memory.c:[0-9]*.*x < 3e-7' src/core/memory.c \
    'bool crd_x(double x) {\n    return x < 3e-7; /* 1e-3 in a comment */\n}\n'
breaks "a_word_of_the_glossary_s_list_is_shown_with_the_right_one" words \
    '^src/core/memory.c:[0-9]*: not "carrier" but frame' src/core/memory.c '/* The carrier. */\n'
breaks "a_word_is_found_in_a_name" words 'not "carrier"' src/core/memory.c 'int crd_add_carrier_here;\n'
breaks "a_function_of_61_lines_is_named" measures '^    62 .*crd_long' src/core/memory.c \
    "void crd_long(void) {\n$(printf '    crd_x();\\n%.0s' {1..60})}\n"

breaks "a_script_that_bash_cannot_read_is_shown" scripts 'FAILED' tools/setup 'if then\n'
lint tidy
ok "without_a_build_tidy_says_so" all exits 1 -- prints 'build first'
last='tools/lint nonsense'
"$copy/tools/lint" nonsense >"$work/out" 2>"$work/err"
status=$?
ok "a_check_that_there_is_not_is_a_usage_error" all exits 2 -- says "no check 'nonsense'"

if command -v gcc >/dev/null; then
    breaks "memory_that_a_path_forgets_is_shown" analyzer '^src/core/memory.c:[0-9]*:.*leak' src/core/memory.c \
        '#include <stdlib.h>\nint crd_x(int n);\nint crd_x(int n) {\n    char *x = malloc(9);\n    if (x == NULL || n < 0) return -1;\n    x[0] = 1;\n    free(x);\n    return 0;\n}\n'
fi
if command -v cppcheck >/dev/null; then
    breaks "an_index_beyond_its_array_is_shown" cppcheck '^src/core/memory.c:[0-9]*:.*arrayIndexOutOfBounds' \
        src/core/memory.c 'int crd_x(void);\nint crd_x(void) {\n    int x[3] = {0};\n    return x[3];\n}\n'
fi

finish
