#!/usr/bin/env bash
# Installs Chromium for the tests of the console, where the package manager allows that; says what is missing where not.
# The tests that need it are left out without it.
set -euo pipefail

if command -v chromium >/dev/null 2>&1; then
  chromium --version
elif [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >&2
  chromium --version
else
  echo 'Chromium is missing (Debian, Ubuntu, as root: apt-get install chromium): tests of the console are left out.' >&2
fi
