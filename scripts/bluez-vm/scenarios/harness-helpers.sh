# shellcheck shell=bash disable=SC2034,SC2154
# Each command on the guest's PATH has its effect, and what it broke recovers.
SET=all
STRAPS='--rate 2'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/harness_checks.py" helpers; }
