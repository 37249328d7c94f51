#!/bin/sh
set -e
units='@UNITS@'

# An upgrade restarts what runs when the new files are in place.
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  deb-systemd-invoke stop $units || echo 'slotwire: not stopped: systemctl status slotwire' >&2
fi
