#!/usr/bin/env bash
# usage: scripts/stage-table.sh [--write]
#
# Runs every stage and prints what it says of itself as a Markdown table: the
# default run, and a crowd of 1,000 fetches that each wait a second. --write puts
# the table into README.md, between its two marks.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ ${1:-} == --help || ${1:-} == -h ]]; then
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"
    exit 0
fi

stages=(stage1-blocking-threads stage2-thread-pool stage3-event-loop
    stage4-hand-rolled-future "stage5-async-await --client hand" "stage5-async-await --client reqwest")
packages=()
for stage in "${stages[@]}"; do
    packages+=(-p "${stage%% *}")
done
cargo build --release "${packages[@]}"
binaries=${CARGO_TARGET_DIR:-target}/release

# The value of a line of the summary: "peak threads    1,001" gives "1,001".
value() {
    sed -n "s/^$1  *//p" <<<"$2" | sed 's/ (.*//'
}

table() {
    echo '| stage | 80 ms + 120 ms, one after the other | side by side | 1,000 fetches of one second | threads | peak memory, origin included |'
    echo '| --- | --- | --- | --- | --- | --- |'
    local stage home crowd
    for stage in "${stages[@]}"; do
        # shellcheck disable=SC2086 # a stage is a program and its options
        home=$("$binaries"/$stage)
        # shellcheck disable=SC2086
        crowd=$("$binaries"/$stage --repeat 1000 --max-in-flight 1000 /delay/1000/16)
        printf '| `%s` | %s | %s | %s | %s | %s |\n' "$stage" \
            "$(sed -n 's/^One after the other: //p' <<<"$home")" \
            "$(sed -n 's/^Side by side: //p' <<<"$home")" \
            "$(value 'wall time' "$crowd")" \
            "$(value 'peak threads' "$crowd")" \
            "$(value 'peak memory' "$crowd")"
    done
    printf '\nMeasured by `scripts/stage-table.sh` on %s, %s, %s processors, release build.\n' \
        "$(date +%F)" "$(uname -sm)" "$(getconf _NPROCESSORS_ONLN)"
}

if [[ ${1:-} != --write ]]; then
    table
    exit 0
fi
new=$(table)
awk -v new="$new" '
    /<!-- stage-table -->/ { print; print new; skipping = 1; next }
    /<!-- end of stage-table -->/ { skipping = 0 }
    !skipping' README.md >README.md.new
mv README.md.new README.md
