# shellcheck shell=bash disable=SC2034,SC2154
# Three straps are enrolled in three ways, then followed: each frame is stored, in order, with its beats.
SET=check
STRAPS='--count 3 --rate 2 --pairings just-works,passkey,none --secures encrypted,authenticated,no'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/enrolling.py" enrol-and-follow; }
afterwards() { "$vm/scenarios/account" --gapless "$out"; }
