# shellcheck shell=bash disable=SC2034,SC2154
# The adapter off, blocked, unplugged.
SET=every
STRAPS='--count 2 --rate 2'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/faults.py" adapter; }
afterwards() { "$vm/scenarios/account" "$out"; }
