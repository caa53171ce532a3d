# shellcheck shell=bash disable=SC2034,SC2154
# At least 48 links of 0.1 to 1 s with a latency of 25 ms each way: each frame is stored with its beats, or in a gap.
SET=all
STRAPS='--count 2 --rate 4 --latency 25 --pairings none,just-works --secures no,encrypted'
LIMIT=900
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/faults.py" short; }
afterwards() { "$vm/scenarios/account" --beats "$out"; }
