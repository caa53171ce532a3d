# shellcheck shell=bash disable=SC2034,SC2154
# A bare Debian 12 with its own systemd: apt installs the package, two users each have a gateway and pair a strap, the
# machine is restarted, and their programs read what was measured before they logged in: ben's after he unlocked his
# store, which he encrypted. Then an upgrade with running gateways, and the removal of the package. HRGATE_PACKAGES has
# two versions, old.deb and new.deb, and HeartRateReader, a program that uses HealthKit, with the path of the Swift
# libraries (packaging/test/run).
SET=packages
SYSTEM=own
STRAPS='--count 2 --rate 1'
LIMIT=1800
RUN_OPTIONS=(-e HRGATE_PACKAGES)

packages=/run/host$HRGATE_PACKAGES
# jq is missing on a bare machine, so run the host's. It works only in pipes, because it does not see the guest's files.
jq() { chroot /run/host jq "$@"; }
# holds FILE FILTER: checks a JSON file. Commands write their output to files, because `expect` prints the output of a
# failed check.
holds() { jq -e "${@:2}" <"$1" >/dev/null; }
to() { "${@:2}" >>"$1" 2>&1; }
# anna COMMAND, ben COMMAND: runs a command as a user who logs in and out again.
anna() { su - anna -c "$*"; }
ben() { su - ben -c "$*"; }
address() { echo "F0:0D:BE:A7:01:0$(($1 + 1))"; }
unit() { systemctl show --property "$2" --value "$1"; }
unit-is() { [ "$(unit "$1" "$2")" = "$3" ]; }
unit-says() { [[ $(unit "$1" StatusText) == *$2* ]]; }
sent() { strapctl status | jq ".[$1].sent"; }
sent-beyond() { [ "$(sent "$1")" -gt "$2" ]; }
# follows USER STRAP: waits until the user's gateway follows the strap and the strap sends.
follows() {
  eventually 120 unit-says "hrgate@$1" '1 following'
  local before
  before=$(sent "$2")
  eventually 60 sent-beyond "$2" "$((before + 3))"
}
process-of() { unit "hrgate@$1" MainPID; }
other-process() { local now && now=$(process-of "$1") && [ "$now" != 0 ] && [ "$now" != "$2" ]; }
nobody-is-logged-in() { [ -z "$(loginctl list-users --no-legend)" ]; }

# Checks that no unit has failed. Called after each step.
no-unit-failed() {
  local failed
  failed=$(systemctl --failed --plain --no-legend)
  [ -z "$failed" ] || fail "a unit failed: $failed"
}

scenario() {
  case $HRGATE_VM_BOOT in
    1) bought ;;
    *) used ;;
  esac
}

# Simulates the first day of a new machine: installation and pairing.
bought() {
  date +%s.%N >"$out/begun"
  useradd -m -s /bin/bash anna
  useradd -m -s /bin/bash ben
  install -m 440 /dev/stdin /etc/sudoers.d/anna <<<'anna ALL=(ALL) NOPASSWD: ALL'
  cp "$packages"/{old,new}.deb /var/tmp/
  export DEBIAN_FRONTEND=noninteractive
  expect 'apt installs it with its dependencies' apt-get -qq -y install /var/tmp/old.deb
  expect-not 'and does not start it' systemctl -q is-active 'hrgate@*' bluetooth.target

  adapter-add 0
  expect 'an adapter is added, and starts bluetoothd' within 90 adapter-is 0 Powered true
  anna sudo systemctl enable --now hrgate@anna
  eventually 60 systemctl -q is-active hrgate@anna
  eventually 60 unit-says hrgate@anna 'no monitor is paired'
  anna hrgate doctor >"$out/doctor.enabled" || true
  expect 'the doctor reports the service' grep -q 'enabled: hrgate@anna.service' "$out/doctor.enabled"
  anna hrgate pair "$(address 0)" >"$out/paired"
  expect 'a strap is paired, with a bond' grep -q bonded "$out/paired"
  follows anna 0
  eventually 60 has-measured
  echo '· hrgate status reads the state of the gateway'
  anna sudo systemctl enable --now hrgate@ben
  ben hrgate pair "$(address 1)" >"$out/paired-ben"
  follows ben 1
  follows anna 0
  echo "· ben has his own gateway, on the same adapter"

  hardened
  private
  one-gateway-at-a-time
  watched
  encrypted
  echo '· the machine is restarted'
  machine-reboot
}

