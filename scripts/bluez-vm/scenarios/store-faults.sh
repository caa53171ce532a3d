# shellcheck shell=bash disable=SC2034,SC2154
# The store's disk is full, slow, read-only, and the store is locked for half a minute: nothing is lost. Then its file
# system fails.
SET=all
STRAPS='--count 2 --rate 2'
LIMIT=900
RUN_OPTIONS=(-D disk)
beforehand() {
  truncate -s 32M "$out/disk"
  rm -f "$out/disk.log"
  /sbin/mke2fs -q -t ext4 -b 4096 -E lazy_itable_init=0,lazy_journal_init=0 "$out/disk"
}
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/storing.py" faults; }
afterwards() { "$vm/scenarios/account" "$out"; }
