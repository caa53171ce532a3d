# shellcheck shell=bash disable=SC2034,SC2154
# Numeric comparison and passkeys at a terminal, refusals, a bond that was lost, names that several bear, forgetting.
# Three minutes and more, most of them waits for a person or a strap that is not there, so it is in the long run only:
# enrol-and-follow and faults-bond pair in every other one.
SET=all
STRAPS='--count 3 --rate 2 --name Twin --pairings numeric,passkey,just-works --secures authenticated,authenticated,encrypted --keys KEYS'
STRAPS=${STRAPS/KEYS/$out/keys.json}
LIMIT=420
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/enrolling.py" pairing; }
