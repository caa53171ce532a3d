# shellcheck shell=bash disable=SC2034,SC2154
# No permission, no adapter that is on, no adapter, no bluetoothd, no bus: one sentence each with a remedy.
SET=all
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/enrolling.py" unavailable; }
