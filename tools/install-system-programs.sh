#!/usr/bin/env bash
# Installs the missing programs of tools/setup/system-programs.mjs: with apt-get, and Schemathesis from PyPI into dist/schemathesis.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=$(node tools/setup/print-missing-packages.mjs)
if [[ -n $missing ]]; then
  as_root=()
  [[ $EUID -eq 0 ]] || as_root=(sudo)
  export DEBIAN_FRONTEND=noninteractive
  "${as_root[@]}" apt-get update -q </dev/null
  mapfile -t packages <<<"$missing"
  "${as_root[@]}" apt-get install -y -q --no-install-recommends "${packages[@]}" </dev/null
fi

# The folder can be deleted at any time: the next run fills it again.
pinned=tools/setup/schemathesis.txt venv=dist/schemathesis
cmp -s "$pinned" "$venv/installed.txt" && exit 0
python3 -m venv --clear "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$pinned"
cp "$pinned" "$venv/installed.txt"
