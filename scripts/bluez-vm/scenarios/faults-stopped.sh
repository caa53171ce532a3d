# shellcheck shell=bash disable=SC2034,SC2154
# bluetoothd is stopped for half a minute (SIGSTOP), and continues.
SET=all
STRAPS='--count 2 --rate 1'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/faults.py" stopped; }
afterwards() { "$vm/scenarios/account" "$out"; }
