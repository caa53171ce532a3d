# shellcheck shell=bash disable=SC2034,SC2154
# The harness proves itself: three straps, then each fault the straps have.
SET=all
STRAPS='--count 3 --rate 2 --plain-gatt'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/harness_checks.py" main; }
