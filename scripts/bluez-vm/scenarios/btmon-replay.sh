# shellcheck shell=bash disable=SC2034,SC2154
# A capture during the run: its replay stores the same values, beats and breaks.
SET=all
STRAPS='--rate 2'
CAPTURE=capture.btsnoop
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/strange.py" capture; }
afterwards() { "$vm/scenarios/account" --capture "$CAPTURE" "$out"; }
