# shellcheck shell=bash disable=SC2034,SC2154
# Devices with wrong data, a crowd, an unreadable name, two adapters.
SET=all
STRAPS='--count 4 --rate 2 --lie none,no-service,no-measurement,no-notify --crowd 100 --name-hex 1b5b33316dff00c328536c79'
ADAPTERS=2
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/harness_checks.py" strange; }
