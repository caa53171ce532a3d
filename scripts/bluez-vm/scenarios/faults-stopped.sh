# shellcheck shell=bash disable=SC2034,SC2154
# bluetoothd stands still for half a minute, as after SIGSTOP, and goes on.
SET=all
STRAPS='--count 2 --rate 1'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/faults.py" stopped; }
afterwards() { "$vm/scenarios/account" "$out"; }
