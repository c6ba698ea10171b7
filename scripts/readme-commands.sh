#!/usr/bin/env bash
# usage: scripts/readme-commands.sh [FILE...]
#
# Runs every command that stands in a ```sh block of README.md (or the files
# given), in order, and stops at the first that fails. So what a reader copies
# from there works.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ ${1:-} == --help || ${1:-} == -h ]]; then
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"
    exit 0
fi

(($#)) || set -- README.md
found=0
while IFS= read -r command; do
    found=$((found + 1))
    printf '\n$ %s\n' "$command"
    # A reader's shell has a terminal on standard input; here there is none.
    bash -c "$command" </dev/null
done < <(awk '/^```/ { inside = ($0 == "```sh"); next } inside && NF { sub(/ +#.*/, ""); print }' "$@")
echo "$found commands ran"
((found > 0))
