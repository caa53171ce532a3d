"""A gateway whose store is encrypted and locked, on a machine whose power is cut: locking.py, in the guest, once for each
boot.

OUT/plan has the purpose of this boot. OUT/seen has the number of the last entry of the inbox that another process saw,
which must exist after the cut. The store, bluetoothd's files and the passphrase are on a disk of their own."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import threading
import time

from gateway import OUT, Gateway, address, begin, guest, hrgate, lines, say, strapctl, until

DISK = pathlib.Path("/root/disk")
PATH = str(DISK / "health.sqlite")
INBOX = pathlib.Path(PATH + "-inbox")
SECRET = DISK / "passphrase"
STRAPS = range(3)
# A starved guest takes minutes for what takes seconds otherwise.
SECONDS = 400


def mounted():
    """Mounts the disk, and keeps bluetoothd's files on it: the list of monitors of a gateway without the store."""
    DISK.mkdir()
    guest("mount", "-t", "ext4", "/dev/vda", DISK)
    state = DISK / "bluetooth"
    state.mkdir(mode=0o700, exist_ok=True)
    guest("bluetoothd-stop")
    guest("mount", "--bind", state, "/var/lib/bluetooth")
    guest("bluetoothd-start")
    until("the adapter has power", has_power, SECONDS)


def has_power():
    if "Powered: yes" in guest("bluetoothctl", "show"):
        return True
    # On a busy host the adapter's first reply may come too late for bluetoothd.
    subprocess.run(["adapter-power", "on"], check=False, capture_output=True)
    return False


def unmounted():
    guest("bluetoothd-stop")
    guest("umount", "/var/lib/bluetooth")
    guest("umount", DISK)


def status():
    found, = lines("store", "status", "--store", PATH, seconds=SECONDS)
    return found


def last_entry():
    """Returns the number of the inbox's last entry, from its head; 0 without an inbox."""
    try:
        with open(INBOX, "rb") as file:
            head = file.read(68)
    except FileNotFoundError:
        return 0
    return struct.unpack_from("<Q", head, 60)[0] if len(head) == 68 else 0


def watch():
    """Records the last entry, like a reader that acts on it. The head names only entries that are on the disk."""
    file = os.open(OUT / "seen", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    while True:
        os.pwrite(file, str(last_entry()).ljust(20).encode(), 0)
        time.sleep(0.2)


def seen():
    file = OUT / "seen"
    return int((file.read_text() if file.exists() else "").strip() or 0)


def enrolled():
    """Without bonds, because the straps of each boot are new ones: they would have lost them."""
    for index in STRAPS:
        # On a busy host, the first link can end before the services are read.
        for attempt in (1, 2, 3):
            try:
                lines("pair", address(index), "--no-bond", "--store", PATH, seconds=SECONDS)
                break
            except AssertionError:
                if attempt == 3:
                    raise
    SECRET.write_text("correct horse\n")
    SECRET.chmod(0o600)
    hrgate("store", "encrypt", "--passphrase-file", SECRET, "--store", PATH, seconds=SECONDS)
    hrgate("store", "lock", "--store", PATH, seconds=SECONDS)


def unlocked(gateway):
    """Unlocks the store. The gateway stores what was recorded, and continues."""
    before = status()["inbox"]["entries"]
    hrgate("store", "unlock", "--passphrase-file", SECRET, "--store", PATH, seconds=SECONDS)
    until("the inbox is stored", lambda: not INBOX.exists(), SECONDS)
    gateway.measures(*STRAPS, seconds=SECONDS)
    time.sleep(5)
    counts = gateway.stop()
    say(f"{before} entries of the inbox were stored; the last run: {json.dumps(counts)}")
    checked, = lines("store", "check", "--store", PATH, seconds=SECONDS)
    assert not checked["findings"], checked
    assert not list(DISK.glob("health.sqlite-inbox*")), "an inbox was kept"
    # For the account on the host.
    hrgate("store", "decrypt", "--store", PATH, seconds=SECONDS)
    gateway.keep()


def locked():
    plan = json.loads((OUT / "plan").read_text())
    mounted()
    if plan["for"] == "enrolling":
        enrolled()
        unmounted()
        return
    now, expected = status(), seen()
    assert now["encrypted"] and now["locked"] and not now.get("problem"), now
    # The head may be behind after a cut, the entries not.
    assert now["inbox"]["entries"] >= expected, f"{expected} entries were on the disk, {now['inbox']} are"
    say(f"the inbox has {now['inbox']['entries']} entries, {expected} were seen before the cut")
    gateway = Gateway(store=PATH, continued=(OUT / "begun").exists())
    if plan["for"] == "the end":
        gateway.measures(*STRAPS, seconds=SECONDS)
        unlocked(gateway)
        return
    threading.Thread(target=watch, daemon=True).start()
    if not now["inbox"]["entries"]:
        # A gap begins at the last known measurement, so each strap needs one. A commit follows within five seconds.
        gateway.measures(*STRAPS, seconds=SECONDS)
        time.sleep(8)
    if plan["followed"]:
        # Killed while it records, twice.
        for index in (0, 1):
            gateway.reaches(index, "following", seconds=SECONDS)
            time.sleep(plan["after"] / 4)
            gateway.process.kill()
            gateway.process.wait()
            gateway.close()
            gateway = Gateway(store=PATH, continued=True)
        for index in STRAPS:
            gateway.reaches(index, "following", seconds=SECONDS)
    strapctl("cut", plan["after"])
    time.sleep(300)
    sys.exit("the power was not cut")


begin({"locked": locked})
