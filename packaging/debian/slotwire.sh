#!/bin/sh
# Starts Slotwire with the system's Node.js.
node=/usr/bin/node
if ! [ -x "$node" ]; then
  echo "slotwire: $node is missing: apt-get install nodejs" >&2
  exit 2
fi
# Root and the user slotwire may write the services' state folder, and use it. Other users have their own.
if [ -z "${SLOTWIRE_STATE:-}" ] && [ -w /var/lib/slotwire ]; then
  export SLOTWIRE_STATE=/var/lib/slotwire
fi
exec "$node" /usr/lib/slotwire/bin/slotwire.js "$@"
