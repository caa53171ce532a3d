# shellcheck shell=bash disable=SC2034,SC2154
# A store that is locked, then on a disk that is full.
SET=every
STRAPS='--rate 2'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/strange.py" store; }
afterwards() { "$vm/scenarios/account" --gapless "$out"; }
