"""A machine whose power is cut, with the store on a disk of its own: power.py, in the guest, once for each boot.

OUT/plan has the purpose of this boot. OUT/seen has the numbers of committed samples and gaps that a reader of the
store saw. At least as many must exist after the cut."""
import json
import os
import pathlib
import random
import sqlite3
import sys
import threading
import time

from gateway import OUT, Gateway, address, begin, guest, lines, say, strapctl

DISK = pathlib.Path("/root/disk")
PATH = str(DISK / "health.sqlite")
STRAPS = range(2)


def mounted():
    DISK.mkdir()
    guest("mount", "-t", "ext4", "/dev/vda", DISK)


def look():
    with sqlite3.connect(f"file:{PATH}?mode=ro", uri=True, timeout=30) as reader:
        # A gateway stores most samples in segments, which are rows of the table `block`.
        return reader.execute(
            """SELECT (SELECT count(*) FROM sample) + (SELECT ifnull(sum(count), 0) FROM block),
            (SELECT count(*) FROM monitor_gap)"""
        ).fetchone()


def sound():
    """Checks that the store is intact after the cut, and has everything that was seen as committed."""
    found = sqlite3.connect(PATH).execute("PRAGMA integrity_check").fetchall()
    assert found == [("ok",)], found
    lines("store", "check", "--store", PATH)
    stored, gaps = look()
    seen = json.loads((OUT / "seen").read_text() or "[0, 0]") if (OUT / "seen").exists() else [0, 0]
    say(f"integrity_check: ok; {stored} samples and {gaps} gaps exist, {seen[0]} and {seen[1]} were seen before the cut")
    assert stored >= seen[0] and gaps >= seen[1], "what was committed is gone"


def watch():
    """Records five times a second how many samples and gaps a reader of the store sees. This many must exist after the
    cut."""
    file = os.open(OUT / "seen", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    while True:
        os.pwrite(file, json.dumps(look()).ljust(60).encode(), 0)
        time.sleep(0.2)


def write_beside():
    """Writes other files all the time and never flushes them, so that the disk always has unflushed data when its power
    is cut."""
    for name in ("dirty_writeback_centisecs", "dirty_expire_centisecs"):
        pathlib.Path("/proc/sys/vm", name).write_text("5")
    with open(DISK / "beside", "wb", buffering=0) as file:
        while True:
            file.seek(random.randrange(256) * 4096)
            file.write(os.urandom(4096))
            time.sleep(0.05)


def power():
    plan = json.loads((OUT / "plan").read_text())
    mounted()
    if plan["for"] == "enrolling":
        for index in STRAPS:
            lines("pair", address(index), "--no-bond", "--store", PATH)
        guest("umount", DISK)
        return
    sound()
    gateway = Gateway(store=PATH, continued=(OUT / "begun").exists())
    if plan["for"] == "the end":
        gateway.measures(*STRAPS, seconds=150)
        time.sleep(5)
        gateway.stop()
        return
    for work in (watch, write_beside):
        threading.Thread(target=work, daemon=True).start()
    if plan["followed"]:
        for index in STRAPS:
            gateway.reaches(index, "following", seconds=150)
    strapctl("cut", plan["after"])
    time.sleep(300)
    sys.exit("the power was not cut")


begin({"power": power})
