#!/usr/bin/env bash
# Installs the missing programs of tools/setup/system-programs.mjs: with apt-get, and from PyPI and npm into folders of dist.
# `tools/install-system-programs.sh home-assistant` also installs Home Assistant, 680 MB, for a test of the long tier.
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

# The folders can be deleted at any time: the next run fills them again.
for name in schemathesis openapi-python-client "$@"; do
  pinned=tools/setup/$name.txt venv=dist/$name python=python3
  cmp -s "$pinned" "$venv/installed.txt" && continue
  # Its version needs this Python.
  [[ $name == home-assistant ]] && python=python3.11
  "$python" -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$pinned"
  cp "$pinned" "$venv/installed.txt"
done
for name in client-generators node-red; do
  pinned=tools/setup/$name folder=dist/$name
  cmp -s "$pinned/package-lock.json" "$folder/installed.json" && continue
  mkdir -p "$folder"
  cp "$pinned"/package*.json "$folder"
  npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel=error
  cp "$pinned/package-lock.json" "$folder/installed.json"
done
