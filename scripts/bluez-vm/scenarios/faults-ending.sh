# shellcheck shell=bash disable=SC2034,SC2154
# The gateway is stopped: normally, with a bluetoothd that does not reply, a locked store, a full disk.
SET=all
STRAPS='--count 2 --rate 2'
LIMIT=600
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/faults.py" ending; }
afterwards() { "$vm/scenarios/account" "$out"; }
