# shellcheck shell=bash disable=SC2034,SC2154
# `hrgate record` records the packets during the run. A replay of the recording stores the same values, beats and series
# breaks. The recording contains no data of unknown devices and no key, and is complete after kill -9 and on a full disk.
SET=all
STRAPS='--count 2 --rate 2 --pairings just-works,none --secures encrypted,no'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/recording.py" record; }
afterwards() { "$vm/scenarios/account" --capture strap.btsnoop "$out"; }
