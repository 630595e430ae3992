#!/usr/bin/env bash
# The page of `cardan view` in headless Chromium: view_page.py has the tests. Skipped (77) where there is no Chromium with
# its driver, no three.js or no Python.
# usage: CARDAN_COMMAND=build/tools/cardan tests/tool/test_page.sh   (from the top of the checkout)
set -uo pipefail
# shellcheck source=tests/tool/support.sh
source tests/tool/support.sh

for needed in chromium chromedriver python3; do
    if ! command -v "$needed" >/dev/null; then
        echo "skipped: there is no $needed; tools/setup --tests installs it"
        exit 77
    fi
done
run view models/pendulum.yaml --pose -o "$work/pose.html"
if exits 5 && says 'not installed'; then
    echo "skipped: three.js is not installed; tools/setup --tests installs it"
    exit 77
fi

python3 tests/tool/view_page.py "$cardan" "$work" | tee "$work/lines"
ended="${PIPESTATUS[0]}"
passed="$(grep -c '^ok ' "$work/lines")"
failed="$(grep -c '^not ok ' "$work/lines")"
if ((ended != 0 && failed == 0)); then failed=1; fi # it broke off
finish
