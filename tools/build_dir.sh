# Sourced by tools/quickstart and tools/test: where the checkout is, and build directories that stay usable when the
# options change, when the checkout is moved and when they were made by hand.
# shellcheck shell=bash

root="$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"

# configured DIR: a build directory of this checkout, at this place
configured() {
    [[ -f "$1/build.ninja" ]] && grep -qsF "\"source\": \"$root\"" "$1/meson-info/meson-info.json" &&
        grep -qsF "\"build\": \"$1\"" "$1/meson-info/meson-info.json"
}

# configure DIR OPTION...: a build directory with these options, made or changed only when it is not so already
configure() {
    local dir="$1" how=() said
    shift
    if configured "$dir"; then
        if [[ -f "$dir/cardan-options" && "$(cat "$dir/cardan-options")" == "$*" ]]; then return 0; fi
        how=(--reconfigure)
    elif [[ -d "$dir" ]]; then
        rm -rf -- "${dir:?}"
    fi
    if ! said="$(meson setup "${how[@]}" "$@" "$dir" "$root" 2>&1)"; then
        printf '%s\n' "$said" >&2
        return 1
    fi
    printf '%s\n' "$*" >"$dir/cardan-options"
}
