# shellcheck shell=bash disable=SC2034,SC2154
# btmon captures the packets during the run. A replay of the capture stores the same values, beats and series breaks.
SET=all
STRAPS='--rate 2'
CAPTURE=capture.btsnoop
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/strange.py" capture; }
afterwards() { "$vm/scenarios/account" --capture "$CAPTURE" "$out"; }
