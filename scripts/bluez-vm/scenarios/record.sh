# shellcheck shell=bash disable=SC2034,SC2154
# A recording during the run: its replay stores the same values, beats and breaks. It contains no data of unknown
# devices and no key, and is complete after kill -9 and on a full disk.
SET=all
STRAPS='--count 2 --rate 2 --pairings just-works,none --secures encrypted,no'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/recording.py" record; }
afterwards() { "$vm/scenarios/account" --capture strap.btsnoop "$out"; }
