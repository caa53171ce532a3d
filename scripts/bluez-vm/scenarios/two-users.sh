# shellcheck shell=bash disable=SC2034,SC2154
# Two users of one machine, each with a gateway, a store and straps of their own, and one adapter for all of them: what one
# of them does takes nothing from the other, and neither reads what is the other's.
SET=all
STRAPS='--count 3 --rate 2'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/users.py" two-users; }
afterwards() { "$vm/scenarios/account" --gapless "$out/anna" && "$vm/scenarios/account" "$out/ben"; }
