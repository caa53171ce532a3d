# shellcheck shell=bash disable=SC2034,SC2154
# Daylight saving time of the user's zone begins and ends while a strap sends.
SET=all
STRAPS='--rate 2'
LIMIT=600
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/clocks.py" daylight; }
afterwards() { "$vm/scenarios/account" --gapless "$out/spring" && "$vm/scenarios/account" --gapless "$out/autumn"; }
