# shellcheck shell=bash disable=SC2034,SC2154
# Another subscriber, malformed frames, a flood, a strap that loses its service; then a locked store and a full disk.
SET=every
STRAPS='--count 2 --rate 2'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/strange.py" frames; }
afterwards() { "$vm/scenarios/account" "$out"; }