# Measurements are counted when they are committed, every few seconds.
has-measured() {
  anna hrgate status --json >"$out/status.json"
  holds "$out/status.json" '.monitors[0].state == "following" and .measurements > 0'
}

hardened() {
  local process exposure
  process=$(process-of anna)
  expect 'the gateway sees only the home of its user' test "$(nsenter -t "$process" -m find /home -mindepth 1 | sort | head -n 5 | tr '\n' ' ')" = \
    '/home/anna /home/anna/.config /home/anna/.config/hrgate /home/anna/.local /home/anna/.local/share '
  expect 'it has no privileges' grep -q '^CapEff:\s*0*$' "/proc/$process/status"
  expect 'and its system calls are filtered' grep -q '^Seccomp:\s*2$' "/proc/$process/status"
  systemd-analyze --no-pager security hrgate@anna.service >"$out/security"
  exposure=$(sed -n 's/.*Overall exposure level for hrgate@anna.service: \([0-9.]*\) .*/\1/p' "$out/security")
  expect "systemd-analyze security: $exposure" awk "BEGIN {exit !(${exposure:-10} <= 2.0)}"
}

private() {
  expect 'only the owners can read the stores' test "$(stat -c '%a %U' /home/anna/.local/share/hrgate{,/health.sqlite} | tr '\n' ' ')" = '700 anna 600 anna '
  expect-not 'ben cannot read her store' to "$out/refused" ben cat /home/anna/.local/share/hrgate/health.sqlite
  expect-not 'nor use her gateway' to "$out/refused" ben hrgate status --account anna
  expect 'with the reason' grep -q 'only anna and root may see the status' "$out/refused"
  expect-not 'nor read it with busctl' to "$out/refused" ben busctl --system introspect org.hrgate.Gateway1.uid1000 /org/hrgate/Gateway1
}

# Checks that only one of two gateways of anna follows her strap, the machine's or that of her own service manager. The
# one that is started later waits.
one-gateway-at-a-time() {
  expect-not 'a second gateway is rejected' to "$out/second" anna hrgate run
  expect 'with the reason' grep -qi 'another' "$out/second"
  su - anna -c 'sleep infinity' &
  local session=$! own='systemctl --user --machine anna@'
  eventually 60 $own -q is-active default.target
  $own start hrgate.service
  expect 'a gateway of a unit waits' [ "$($own show --property StatusText --value hrgate.service | grep -c 'another gateway')" = 1 ]
  systemctl stop hrgate@anna
  local before
  before=$(sent 0)
  eventually 120 sent-beyond 0 "$((before + 3))"
  systemctl start hrgate@anna
  expect 'and then the other waits for it' unit-says hrgate@anna 'another gateway'
  $own stop hrgate.service
  follows anna 0
  expect 'neither was restarted repeatedly' unit-is hrgate@anna NRestarts 0
  kill "$session"
}

# Checks that systemd's watchdog restarts a gateway that hangs.
watched() {
  install -D -m 644 /dev/stdin /run/systemd/system/hrgate@anna.service.d/soon.conf <<<$'[Service]\nWatchdogSec=45'
  systemctl daemon-reload
  systemctl restart hrgate@anna
  local process
  process=$(process-of anna)
  follows anna 0
  kill -STOP "$process"
  eventually 240 other-process anna "$process"
  expect 'a gateway that hangs is restarted' unit-is hrgate@anna NRestarts 1
  follows anna 0
}

# Encrypts ben's store as the README says.
encrypted() {
  systemctl stop hrgate@ben
  ben 'umask 077 && echo correct horse battery staple >passphrase'
  expect 'ben encrypts his store' ben hrgate store encrypt --passphrase-file passphrase
}

