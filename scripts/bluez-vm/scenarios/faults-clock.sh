# shellcheck shell=bash disable=SC2034,SC2154
# The wall clock is set forward and back.
SET=every
STRAPS='--rate 4'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/faults.py" clock; }
afterwards() { "$vm/scenarios/account" --clock-steps --beats "$out"; }
