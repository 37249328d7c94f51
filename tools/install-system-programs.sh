#!/usr/bin/env bash
# Installs the missing programs of tools/setup/system-programs.mjs with apt-get.
set -euo pipefail

missing=$(node "$(dirname "$0")/setup/print-missing-packages.mjs")
[[ -n $missing ]] || exit 0

as_root=()
[[ $EUID -eq 0 ]] || as_root=(sudo)
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -q </dev/null
mapfile -t packages <<<"$missing"
"${as_root[@]}" apt-get install -y -q --no-install-recommends "${packages[@]}" </dev/null
