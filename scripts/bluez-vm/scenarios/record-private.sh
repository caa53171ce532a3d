# shellcheck shell=bash disable=SC2034,SC2154
# A strap with private addresses is recorded by its identity, also on a link that existed before.
SET=all
STRAPS='--rate 2 --address private --pairings just-works --secures encrypted'
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/recording.py" private; }
