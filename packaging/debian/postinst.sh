#!/bin/sh
set -e
units='@UNITS@'

# Slots that are there already; the udev rule sees to those that come. No event is made up: other services may be listening.
give_slots() {
  [ -d /run/udev ] || return 0
  for slot in /sys/class/sdbp/slot[0-7]; do
    device=/dev/${slot##*/}
    [ -c "$device" ] || continue
    chgrp slotwire "$device"
    chmod 0660 "$device"
    [ -e "$slot/close_notification" ] || continue
    chgrp slotwire "$slot/close_notification"
    chmod g+w "$slot/close_notification"
  done
}

case "$1" in
  configure)
    getent group slotwire >/dev/null || groupadd --system slotwire
    getent passwd slotwire >/dev/null || useradd --system --gid slotwire --home-dir /var/lib/slotwire --no-create-home \
      --shell /usr/sbin/nologin --comment Slotwire slotwire
    [ -d /var/lib/slotwire ] || install -d -m 0700 -o slotwire -g slotwire /var/lib/slotwire
    give_slots
    if [ -d /run/systemd/system ]; then
      systemctl --system daemon-reload
      # What was running runs the new program; nothing else is started.
      [ -z "$2" ] || deb-systemd-invoke try-restart $units || echo 'slotwire: not restarted: systemctl status slotwire' >&2
    fi
    if [ -z "$2" ]; then
      echo "slotwire: nothing was started. Stop the device's original services, run 'slotwire doctor', then 'systemctl enable --now slotwire'."
    fi
    ;;
  abort-remove)
    # The removal stopped them; those that were not enabled stay so.
    [ ! -d /run/systemd/system ] || deb-systemd-invoke start $units || true
    ;;
esac
