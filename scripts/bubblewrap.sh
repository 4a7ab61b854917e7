#!/usr/bin/env bash
# Installs bubblewrap for the tests of the sandbox, where the package manager allows that; says what is missing where not.
# The tests that need it are left out without it.
set -euo pipefail

if command -v bwrap >/dev/null 2>&1; then
  bwrap --version
elif [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends bubblewrap python3 >&2
  bwrap --version
else
  echo 'bubblewrap is missing (Debian, Ubuntu, as root: apt-get install bubblewrap python3): tests of the sandbox are left out.' >&2
fi
