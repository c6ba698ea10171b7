#!/usr/bin/env bash
# usage: scripts/who-waits.sh PACKAGE
#
# Lets a stage fetch three slow pages at once, and asks the kernel what each of the
# stage's threads is doing meanwhile. (The origin server's thread is one of them.)
# Linux only: it reads /proc.
set -euo pipefail
cd "$(dirname "$0")/.."
if (($# != 1)) || [[ $1 == --help || $1 == -h ]]; then
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"
    exit $(($# != 1))
fi

cargo build --release -p "$1"
"${CARGO_TARGET_DIR:-target}/release/$1" --repeat 3 --max-in-flight 3 /delay/2000/16 >/dev/null 2>&1 &
stage=$!
trap 'wait $stage' EXIT
sleep 1

# Of the kernel's list of calls, those that a stage may sleep in.
call() {
    case "$(uname -m) $1" in
    "x86_64 45" | "aarch64 207") echo recvfrom ;;
    "x86_64 202" | "aarch64 98") echo futex ;;
    "x86_64 232" | "x86_64 281" | "aarch64 22") echo epoll_wait ;;
    "x86_64 230" | "aarch64 115") echo clock_nanosleep ;;
    *) echo "call $1" ;;
    esac
}

echo "thread           state         inside       stack pointer"
for task in /proc/$stage/task/*; do
    name=$(<"$task/comm")
    state=$(sed -n 's/^State:\t//p' "$task/status")
    # Number and arguments of the call, then the stack pointer and the position.
    # A shell may read this of its own children.
    read -ra words <"$task/syscall"
    printf '%-16s %-13s %-12s %s\n' "$name" "$state" "$(call "${words[0]}")" "${words[-2]:-}"
done
