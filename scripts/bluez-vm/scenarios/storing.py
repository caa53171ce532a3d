"""A store whose disk fails for a while: storing.py GROUP, in the guest. The disk is /dev/vda."""
import contextlib
import pathlib
import signal
import sqlite3
import subprocess
import time

from gateway import OUT, Gateway, address, begin, guest, hrgate, lines, say, strapctl, until

DISK = pathlib.Path("/root/disk")
PATH = str(DISK / "health.sqlite")


def told(gateway, mark, failing):
    """Returns the first `store` event from event number `mark` on that reports a failure or, if `failing` is false, the
    recovery."""
    def probe():
        gateway.alive()
        return next((event for event in gateway.look()[mark:] if event["event"] == "store"
                     and bool(event.get("failure")) == failing), None)
    return until("the store fails" if failing else "the store is well again", probe, 150)


def suffer(gateway, fault, hurt, mend, lasts, is_told=True):
    """Causes a fault of the store for `lasts` seconds, and ends it. Checks that nothing is lost and that failure and
    recovery are reported."""
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
    with contextlib.closing(sqlite3.connect(f"file:{PATH}?mode=ro", uri=True, timeout=60)) as reader:
        # A gateway stores most samples in segments, which are rows of the table `block`.
        return reader.execute("SELECT (SELECT count(*) FROM sample) + (SELECT ifnull(sum(count), 0) FROM block)").fetchone()[0]


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
    # Make only the write-ahead log immutable. On a file system that became read-only, the shared-memory file would
    # still work.
    suffer(gateway, "not writable, and writable again", lambda: guest("chattr", "+i", PATH + "-wal"),
           lambda: guest("chattr", "-i", PATH + "-wal"), 15)
    gives_up(gateway)


def gives_up(gateway):
    """Makes the kernel detect an error of the file system, which it then makes read-only permanently. The file system
    is repaired while no gateway runs."""
    mark = gateway.mark()
    pathlib.Path("/sys/fs/ext4/vda/trigger_fs_error").write_text("as for a test")
    event = told(gateway, mark, True)
    time.sleep(10)
    end = gateway.stop(number=signal.SIGTERM, status=1)
    said = (OUT / "run.err").read_text().splitlines()[-1]
    say(f"the file system failed: {event['failure']}; at the end: {said}")
    assert end["measurements"] == end["storedHeartRates"] + end["rejected"]["storeFailed"], end
    assert f"the last {end['rejected']['storeFailed']} measurements could not be stored" in said, said
    # On the read-only file system the store cannot be opened, so a new gateway must report that and exit.
    said = hrgate("run", "--store", PATH, status=1).stderr
    assert "read-only" in said, said
    say(f"started again, before the repair: {said.strip()}")
    guest("umount", DISK)
    mended = subprocess.run(["/sbin/e2fsck", "-fy", "/dev/vda"], capture_output=True, text=True, timeout=120, check=False)
    assert mended.returncode in (0, 1), mended
    guest("mount", "-t", "ext4", "/dev/vda", DISK)
    gateway = Gateway(store=PATH, continued=True)
    gateway.measures(0, 1)
    time.sleep(5)
    end = gateway.stop()
    assert end["measurements"] == end["storedHeartRates"] and not end["rejected"], end
    hrgate("store", "check", "--store", PATH)


begin({"faults": faults})
