# shellcheck shell=bash disable=SC2034,SC2154
# The live state on a broker: Home Assistant's discovery, values that are the store's, and what is left of a gateway that is
# killed and of its successor. The libraries that hrgate takes up when they are needed are taken up here.
SET=all
STRAPS='--count 2 --rate 2'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/live_state.py" killed; }
afterwards() { "$vm/scenarios/account" "$out"; }
