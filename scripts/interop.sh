#!/usr/bin/env bash
# usage: scripts/interop.sh [STAGE...]
#
# Runs the stages (all of them, or those named, such as stage1-blocking-threads)
# against servers that nobody here wrote: nginx, Python's http.server and Node's
# http, on loopback. A server that is not installed is skipped with a message.
# Exit 0: every answer was the expected one. Exit 1: some were not.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ ${1:-} == --help || ${1:-} == -h ]]; then
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"
    exit 0
fi

work=$(mktemp -d)
servers=()
stop() {
    for pid in ${servers[@]+"${servers[@]}"}; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    rm -rf "$work"
}
trap stop EXIT

# --- the stages ---------------------------------------------------------------

if (($#)); then
    clients=("$@")
else
    clients=()
    for directory in crates/stage[0-9]*; do
        clients+=("$(basename "$directory")")
    done
fi
# A stage that holds two fetches is run with each.
for client in "${clients[@]}"; do
    case $client in
        stage4-hand-rolled-future) clients+=("$client --fetch async") ;;
        stage5-async-await) clients+=("$client --client hand") ;;
    esac
done
packages=()
for client in "${clients[@]}"; do
    packages+=(-p "${client%% *}")
done
cargo build "${packages[@]}"
binaries=${CARGO_TARGET_DIR:-target}/debug

# --- what is served -----------------------------------------------------------

