# shellcheck shell=bash disable=SC2034,SC2154
# The findings of hrgate doctor on a machine without problems and with some, while a gateway runs.
SET=all
STRAPS='--rate 2'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/doctoring.py" doctor; }
