# shellcheck shell=bash disable=SC2034,SC2154
# The machine is paused for 60 s without setting its clock; then bluetoothd is stopped for 60 s. At 2 Hz the kernel's
# queue is too short for either.
SET=all
STRAPS='--rate 2'
LIMIT=600
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/clocks.py" bursts; }
afterwards() { "$vm/scenarios/account" --clock-steps --behind 60 --beats "$out"; }
