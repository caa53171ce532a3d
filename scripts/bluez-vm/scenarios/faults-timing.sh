# shellcheck shell=bash disable=SC2034,SC2154
# Links that all live for 30 s, as where the host refuses a strap's timing; straps without a bond and with one that want
# their links encrypted after 30 s.
SET=all
STRAPS='--count 3 --rate 2 --pairings none,just-works,just-works --secures no'
LIMIT=900
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/faults.py" timing; }
afterwards() { "$vm/scenarios/account" "$out"; }
