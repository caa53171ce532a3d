# shellcheck shell=bash disable=SC2034,SC2154
# Outdated attributes in bluetoothd's cache, and a bond that the strap has lost.
SET=every
STRAPS='--count 3 --rate 2 --plain-gatt --pairings just-works --secures no,no,encrypted --keys KEYS'
STRAPS=${STRAPS/KEYS/$out/keys.json}
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/faults.py" bond; }
afterwards() { "$vm/scenarios/account" --beats "$out"; }
