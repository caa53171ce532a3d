# shellcheck shell=bash disable=SC2034,SC2154
# A hundred other devices, straps with wrong data, an unreadable name.
SET=all
STRAPS='--count 4 --rate 2 --lie none,no-service,no-measurement,no-notify --crowd 100 --name-hex 1b5b33316dff00c328536c79'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/strange.py" crowd; }
afterwards() { "$vm/scenarios/account" "$out"; }
