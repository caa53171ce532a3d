# shellcheck shell=bash disable=SC2034,SC2154
# Two users of one machine, each with a gateway, a store and straps, and one adapter for all: neither affects the other
# or reads the other's data.
SET=all
STRAPS='--count 3 --rate 2'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/users.py" two-users; }
afterwards() { "$vm/scenarios/account" --gapless "$out/anna" && "$vm/scenarios/account" "$out/ben"; }
