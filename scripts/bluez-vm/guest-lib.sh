#!/bin/bash
# shellcheck disable=SC2154,SC1091
# Commands that scenarios use to cause faults in their machine. `guest` sources this file. In the guest, each function
# in guest_commands is also a command on the PATH. Process IDs are kept in files, so that every process reads the
# current ones after a restart.
guest_state=/run/hrgate-vm
guest_commands=(bluetoothd-stop bluetoothd-start bluetoothd-kill bluetoothd-pid dbus-restart dbus-stop dbus-start
  adapter-add adapter-remove adapter-power rfkill-block rfkill-unblock clock-step network-less within)
# The commands in a machine that was started by its own systemd.
debian_commands=(adapter-add adapter-remove adapter-power rfkill-block rfkill-unblock clock-step within machine-reboot)
[ ! -e "$guest_state/settings" ] || . "$guest_state/settings"

# within SECONDS COMMAND…: retries COMMAND until it succeeds. Returns 1 after the timeout.
within() {
  local end
  read -r end _ </proc/uptime
  end=$(( ${end%.*} + $1 + 1 ))
  shift
  until "$@"; do
    read -r now _ </proc/uptime
    [ "${now%.*}" -lt "$end" ] || return 1
    sleep 0.05
  done
}

running() { [ -e "$guest_state/$1.pid" ] && kill -0 "$(<"$guest_state/$1.pid")" 2>/dev/null; }
not-running() { ! running "$1"; }

# end NAME SIGNAL: sends a signal to the process of this name, and waits until it has exited.
end() {
  running "$1" || return 0
  kill "-$2" "$(<"$guest_state/$1.pid")" 2>/dev/null
  within 15 not-running "$1" || { echo "$1 does not end" >&2; return 1; }
  rm -f "$guest_state/$1.pid"
}

# start NAME LOG COMMAND…: runs COMMAND in the background, and stores its process ID in a file for NAME.
start() {
  local name=$1 log=$2
  shift 2
  setsid "$@" </dev/null >>"$log" 2>&1 9>&- &
  echo $! >"$guest_state/$name.pid"
  disown                                      # the shell prints no message when it is killed
}

bus-answers() {
  dbus-send --system --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.GetId >/dev/null 2>&1
}
bluez-answers() {
  dbus-send --system --print-reply --dest=org.bluez / org.freedesktop.DBus.ObjectManager.GetManagedObjects \
    >/dev/null 2>&1
}

dbus-start() {
  rm -f /run/dbus/system_bus_socket
  start dbus "$guest_out/dbus.log" dbus-daemon --system --nofork --nopidfile
  within 15 bus-answers
}
dbus-stop() { end dbus KILL; }

bluetoothd-start() {
  running bluetoothd && { echo "bluetoothd is already running" >&2; return 1; }
  # shellcheck disable=SC2086  # guest_debug is -d or nothing
  start bluetoothd "$guest_out/bluetoothd.log" /usr/libexec/bluetooth/bluetoothd -n ${guest_debug:-}
  within 15 bluez-answers
}
bluetoothd-stop() { end bluetoothd TERM; }
bluetoothd-kill() { end bluetoothd KILL; }
bluetoothd-pid() { cat "$guest_state/bluetoothd.pid"; }

# Restarts the bus daemon at the same address, which ends all connections. bluetoothd exits when it loses its bus; like
# systemd, this function starts it again.
dbus-restart() {
  dbus-stop
  within 10 not-running bluetoothd || bluetoothd-kill
  rm -f "$guest_state/bluetoothd.pid"
  dbus-start && bluetoothd-start
}

adapter-attach() { start "adapter$1" "$guest_out/btattach$1.log" btattach -B "/dev/hvc$(($1 + 1))" -P h4; }
adapter-is() { # N PROPERTY true|false
  dbus-send --system --print-reply --dest=org.bluez "/org/bluez/hci$1" org.freedesktop.DBus.Properties.Get \
    string:org.bluez.Adapter1 "string:$2" 2>/dev/null | grep -q "boolean $3"
}
adapter-known() {
  dbus-send --system --print-reply --dest=org.bluez "/org/bluez/hci$1" org.freedesktop.DBus.Properties.Get \
    string:org.bluez.Adapter1 string:Address >/dev/null 2>&1
}
adapter-here() { [ -e "/sys/class/bluetooth/hci$1" ]; }
adapter-gone() { ! adapter-here "$1"; }

# adapter-remove N: removes the kernel's device hciN, like unplugging a USB stick. The straps' links end by supervision
# timeout.
adapter-remove() {
  end "adapter$1" KILL || return 1
  within 15 adapter-gone "$1" || { echo "hci$1 was not removed" >&2; return 1; }
  local answer
  answer=$(strapctl unplug "$1") || { echo "$answer" >&2; return 1; }
}
# adapter-add N: attaches an adapter. The kernel assigns the lowest free number, which is N if only that adapter was
# removed.
adapter-add() {
  local tries=3
  adapter-attach "$1" && within 15 adapter-here "$1" || return 1
  running bluetoothd || return 0
  # Attach the adapter again if bluetoothd does not detect it. The kernel's timeout for its first HCI command is 2 s,
  # and on a busy host the reply may take longer.
  until within 15 adapter-known "$1"; do
    [ $((tries -= 1)) -gt 0 ] || { echo "bluetoothd does not detect hci$1" >&2; return 1; }
    adapter-remove "$1" && adapter-attach "$1" && within 15 adapter-here "$1" || return 1
  done
}

# adapter-power on|off [N]
adapter-power() {
  local value=false
  [ "$1" = on ] && value=true
  dbus-send --system --print-reply --dest=org.bluez "/org/bluez/hci${2:-0}" org.freedesktop.DBus.Properties.Set \
    string:org.bluez.Adapter1 string:Powered "variant:boolean:$value" >/dev/null
}

# Writes one struct rfkill_event: u32 index, u8 type (2: Bluetooth), u8 operation (3: change all), u8 soft, u8 hard.
rfkill-block() { printf '\0\0\0\0\2\3\1\0' >/dev/rfkill; }
rfkill-unblock() { printf '\0\0\0\0\2\3\0\0' >/dev/rfkill; }

# clock-step SECONDS: sets the wall clock, but not the monotonic clock.
clock-step() {
  local step now
  # Print the step with %.0f, because mawk's %d overflows at 2^31 - 1 microseconds, which is 2,147 s.
  step=$(awk -v step="$1" 'BEGIN {printf "%.0f", step * 1000000}')
  now=$((${EPOCHREALTIME/[.,]/} + step))          # only date runs between reading and setting the clock
  date -s "@$((now / 1000000)).$(printf %06d $((now % 1000000)))" >/dev/null
}

# network-less: removes the network of the guest. Only a run with -p has a network.
network-less() {
  local interface
  for interface in /sys/class/net/*; do
    case ${interface##*/} in lo) ;; *) /bin/busybox ip link set "${interface##*/}" down ;; esac
  done
}

# Restarts the machine normally, with all services stopped in order. Does not return.
machine-reboot() {
  touch "$guest_state/rebooting"
  systemctl reboot
  sleep infinity
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  command=${0##*/}
  case " ${guest_commands[*]} ${debian_commands[*]} " in
    *" $command "*) "$command" "$@" ;;
    *) echo "guest-lib.sh: call it as one of: ${guest_commands[*]}" >&2; exit 2 ;;
  esac
fi