# Checks that ben's gateway records while his store is locked, and that all of it is in the store after unlocking.
unlocked() {
  ben hrgate store status --json >"$out/locked.json"
  expect 'the store of ben is locked, and his gateway records' holds "$out/locked.json" '.encrypted and .locked and .inbox.entries > 0'
  ben hrgate status >"$out/status.locked" || true
  expect 'hrgate status says so' grep -q 'locked' "$out/status.locked"
  : >"$out/refused"
  expect-not 'nothing can be read' to "$out/refused" ben hrgate samples
  expect 'with the reason' grep -q 'encrypted and locked' "$out/refused"
  ben hrgate store unlock --passphrase-file passphrase
  eventually 60 nothing-is-sealed
  follows ben 1
  echo '· ben unlocks it, and his gateway stores what it recorded'
}
nothing-is-sealed() {
  ben hrgate store status --json >"$out/unlocked.json"
  holds "$out/unlocked.json" '.locked == false and .inbox.entries == 0'
}

# Checks that the unit for it locks the store when ben logs out.
locked-at-logout() {
  ben 'systemctl --user start hrgate-lock && hrgate store status --json' >"$out/logged-in.json"
  expect 'ben logs in, and his store is unlocked' holds "$out/logged-in.json" '.locked == false'
  eventually 90 is-locked
  echo '· and locked after his logout'
}
is-locked() {
  # Without a login, which would start his service manager again.
  HOME=/home/ben setpriv --reuid=ben --regid=ben --init-groups hrgate store status --json >"$out/logged-out.json"
  holds "$out/logged-out.json" .locked
}

# Simulates the next day: the machine is started again.
used() {
  local up login process
  up=$(date -u +%FT%TZ)
  no-unit-failed
  expect 'without an adapter there is no gateway' unit-is hrgate@anna ActiveState inactive
  adapter-add 0
  eventually 120 systemctl -q is-active hrgate@anna hrgate@ben
  echo '· the adapter is back, and the gateways are running'
  follows anna 0
  eventually 60 sent-beyond 0 "$(($(sent 0) + 10))"
  eventually 120 unit-says hrgate@ben 'the store is locked'
  eventually 120 sent-beyond 1 "$(($(sent 1) + 10))"
  expect 'no user is logged in' nobody-is-logged-in
  login=$(date -u +%FT%TZ)
  unlocked
  for user in anna ben; do
    su - "$user" -c "hrgate samples --type heartRate --from $up --to $login --json" >"$out/before-login.$user"
    expect "$user logs in, and reads $(wc -l <"$out/before-login.$user") heart rates from before" test "$(wc -l <"$out/before-login.$user")" -ge 5
  done
  anna hrgate stats --type heartRate --every 1h
  a-program-of-annas
  anna hrgate doctor >"$out/doctor" || fail "hrgate doctor: $(grep -i fail "$out/doctor")"
  no-unit-failed

  bluetoothd-crashes
  process=$(process-of anna)
  adapter-remove 0
  eventually 60 unit-says hrgate@anna adapter-absent
  adapter-add 0
  follows anna 0
  expect 'the gateway keeps running without the adapter' test "$(process-of anna)" = "$process"
  upgraded
  read-in-the-journal
  locked-at-logout
  no-unit-failed
  gone
}

# Checks that `hrgate doctor` reports that Debian's unit does not restart bluetoothd after a crash, and that the
# suggested drop-in does.
bluetoothd-crashes() {
  local process drop_in=/etc/systemd/system/bluetooth.service.d/restart.conf
  expect 'the doctor reports that bluetoothd is not restarted' grep -q 'Restart=no' "$out/doctor"
  expect 'and the program that has the store open' grep -q "hrgate (process $(process-of anna), the gateway)" "$out/doctor"
  install -D -m 644 /usr/share/doc/hrgate/examples/bluetooth-restart.conf $drop_in
  systemctl daemon-reload
  anna hrgate doctor >"$out/doctor.restarts"
  expect-not 'with the drop-in it does not' grep -q 'Restart=no' "$out/doctor.restarts"
  process=$(unit bluetooth MainPID)
  kill -SEGV "$process"
  eventually 60 adapter-is 0 Powered true
  expect 'and bluetoothd is restarted after a crash' test "$(unit bluetooth MainPID)" != "$process"
  follows anna 0
  follows ben 1
  rm $drop_in
  systemctl daemon-reload
}