mkdir -p "$work/site" "$work/out"
printf 'hello from a file\n' >"$work/site/small.txt"
head -c 33554432 /dev/urandom >"$work/site/large.bin"
printf '<p>before</p>\n<!--# echo var="arg_name" default="nobody" -->\n<p>after</p>\n' >"$work/site/page.shtml"
head -c 3000000 /dev/urandom >"$work/upload.bin"
: >"$work/empty"

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Waits until something listens on the port; gives up after five seconds.
listening() {
    for _ in $(seq 100); do
        (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return 0
        sleep 0.05
    done
    echo "nothing listens on port $1 after five seconds" >&2
    return 1
}

# --- one check ----------------------------------------------------------------

checks=0
failures=0

# expect SERVER STATUS BODY-FILE|- URL [OPTION...]
expect() {
    local server=$1 status=$2 body=$3 url=$4 client
    shift 4
    for client in "${clients[@]}"; do
        checks=$((checks + 1))
        rm -rf "$work/out"
        local line
        # shellcheck disable=SC2086 # a client is a program and its options
        line=$("$binaries"/$client --json --deadline 20 --save "$work/out" "$@" "$url" 2>/dev/null) || true
        if [[ $line != *"\"outcome\":\"ok\",\"status\":$status,"* ]]; then
            echo "FAILED $server: $client $* $url: expected status $status, got: ${line:0:300}" >&2
            failures=$((failures + 1))
        elif [[ $body != - ]] && ! cmp -s "$body" "$work/out/0.body"; then
            echo "FAILED $server: $client $* $url: the body differs from $(basename "$body")" >&2
            failures=$((failures + 1))
        fi
    done
}

# --- the servers --------------------------------------------------------------

with_nginx() {
    local port
    port=$(free_port)
    cat >"$work/nginx.conf" <<CONF
daemon off;
# One process: started by root, workers would run as a user who cannot read this.
master_process off;
pid $work/nginx.pid;
error_log $work/nginx.log;
events { worker_connections 256; }
http {
    access_log off;
    types { text/html shtml; text/plain txt; }
    client_body_temp_path $work/nginx-body;
    proxy_temp_path $work/nginx-proxy;
    fastcgi_temp_path $work/nginx-fastcgi;
    uwsgi_temp_path $work/nginx-uwsgi;
    scgi_temp_path $work/nginx-scgi;
    server {
        listen 127.0.0.1:$port;
        root $work/site;
        # Server-side includes have no length beforehand: nginx chunks them.
        location ~ [.]shtml$ { ssi on; }
        location = /moved { return 302 /small.txt; }
        location = /refused { client_max_body_size 1k; proxy_pass http://127.0.0.1:1; }
    }
}
CONF
    printf '<p>before</p>\nreader\n<p>after</p>\n' >"$work/page.html"
    nginx -p "$work" -c "$work/nginx.conf" 2>"$work/nginx.start" &
    servers+=($!)
    listening "$port"
    local url=http://127.0.0.1:$port
    expect nginx 200 "$work/site/small.txt" "$url/small.txt"
    expect nginx 200 "$work/site/large.bin" "$url/large.bin"
    expect nginx 200 "$work/page.html" "$url/page.shtml?name=reader"
    expect nginx 200 "$work/empty" "$url/small.txt" --method HEAD
    expect nginx 206 - "$url/small.txt" --header 'range: bytes=0-4'
    expect nginx 404 - "$url/missing"
    expect nginx 405 - "$url/small.txt" --data x
    expect nginx 302 - "$url/moved"
    expect nginx 413 - "$url/refused" --data "@$work/upload.bin"
}

with_python() {
    local port
    port=$(free_port)
    (cd "$work/site" && exec python3 -m http.server --bind 127.0.0.1 "$port") >"$work/python.log" 2>&1 &
    servers+=($!)
    listening "$port"
    local url=http://127.0.0.1:$port
    expect python 200 "$work/site/small.txt" "$url/small.txt"
    expect python 200 "$work/site/large.bin" "$url/large.bin"
    expect python 200 "$work/empty" "$url/small.txt" --method HEAD
    expect python 404 - "$url/missing"
    expect python 501 - "$url/small.txt" --data x
}

with_node() {
    local port
    port=$(free_port)
    cat >"$work/server.js" <<'JS'
const http = require('http');
http.createServer((request, response) => {
  if (request.url === '/chunked') {
    for (const piece of ['one ', 'two ', 'three\n']) response.write(piece);
    response.end();
  } else if (request.url === '/slow') {
    let left = 5;
    const timer = setInterval(() => {
      response.write('.');
      if (--left === 0) { clearInterval(timer); response.end('\n'); }
    }, 40);
  } else if (request.url === '/hints') {
    response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
    setTimeout(() => response.end('hinted\n'), 50);
  } else if (request.url === '/empty') {
    response.writeHead(204);
    response.end();
  } else if (request.url === '/echo') {
    // Answers while it still reads: both directions are under way at once.
    response.writeHead(200, { trailer: 'x-done' });
    request.pipe(response);
  } else {
    response.writeHead(404, { 'content-length': 0 });
    response.end();
  }
}).listen(Number(process.argv[2]), '127.0.0.1');
JS
    printf 'one two three\n' >"$work/chunked"
    printf '.....\n' >"$work/slow"
    printf 'hinted\n' >"$work/hints"
    node "$work/server.js" "$port" >"$work/node.log" 2>&1 &
    servers+=($!)
    listening "$port"
    local url=http://127.0.0.1:$port
    expect node 200 "$work/chunked" "$url/chunked"
    expect node 200 "$work/empty" "$url/chunked" --method HEAD
    expect node 200 "$work/slow" "$url/slow"
    expect node 200 "$work/hints" "$url/hints"
    expect node 204 "$work/empty" "$url/empty"
    expect node 404 "$work/empty" "$url/missing"
    expect node 200 "$work/upload.bin" "$url/echo" --data "@$work/upload.bin"
}

if ! command -v python3 >/dev/null; then
    echo "skipped everything: python3 is not installed (it also finds free ports)" >&2
    exit 0
fi
for server in nginx python node; do
    program=${server/python/python3}
    if command -v "$program" >/dev/null; then
        with_$server
    else
        echo "skipped $server: $program is not installed" >&2
    fi
done

echo "interop: $checks checks, $failures failed"
((failures == 0))
