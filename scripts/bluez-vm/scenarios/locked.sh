# shellcheck shell=bash disable=SC2034,SC2154
# A gateway records three straps while its store is encrypted and locked. It is killed, and the power of the machine is
# cut (HRGATE_POWER_CUTS times, three by default). After unlocking, each frame is stored or in a gap.
SET=all
STRAPS='--count 3 --rate 2'
LIMIT=900
RUN_OPTIONS=(-D disk)
beforehand() {
  truncate -s 64M "$out/disk"
  rm -f "$out"/{disk.log,seen}
  /sbin/mke2fs -q -t ext4 -b 4096 -E lazy_itable_init=0,lazy_journal_init=0 "$out/disk"
  echo '{"for": "enrolling"}' >"$out/plan"
}
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/locking.py" locked; }
afterwards() {
  "$vm_python" "$vm/scenarios/power_cuts.py" "$out" "${HRGATE_POWER_CUTS:-3}" "$STRAPS" locked &&
    "$vm/scenarios/account" "$out"
}
