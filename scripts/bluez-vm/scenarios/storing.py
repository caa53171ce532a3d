"""What becomes of a store whose disk fails for a while: storing.py GROUP, in the guest. The disk is /dev/vda."""
import pathlib
import sqlite3
import time

from gateway import Gateway, address, begin, guest, hrgate, lines, say, strapctl, until

DISK = pathlib.Path("/root/disk")
PATH = str(DISK / "health.sqlite")


def told(gateway, mark, failing):
    """The first `store` event from there on, that it fails or that it is well again."""
    def probe():
        gateway.alive()
        return next((event for event in gateway.look()[mark:] if event["event"] == "store"
                     and bool(event.get("failure")) == failing), None)
    return until("the store fails" if failing else "the store is well again", probe, 150)


def suffer(gateway, fault, hurt, mend, lasts, is_told=True):
    """Hurts the store, for so long, and mends it: nothing is lost, and both are told."""
    mark = gateway.mark()
    before = stored()
    hurt()
    event = told(gateway, mark, True) if is_told else None
    time.sleep(lasts)
    gateway.alive()
    mark = gateway.mark()
    mend()
    back = told(gateway, mark, False) if is_told else None
    gateway.measures(0, 1)
    until("what was measured meanwhile is stored", lambda: stored() >= before + 2 * lasts, 150)
    say(f"{fault}: " + (f"{event['failure']}; then {back['heldBack']} held" if is_told else "nothing told"))
    gaps = [line for line in lines("monitors", "gaps", "--store", PATH) if line.get("cause") == "store-unavailable"]
    assert not gaps, gaps


def stored():
    with sqlite3.connect(f"file:{PATH}?mode=ro", uri=True, timeout=60) as reader:
        return reader.execute("SELECT count(*) FROM sample").fetchone()[0]


def faults():
    DISK.mkdir()
    guest("mount", "-t", "ext4", "-o", "errors=remount-ro", "/dev/vda", DISK)
    for index in (0, 1):
        lines("pair", address(index), "--no-bond", "--store", PATH)
    gateway = Gateway(store=PATH)
    gateway.measures(0, 1)
    filler = DISK / "filler"

    def fill():
        with open(filler, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"\0" * 4096)
            except OSError:
                pass
    suffer(gateway, "full, and no longer", fill, filler.unlink, 15)

    other = sqlite3.connect(PATH, isolation_level=None, timeout=60, check_same_thread=False)
    suffer(gateway, "locked by another program for half a minute", lambda: other.execute("BEGIN IMMEDIATE"),
           lambda: other.execute("ROLLBACK"), 30)
    other.close()

    suffer(gateway, "a disk that takes 4 KB a second, for half a minute", lambda: strapctl("disk", 4096),
           lambda: strapctl("disk", 0), 30, is_told=False)
    # The write-ahead log alone: what programs share memory by stays as it is on a file system that is read-only by force.
    suffer(gateway, "not writable, and writable again", lambda: guest("chattr", "+i", PATH + "-wal"),
           lambda: guest("chattr", "-i", PATH + "-wal"), 15)
    end = gateway.stop()
    assert end["measurements"] == end["storedHeartRates"] and not end["rejected"], end
    hrgate("store", "check", "--store", PATH)


begin({"faults": faults})
