# shellcheck shell=bash disable=SC2034,SC2154
# Links that all live for 30 s, as where the host refuses a strap's timing; a strap without a bond that wants its link
# encrypted after 30 s.
SET=all
STRAPS='--count 2 --rate 2 --pairings none,just-works --secures no'
LIMIT=900
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/faults.py" timing; }
afterwards() { "$vm/scenarios/account" "$out"; }
