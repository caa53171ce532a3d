# shellcheck shell=bash disable=SC2034,SC2154
# The gateway is stopped forty times at random moments, while eight straps send.
SET=all
STRAPS='--count 8 --rate 2'
LIMIT=1800
RUN_OPTIONS=(-e HRGATE_SEED -e HRGATE_LIVES -e HRGATE_LIFE_SECONDS)
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/lives.py" ended; }
afterwards() { "$vm/scenarios/account" "$out"; }
