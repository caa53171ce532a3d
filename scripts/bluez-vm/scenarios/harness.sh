# shellcheck shell=bash disable=SC2034,SC2154
# The harness tests itself: three straps, then each fault that straps can have.
SET=all
STRAPS='--count 3 --rate 2 --plain-gatt'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/harness_checks.py" main; }
