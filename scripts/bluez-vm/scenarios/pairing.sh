# shellcheck shell=bash disable=SC2034,SC2154
# Numeric comparison and passkeys at a terminal, refusals, a lost bond, ambiguous names, removing. It takes over three
# minutes, mostly waiting for a user or an absent strap, so it is only in the long run: enrol-and-follow and faults-bond
# pair in all other runs.
SET=all
STRAPS='--count 3 --rate 2 --name Twin --pairings numeric,passkey,just-works --secures authenticated,authenticated,encrypted --keys KEYS'
STRAPS=${STRAPS/KEYS/$out/keys.json}
LIMIT=420
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/enrolling.py" pairing; }
