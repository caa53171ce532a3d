# shellcheck shell=bash disable=SC2034,SC2154
# Another subscriber, odd frames, a flood, a strap that loses its service; then a store that is locked, and a disk that is full.
SET=every
STRAPS='--count 2 --rate 2'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/strange.py" frames; }
afterwards() { "$vm/scenarios/account" "$out"; }
