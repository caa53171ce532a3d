# shellcheck shell=bash disable=SC2034,SC2154
# Another program has acquired the notifications of one strap, and those of another are acquired by no program:
# bluetoothd keeps running.
SET=all
STRAPS='--count 2 --rate 2'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/subscribers.py" acquired; }
afterwards() { "$vm/scenarios/account" "$out"; }
