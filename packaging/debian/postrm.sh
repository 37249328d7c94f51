#!/bin/sh
set -e
units='@UNITS@'

# Gives slots back to root, except if the administrator has replaced our rule.
return_slots() {
  [ -d /run/udev ] || return 0
  [ ! -s /etc/udev/rules.d/60-slotwire.rules ] || return 0
  for slot in /sys/class/sdbp/slot[0-7]; do
    device=/dev/${slot##*/}
    if [ -e "$device" ] && [ "$(stat -L -c %G "$device")" = slotwire ]; then chgrp root "$device"; fi
  done
}

# Removes the links of `systemctl enable` and `systemctl mask`, and folders that are empty then, as `disable` does.
forget_units() {
  for unit in $units; do
    rm -f "/etc/default/${unit%.service}"
    for link in "/etc/systemd/system/$unit" "/etc/systemd/system/"*.wants/"$unit" "/etc/systemd/system/"*.requires/"$unit"; do
      [ -L "$link" ] || continue
      rm "$link"
      [ "${link%/*}" = /etc/systemd/system ] || rmdir --ignore-fail-on-non-empty "${link%/*}"
    done
  done
}

# Removes what our power manager created, in a folder that may be the device's: a later user may get the same user id.
forget_socket() {
  [ ! -d /run/power-mgmt ] || find /run/power-mgmt -depth -user slotwire -delete || true
}

# Removes only the user that the installation created, not another one of that name.
remove_user() {
  if [ "$(getent passwd slotwire | cut -d : -f 6)" = /var/lib/slotwire ]; then userdel slotwire; fi
  if ! getent passwd slotwire >/dev/null && getent group slotwire >/dev/null; then groupdel slotwire; fi
}

case "$1" in
  remove)
    return_slots
    # Announcements that a killed process left behind.
    rm -f /etc/avahi/services/slotwire-*.service
    [ ! -d /run/systemd/system ] || systemctl --system daemon-reload || true
    ;;
  purge)
    forget_units
    rm -rf /var/lib/slotwire
    forget_socket
    remove_user
    [ ! -d /run/systemd/system ] || systemctl --system daemon-reload || true
    ;;
esac
