# shellcheck shell=bash disable=SC2034,SC2154
# The power of the machine is cut while two straps send, five times (HRGATE_POWER_CUTS sets another number). Data that
# its disk had not flushed is lost at random.
SET=all
STRAPS='--count 2 --rate 4'
LIMIT=400
RUN_OPTIONS=(-D disk)
beforehand() {
  truncate -s 64M "$out/disk"
  rm -f "$out"/{disk.log,seen}
  /sbin/mke2fs -q -t ext4 -b 4096 -E lazy_itable_init=0,lazy_journal_init=0 "$out/disk"
  echo '{"for": "enrolling"}' >"$out/plan"
}
scenario() { "$HRGATE_VM_PYTHON" "$vm/scenarios/power.py" power; }
afterwards() {
  "$vm_python" "$vm/scenarios/power_cuts.py" "$out" "${HRGATE_POWER_CUTS:-5}" "$STRAPS" &&
    "$vm/scenarios/account" "$out"
}
