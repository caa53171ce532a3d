# shellcheck shell=bash disable=SC2034,SC2154
# Two adapters. One of them is removed.
SET=all
STRAPS='--count 2 --rate 2 --secures no,encrypted'
ADAPTERS=2
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/faults.py" adapters; }
afterwards() { "$vm/scenarios/account" "$out"; }
