# shellcheck shell=bash disable=SC2034,SC2154
# `hrgate run --reset-energy`: writes the control point once, and stores the energy from then on.
SET=all
STRAPS='--count 2 --rate 2 --energy 300'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/strange.py" energy; }
afterwards() { "$vm/scenarios/account" "$out"; }
