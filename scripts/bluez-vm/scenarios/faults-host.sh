# shellcheck shell=bash disable=SC2034,SC2154
# Parts of the machine that fail for a while: bluetoothd stopped, killed, and without its bus; the adapter off, blocked,
# unplugged. And the rules of udev/ as read by udev itself.
SET=check
STRAPS='--count 2 --rate 2'
udev_rules() {
  local rules
  rules=$(cd "$vm/../../udev" && pwd)
  mkdir -p /etc/udev/rules.d
  cp "$rules"/*.rules /etc/udev/rules.d/
  udevadm test --action=add /sys/class/bluetooth/hci0 >"$out/udev.txt" 2>&1
  expect "an adapter starts the enabled services of the system" grep -q "^SYSTEMD_WANTS=.*bluetooth\.target" "$out/udev.txt"
  expect "and those of the users" grep -q "^SYSTEMD_USER_WANTS=.*bluetooth\.target" "$out/udev.txt"
  expect-not 'udev accepts all rules' grep -q 'rules\.d/7[01]-hrgate.*\(Invalid\|Unknown\|Failed\|ignoring\)' "$out/udev.txt"
}
scenario() {
  udev_rules
  "$HRGATE_VM_PYTHON" "$vm/scenarios/faults.py" host
}
afterwards() { "$vm/scenarios/account" --beats "$out"; }
