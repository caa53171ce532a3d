# shellcheck shell=bash disable=SC2034,SC2154
# What hrgate doctor says of a machine that is well, and of one where something is in the way; a gateway runs meanwhile.
SET=all
STRAPS='--rate 2'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/doctoring.py" doctor; }
