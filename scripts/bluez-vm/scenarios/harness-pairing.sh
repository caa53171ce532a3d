# shellcheck shell=bash disable=SC2034,SC2154
# Each pairing method, and a bond that the strap has lost.
SET=all
STRAPS='--count 6 --rate 2 --pairings just-works,passkey,none,numeric,legacy,legacy-passkey --secures encrypted,authenticated,no,authenticated,encrypted,authenticated --keys KEYS'
STRAPS=${STRAPS/KEYS/$out/keys.json}
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/harness_checks.py" pairing; }
