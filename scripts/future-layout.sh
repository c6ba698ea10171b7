#!/usr/bin/env bash
# usage: scripts/future-layout.sh FILE FUNCTION
#
# Shows the type that the compiler makes of an `async fn`: its variants, and what
# each of them stores. FILE is a library crate by itself.
#
# The option is not stable. `RUSTC_BOOTSTRAP=1` lets a stable compiler take it all
# the same: good for a look, and for nothing that is to last.
set -euo pipefail
cd "$(dirname "$0")/.."
if (($# != 2)) || [[ $1 == --help || $1 == -h ]]; then
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"
    exit $(($# != 1))
fi

object=$(mktemp)
trap 'rm -f "$object"' EXIT
layout=$(RUSTC_BOOTSTRAP=1 rustc --edition 2024 -O --crate-type lib \
    -Zprint-type-sizes --emit=obj -o "$object" "$1")
# From the type's line to that of the next type.
awk -v name="{async fn body of $2" '
    /^print-type-size type: / { inside = index($0, name) && !/Pin</ }
    inside && !/padding/ { sub(/^print-type-size /, ""); gsub(/, (offset|alignment): [0-9]+ bytes/, ""); print }
' <<<"$layout"
