# shellcheck shell=bash disable=SC2034,SC2154
# Straps whose address is private and changes: enrolled under the identity that they tell when they are paired, and followed.
SET=all
STRAPS='--count 4 --rate 2 --address private,private-public,random,anonymous'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/enrolling.py" identity; }
afterwards() { "$vm/scenarios/account" "$out"; }
