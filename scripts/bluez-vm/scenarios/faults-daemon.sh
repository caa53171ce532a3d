# shellcheck shell=bash disable=SC2034,SC2154
# bluetoothd stopped, killed, and taken along by its bus.
SET=check
STRAPS='--count 2 --rate 2'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/faults.py" daemon; }
afterwards() { "$vm/scenarios/account" "$out"; }
