# shellcheck shell=bash disable=SC2034,SC2154
# bluetoothd crashes by a bug of newer kernels (README.md), because of a strap that is not followed, and is started
# again.
SET=all
export HRGATE_VM_KERNEL=${HRGATE_VM_KERNEL:-linux-image-6.1.0-56-amd64}
STRAPS='--count 2 --rate 2'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/faults.py" death; }
afterwards() { "$vm/scenarios/account" "$out"; }
