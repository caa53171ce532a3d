# shellcheck shell=bash disable=SC2034,SC2154
# Random faults for five minutes (HRGATE_SOAK_SECONDS sets another time): all frames are accounted for, and memory and
# descriptors do not grow.
SET=all
STRAPS='--count 4 --rate 2'
LIMIT=$((${HRGATE_SOAK_SECONDS:-300} + 1500))
RUN_OPTIONS=(-e HRGATE_SEED -e HRGATE_SOAK_SECONDS)
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/soaking.py" soak; }
afterwards() { "$vm/scenarios/account" "$out"; }
