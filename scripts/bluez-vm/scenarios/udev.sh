# shellcheck shell=bash disable=SC2034,SC2154
# The rules of udev/ as udev itself reads them, for the adapter of this machine and for one of its links.
SET=every
STRAPS='--count 1'
scenario() {
  local rules
  rules=$(cd "$vm/../../udev" && pwd)
  mkdir -p /etc/udev/rules.d
  cp "$rules"/*.rules /etc/udev/rules.d/
  udevadm test --action=add /sys/class/bluetooth/hci0 >"$out/udev.txt" 2>&1
  expect "an adapter starts the machine's services that are enabled" grep -q "^SYSTEMD_WANTS=.*bluetooth\.target" "$out/udev.txt"
  expect "and the users' own" grep -q "^SYSTEMD_USER_WANTS=.*bluetooth\.target" "$out/udev.txt"
  expect-not 'udev objects to no rule' grep -q 'rules\.d/7[01]-hrgate.*\(Invalid\|Unknown\|Failed\|ignoring\)' "$out/udev.txt"
}
