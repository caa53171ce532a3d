# shellcheck shell=bash disable=SC2034,SC2154
# Eight straps at 4 Hz, for 30 s (HRGATE_LONG=1: 5 minutes): nothing is lost.
SET=all
STRAPS='--count 8 --rate 4'
LIMIT=900
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/strange.py" eight; }
afterwards() { "$vm/scenarios/account" --gapless "$out"; }
