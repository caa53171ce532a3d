# shellcheck shell=bash disable=SC2034,SC2154
# Links that all end after 30 s, as if the host rejected a strap's connection parameters; straps with and without a bond
# that request encryption after 30 s.
SET=all
STRAPS='--count 3 --rate 2 --pairings none,just-works,just-works --secures no'
LIMIT=900
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/faults.py" timing; }
afterwards() { "$vm/scenarios/account" "$out"; }
