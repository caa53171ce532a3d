# shellcheck shell=bash disable=SC2034,SC2154
# Each command on the guest's PATH does what it says, and what it broke comes back.
SET=all
STRAPS='--rate 2'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/harness_checks.py" helpers; }
