#!/usr/bin/env bash
# `meson install` into an empty root, and then as strangers: a program outside builds with pkg-config and with CMake,
# shared and static, and runs; the command runs from there; manual pages and completions are where they are looked for.
# usage: CARDAN_COMMAND=build/tools/cardan tests/tool/test_install.sh   (from the top of the checkout)
set -uo pipefail

# shellcheck source=tests/tool/support.sh
source "$(dirname "$0")/support.sh"

outside="$(realpath "$(dirname "$0")")/outside"
model="$(realpath models/slider_crank.yaml)"
build="$(realpath "$(dirname "$cardan")/..")"
root="$work/root"
: >"$work/out"
: >"$work/err"

see() { # COMMAND...: any command, as `run` of support.sh
    last="$*"
    "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

skip() { echo "skipped: $1"; } # REASON
there() { command -v "$1" >/dev/null; }

see env DESTDIR="$root" meson install -C "$build" --no-rebuild --quiet
ok "it_installs_into_an_empty_root" exits 0
pc="$(find "$root" -name cardan.pc)"
if [[ -z "$pc" ]]; then
    ok "there_is_a_pkg_config_file" false
    finish
    exit
fi
prefix="$root$(sed -n 's/^prefix=//p' "$pc")"
libraries="$(dirname "$(dirname "$pc")")"

# ---- what is there

count_of() { find "$prefix" -path "$1" | grep -c .; } # PATTERN
present() { # PATTERN...: each is one file
    local pattern
    for pattern in "$@"; do [[ "$(count_of "$prefix/$pattern")" -eq 1 ]] || { echo "  not one: $pattern"; return 1; }; done
}
ok "command_libraries_and_headers_are_there" present bin/cardan libexec/cardan/cardan-bench include/cardan/cardan.h \
    "${libraries#"$prefix/"}/libcardan.so" "${libraries#"$prefix/"}/libcardan.so.*.*.*" \
    "${libraries#"$prefix/"}/libcardan.a" "${libraries#"$prefix/"}/cmake/cardan/cardan-config.cmake"
same_headers() { diff <(cd include && find cardan -name '*.h' | sort) <(cd "$prefix/include" && find . -type f | sed 's|^\./||' | sort); }
ok "the_public_headers_are_there_and_no_others" same_headers

# ---- the folder of the libraries

# find_folder PATH...: where a set-up of its own would put them, with these folders of commands
find_folder() {
    rm -rf "$work/setup"
    see env PATH="$1" meson setup -Dtests=disabled "$work/setup" .
    meson introspect --installed "$work/setup" 2>/dev/null | grep -oE '"[^"]*/libcardan\.a"' | tail -n 1
}
if [[ -f /etc/debian_version ]] && there gcc; then
    multiarch="$(gcc -print-multiarch)"
    ok "libraries_are_where_debian_looks_for_them" test "${libraries##*/lib/}" = "$multiarch"
    mkdir "$work/bin"
    for folder in ${PATH//:/ }; do
        find "$folder/" -maxdepth 1 ! -type d ! -name 'dpkg-architecture' -exec ln -s -t "$work/bin" {} + 2>/dev/null
    done
    found="$(find_folder "$work/bin")"
    ok "so_they_are_without_dpkg_architecture" test "${found##*/lib/}" = "$multiarch/libcardan.a\""
else
    skip "the folder of the libraries: not Debian"
fi

# ---- the command

installed="$prefix/bin/cardan"
see env -i OPENBLAS_NUM_THREADS=1 "$installed" run "$model" --end 1 --json
ok "the_installed_command_runs_in_an_empty_environment" all exits 0 -- silent -- json 'd["t"] == 1.0'
see env -i "$installed" bench rhs --quick --json
ok "the_installed_command_finds_its_bench" all exits 0 -- json 'd["bench"] == "rhs"'
see readelf -d "$installed" "$prefix/libexec/cardan/cardan-bench" "$libraries/libcardan.so"
own_folders() { ! grep -F "$build" "$work/out"; }
ok "nothing_installed_looks_for_libraries_in_the_build_directory" all exits 0 -- own_folders
printed() { [[ -s "$1" ]] && cmp -s "$1" <("$installed" "${@:2}"); } # FILE WORD...: what the command prints of itself
pages() {
    local verb
    printed "$prefix/share/man/man1/cardan.1" man || return 1
    for verb in $("$installed" help | sed -n '/^verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        printed "$prefix/share/man/man1/cardan-$verb.1" man "$verb" || { echo "  no page of $verb"; return 1; }
    done
    [[ "$(count_of '*/man1/*')" -gt 5 ]]
}
ok "each_verb_has_its_manual_page" pages
if there groff; then
    see groff -man -Tutf8 -ww -z "$prefix"/share/man/man1/*.1
    ok "groff_reads_the_manual_pages_without_a_warning" all exits 0 -- silent
else
    skip "groff is not there"
fi

# ---- completion

scripts="$prefix/share"
ok "completions_are_there" all printed "$scripts/bash-completion/completions/cardan" completion bash -- \
    printed "$scripts/zsh/site-functions/_cardan" completion zsh -- \
    printed "$scripts/fish/vendor_completions.d/cardan.fish" completion fish
completed() { # WORD...: what bash offers for the last one
    bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cardan; echo "${COMPREPLY[@]}"' - \
        "$scripts/bash-completion/completions/cardan" "$@"
}
ok "bash_completes_verbs" test "$(completed cardan ru)" = run
ok "bash_completes_options" test "$(completed cardan run --step)" = "--step --stepper"
ok "bash_completes_values_of_options" test "$(completed cardan run --stepper dop)" = "dopri5 dop853"
if there zsh; then
    see zsh -n "$scripts/zsh/site-functions/_cardan"
    ok "zsh_reads_its_completion" all exits 0 -- silent
else
    skip "zsh is not there"
fi
if there fish; then
    see fish -n "$scripts/fish/vendor_completions.d/cardan.fish"
    ok "fish_reads_its_completion" all exits 0 -- silent
    see env HOME="$work" fish --no-config -c "source '$scripts/fish/vendor_completions.d/cardan.fish'; complete -C 'cardan run --stepper dopr'"
    ok "fish_completes_values_of_options" all exits 0 -- prints '^dopri5'
else
    skip "fish is not there"
fi

# ---- a program outside

"$installed" run "$model" --solver cholmod --end 1 --json >"$work/own.json"
expected="$(python3 -c 'import json, sys; print("%.9g" % json.load(open(sys.argv[1]))["energy"]["total"])' "$work/own.json")"
right() { [[ -n "$expected" ]] && prints "^cardan [0-9.]*: t = 1 s, E = $expected J\$"; }
needs() { readelf -d "$1" | grep 'NEEDED.*\[libcardan\.so\.[0-9.]*\]' >/dev/null; } # PROGRAM
alone() { ! needs "$1"; }

flags() { # WORD...: of pkg-config, for the tree where it stands
    PKG_CONFIG_PATH="$libraries/pkgconfig" pkg-config --define-variable=prefix="$prefix" "$@"
}
compile() { # PROGRAM MODULE
    # shellcheck disable=SC2046 # flags are words
    see "${CC:-cc}" -std=c17 -Wall -Wextra -Werror "$outside/main.c" -o "$1" $(flags --cflags --libs "$2")
}
if there pkg-config && there "${CC:-cc}"; then
    last='pkg-config --cflags cardan'
    ok "pkg_config_gives_no_folder_but_our_own" test "$(flags --cflags cardan | xargs)" = "-I$prefix/include"
    ok "pkg_config_names_what_a_static_program_needs" test \
        "$(flags --libs --static cardan | grep -oE -- '-l(cholmod|openblas|lapacke|yaml)' | sort | xargs)" = \
        '-lcholmod -llapacke -lopenblas -lyaml'
    compile "$work/shared" cardan
    ok "a_program_builds_by_pkg_config" all exits 0 -- silent -- needs "$work/shared"
    see env LD_LIBRARY_PATH="$libraries" "$work/shared" "$model"
    ok "and_gives_what_the_command_gives" all exits 0 -- right
    compile "$work/static" cardan-static
    ok "a_static_program_builds_by_pkg_config" all exits 0 -- silent -- alone "$work/static"
    see "$work/static" "$model"
    ok "and_gives_the_same" all exits 0 -- right
else
    skip "pkg-config or a compiler is not there"
fi

configure() { # VERSION: 0 when CMake finds that one
    rm -rf "$work/cmake"
    see cmake -G Ninja -S "$outside" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DVERSION="$1"
}
if there cmake && there ninja; then
    version="$("$installed" version | sed 's/^cardan //')"
    configure "${version%.*}"
    ok "cmake_finds_the_package" exits 0
    see cmake --build "$work/cmake"
    ok "programs_build_by_cmake" all exits 0 -- needs "$work/cmake/with_cardan" -- alone "$work/cmake/with_static"
    for kind in cardan static; do
        see env -i OPENBLAS_NUM_THREADS=1 "$work/cmake/with_$kind" "$model"
        ok "a_program_with_cardan__${kind}_runs" all exits 0 -- right
    done
    configure 0.1
    ok "cmake_refuses_a_version_that_does_not_fit" all exits 1 -- says 'version'
else
    skip "cmake or ninja is not there"
fi

finish
