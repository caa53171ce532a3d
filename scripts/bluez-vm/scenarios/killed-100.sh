# shellcheck shell=bash disable=SC2034,SC2154
# The gateway is killed a hundred times while eight straps send: each frame is stored with its beats, or in a gap.
SET=all
STRAPS='--count 8 --rate 2'
LIMIT=2400
RUN_OPTIONS=(-e HRGATE_SEED -e HRGATE_LIVES -e HRGATE_LIFE_SECONDS)
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/lives.py" killed; }
afterwards() { "$vm/scenarios/account" --beats "$out"; }