# Checks that a program that uses the HealthKit API reads the samples with the user's permission.
a-program-of-annas() {
  local place=/home/anna/bin said=/home/anna/said
  install -d -o anna -g anna "$place" "$place/HeartRateReader.resources"
  install -m 755 "$packages/HeartRateReader" "$place/"
  install -m 644 "$packages"/HeartRateReader.resources/* "$place/HeartRateReader.resources/"
  anna hrgate permissions grant org.hrgate.example.reader --type heartRate --read
  mkfifo -m 644 /run/typed
  exec 7<>/run/typed
  su - anna -c "LD_LIBRARY_PATH=/run/host$(<"$packages/libraries") $place/HeartRateReader </run/typed >$said 2>&1" 7>&- &
  local reader=$!
  eventually 60 grep -q '^[0-9]* heart rates' "$said"
  expect 'a program that uses HealthKit reads them, too' test "$(sed -n 's/^\([0-9]*\) heart rates.*/\1/p' "$said")" -ge "$(wc -l <"$out/before-login.anna")"
  eventually 60 grep -q '^+ ' "$said"
  echo '· and gets new ones'
  exec 7>&-
  wait "$reader"
  cp "$said" "$out/reader"
}

upgraded() {
  local anna_s ben_s version
  version=$(hrgate --version)
  anna_s=$(process-of anna) ben_s=$(process-of ben)
  expect 'apt installs another version' apt-get -qq -y install /var/tmp/new.deb
  expect 'with the version of its package' test "$(hrgate --version) $(dpkg-query -W -f '${Version}' hrgate)" != "$version 0.0.1"
  eventually 60 other-process anna "$anna_s"
  eventually 60 other-process ben "$ben_s"
  follows anna 0
  follows ben 1
  anna hrgate monitors gaps --json >"$out/gaps.anna"
  expect 'the upgrade leaves a gap with its cause' holds "$out/gaps.anna" -s 'map(select(.cause == "gateway-stopped" and .end != null)) != []'
}

read-in-the-journal() {
  journalctl -u hrgate@anna -o cat >"$out/journal.anna"
  expect 'the journal has the states of the monitor' grep -q 'following' "$out/journal.anna"
  journalctl -u hrgate@anna HRGATE_EVENT=gap "HRGATE_MONITOR=$(address 0)" -o json >"$out/gaps.journal"
  expect 'a query by field finds the gaps, each with its fields' holds "$out/gaps.journal" -s \
    'length > 0 and all(.HRGATE_EVENT == "gap" and .HRGATE_CAUSE != null and .HRGATE_START != null)'
  expect 'the upgrade among them' holds "$out/gaps.journal" -s 'any(.HRGATE_CAUSE == "gateway-stopped" and .HRGATE_END != null)'
  expect-not 'and no gap of another user'"'"'s strap' grep -q . <(journalctl -q -u hrgate@anna HRGATE_EVENT=gap "HRGATE_MONITOR=$(address 1)" -o json)
  expect-not 'and no control characters' grep -qP '[\x00-\x08\x0b-\x1f]' "$out/journal.anna"
  su - ben -c 'journalctl -q -u hrgate@anna -o cat' >"$out/journal.ben" 2>&1 || true
  expect-not 'ben finds no data of anna there' grep -qi "following\|$(address 0)" "$out/journal.ben"
}

gone() {
  local user
  systemctl stop 'hrgate@*'
  # For the comparison with what his strap sent. His gateway recorded while the store was locked.
  ben 'hrgate store unlock --passphrase-file passphrase && hrgate store decrypt'
  for user in anna ben; do
    install -d "$out/$user"
    cp "/home/$user"/.local/share/hrgate/health.sqlite* "$out/$user/"
  done
  systemctl start hrgate@anna hrgate@ben
  expect 'apt purges it' apt-get -qq -y purge hrgate
  expect-not 'and its gateways exit' grep -qx hrgate /proc/[0-9]*/comm
  expect 'systemd has no unit of it' test -z "$(systemctl list-units --all --plain --no-legend 'hrgate*')"
  expect 'no file of it is left' test -z "$(find /etc /usr /lib /var/lib /var/cache/apt/archives -xdev -name '*hrgate*' ! -path '*/hrgate-vm*')"
  expect 'except the store' test -s /home/anna/.local/share/hrgate/health.sqlite
}

afterwards() {
  local strap=0 user
  for user in anna ben; do
    cp "$out/begun" "$out/$user/begun"
    command jq -c "select(.strap == $strap)" "$out/trace.jsonl" >"$out/$user/trace.jsonl"
    "$vm/scenarios/account" "$out/$user"
    strap=$((strap + 1))
  done
}
