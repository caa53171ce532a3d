# shellcheck shell=bash disable=SC2034,SC2154
# One gateway for the owner and two people, one of whom is added while it runs: all beats of each strap are in its
# person's store, and in no other.
SET=all
STRAPS='--count 3 --rate 2'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/household.py" people; }
afterwards() { "$vm/scenarios/account" "$out/owner" && "$vm/scenarios/account" "$out/anna" && "$vm/scenarios/account" "$out/ben"; }
