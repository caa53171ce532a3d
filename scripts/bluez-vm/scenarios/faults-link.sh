# shellcheck shell=bash disable=SC2034,SC2154
# Links that end, an absent strap, a mute one, a frozen one.
SET=every
STRAPS='--count 2 --rate 2'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/faults.py" link; }
afterwards() { "$vm/scenarios/account" --beats "$out"; }
