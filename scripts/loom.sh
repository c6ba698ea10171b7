#!/usr/bin/env bash
# usage: scripts/loom.sh [NAME]
# Runs stage 4's loom models: each test once for every order in which its
# threads can interleave. NAME runs those whose name contains it.
set -euo pipefail
cd "$(dirname "$0")/.."

# A directory of its own, since the flag rebuilds everything.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/loom"
export RUSTFLAGS="--cfg loom"
exec cargo test -p stage4-hand-rolled-future --test loom --release -- "$@"
