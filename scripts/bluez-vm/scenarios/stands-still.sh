# shellcheck shell=bash disable=SC2034,SC2154
# The machine is paused for 20 s, and for 40 s during which its link is lost. Its wall clock is set afterwards.
SET=all
STRAPS='--rate 2'
LIMIT=600
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/clocks.py" paused; }
afterwards() { "$vm/scenarios/account" --clock-steps --beats "$out"; }
