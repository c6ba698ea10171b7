#!/usr/bin/env bash
# usage: scripts/readme-commands.sh [FILE...]
#
# Runs every command that stands in a ```sh block of README.md (or the files
# given), in order, each once, and stops at the first that fails. So what a reader
# copies from there works. A command in a ```sh fails block must fail, with exit
# code 1: it is one whose answer is no. One that takes longer than 20 minutes is
# ended.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ ${1:-} == --help || ${1:-} == -h ]]; then
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"
    exit 0
fi

(($#)) || set -- README.md
limit=()
if command -v timeout >/dev/null; then
    limit=(timeout 1200)
fi
found=0
while IFS=$'\t' read -r expected command; do
    found=$((found + 1))
    printf '\n$ %s\n' "$command"
    code=0
    # A reader's shell has a terminal on standard input; here there is none.
    ${limit[@]+"${limit[@]}"} bash -c "$command" </dev/null || code=$?
    if ((code != expected)); then
        echo "exit code $code, and not $expected: $command" >&2
        exit 1
    fi
done < <(awk '
    /^```/ { inside = /^```sh( fails)?$/; expected = / fails$/ ? 1 : 0; next }
    inside && NF { sub(/ +#.*/, ""); if (!seen[$0]++) print expected "\t" $0 }' "$@")
echo "$found commands ran"
((found > 0))
