#!/usr/bin/env bash
# docs/FORMAT.md is current, and every example in it is read, checked and run.
# usage: CARDAN_COMMAND=build/tools/cardan CARDAN_FORMAT=build/tools/format/cardan-format tests/tool/test_format.sh
# (from the top of the checkout)
set -uo pipefail

# shellcheck source=tests/tool/support.sh
source "$(dirname "$0")/support.sh"

last='tools/format_reference --check'
tools/format_reference --check >"$work/out" 2>"$work/err"
status=$?
ok "the_generated_tables_are_current" exits 0

# The complaint about an unknown section lists those there are.
printf 'cardan: 1\nspace: planar\nnone_of_them: 1\n' >"$work/sections"
run check "$work/sections"
missing=0
for section in $(sed -n "s/.*unknown key 'none_of_them'.*there are: //p" "$work/err" | tr -d ,); do
    grep -q "^| .*\`$section\`.* |" docs/FORMAT.md || missing=$((missing + 1))
done
ok "every_section_is_in_the_page" all exits 3 -- test "$missing" -eq 0 -- says 'there are: cardan'

# Blocks ```yaml are whole models; ```yaml planar and ```yaml spatial are sections that replace those of the stage of
# that space: files LINE.yaml
python3 - docs/FORMAT.md "$work" <<'PYTHON'
import re, sys
page, folder = open(sys.argv[1]).read(), sys.argv[2]
blocks = [(page[:m.start()].count('\n') + 1, m[1], m[2]) for m in re.finditer(r'^```yaml ?(\w*)\n(.*?)^```$', page, re.M | re.S)]
def sections(text):
    return {m[1]: m[0] for m in re.finditer(r'^(\w+):.*\n(?:(?:[ #].*)?\n)*', text, re.M)}
stages = {m[1]: sections(text) for _, kind, text in blocks if (m := re.search(r'^name: (\w+)_stage$', text, re.M))}
for line, kind, text in blocks:
    whole = {**stages[kind], **sections(text)} if kind else sections(text)
    open(f'{folder}/{line}.yaml', 'w').write(''.join(whole.values()))
PYTHON

count=0
for file in "$work"/*.yaml; do
    line="$(basename "$file" .yaml)"
    count=$((count + 1))
    run check "$file"
    ok "the_example_of_line_${line}_is_checked" all exits 0 -- silent
    run run "$file" --end 0.1 --json
    ok "the_example_of_line_${line}_runs" all exits 0 -- json "d['status'] == 'ok'"
done
last='the blocks of the page'
ok "there_are_examples" test "$count" -ge 12

finish
