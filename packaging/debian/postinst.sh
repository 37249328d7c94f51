#!/bin/sh
set -e
units='@UNITS@'

# Gives present slots to the group; the udev rule does so for new ones. No artificial uevent: other services may react to it.
give_slots() {
  [ -d /run/udev ] || return 0
  # The administrator has replaced our rule: leave the slots alone.
  [ ! -e /etc/udev/rules.d/60-slotwire.rules ] || return 0
  for slot in /sys/class/sdbp/slot[0-7]; do
    device=/dev/${slot##*/}
    [ -c "$device" ] || continue
    chgrp slotwire "$device"
    chmod 0660 "$device"
  done
}

# udev may have read the rule before its group existed.
make_group() {
  groupadd --system slotwire
  [ ! -e /run/udev/control ] || udevadm control --reload || echo 'slotwire: udev does not see the new group yet; run: udevadm control --reload' >&2
}

case "$1" in
  configure)
    getent group slotwire >/dev/null || make_group
    getent passwd slotwire >/dev/null || useradd --system --gid slotwire --home-dir /var/lib/slotwire --no-create-home \
      --shell /usr/sbin/nologin --comment Slotwire slotwire
    [ -d /var/lib/slotwire ] || install -d -m 0700 -o slotwire -g slotwire /var/lib/slotwire
    give_slots
    if [ -d /run/systemd/system ]; then
      systemctl --system daemon-reload || true
      # Restart running services with the new program; start nothing else.
      [ -z "$2" ] || deb-systemd-invoke try-restart $units || echo 'slotwire: not restarted; see: systemctl status slotwire' >&2
    fi
    if [ -z "$2" ]; then
      echo "slotwire: nothing was started. Stop the device's original services, run 'slotwire doctor --hardware kernel --user slotwire', then 'systemctl enable --now slotwire'."
    fi
    ;;
  abort-remove)
    # The removal stopped them. Start does not enable.
    [ ! -d /run/systemd/system ] || deb-systemd-invoke start $units || true
    ;;
esac
