# shellcheck shell=bash disable=SC2034,SC2154
# Equal frames without intervals at 2 and at 8 Hz, another subscriber that comes and goes, and bluetoothd and the
# gateway stopped at random for up to a second.
SET=all
STRAPS='--count 2 --rate 2 --no-rr --energy none --bpm 72'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/subscribers.py" subscribers; }
afterwards() { "$vm/scenarios/account" "$out"; }
