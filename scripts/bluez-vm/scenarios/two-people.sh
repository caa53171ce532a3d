# shellcheck shell=bash disable=SC2034,SC2154
# One gateway for the owner and two people, one of whom comes while it runs: each strap's beats are in its person's store, all
# of them, and in no other.
SET=all
STRAPS='--count 3 --rate 2'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/household.py" people; }
afterwards() { "$vm/scenarios/account" "$out/owner" && "$vm/scenarios/account" "$out/anna" && "$vm/scenarios/account" "$out/ben"; }
