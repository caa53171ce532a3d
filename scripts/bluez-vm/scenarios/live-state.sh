# shellcheck shell=bash disable=SC2034,SC2154
# The live state on a broker: Home Assistant's discovery, values that equal the store's, and the state after a gateway
# was killed and after its successor has started. This also tests the libraries that hrgate loads on demand.
SET=all
STRAPS='--count 2 --rate 2'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/live_state.py" killed; }
afterwards() { "$vm/scenarios/account" "$out"; }
