# shellcheck shell=bash disable=SC2034,SC2154
# Straps with private addresses that change: enrolled with the identity that they send when pairing, and followed.
SET=all
STRAPS='--count 4 --rate 2 --address private,private-public,random,anonymous'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/enrolling.py" identity; }
afterwards() { "$vm/scenarios/account" "$out"; }
