#!/bin/sh
set -e
units='@UNITS@'

# An upgrade restarts running services after the new files are installed.
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  deb-systemd-invoke stop $units || echo 'slotwire: not stopped; see: systemctl status slotwire' >&2
fi
