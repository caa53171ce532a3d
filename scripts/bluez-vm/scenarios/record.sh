# shellcheck shell=bash disable=SC2034,SC2154
# A recording beside the run: its replay stores the same values, beats and breaks; it has nothing of a stranger and no key,
# and is whole after kill -9 and on a disk that is full.
SET=all
STRAPS='--count 2 --rate 2 --pairings just-works,none --secures encrypted,no'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/recording.py" record; }
afterwards() { "$vm/scenarios/account" --capture strap.btsnoop "$out"; }
