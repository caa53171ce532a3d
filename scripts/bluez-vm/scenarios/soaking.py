"""Hours of random faults, and the gateway's resources meanwhile: soaking.py GROUP, in the guest.

HRGATE_SOAK_SECONDS sets the time, HRGATE_SEED repeats the faults. OUT/soak.jsonl has each fault, and every ten
seconds the resources of the process: memory (KiB), descriptors, threads, and the size of the store."""
import json
import os
import pathlib
import random
import signal
import sqlite3
import statistics
import threading
import time

from gateway import OUT, Gateway, address, begin, guest, hrgate, lines, say, strapctl, until

STRAPS = range(4)
SMALL = pathlib.Path("/root/small")
PATH = str(SMALL / "health.sqlite")


class Soak:
    def __init__(self, chance, gateway):
        self.chance, self.gateway, self.began = chance, gateway, time.monotonic()
        self.file, self.lock = open(OUT / "soak.jsonl", "a"), threading.Lock()
        self.taken, self.counts = [], {}

    def log(self, **what):
        with self.lock:
            print(json.dumps({"at": round(time.monotonic() - self.began, 1), **what}), file=self.file, flush=True)

    def sample(self):
        process = pathlib.Path(f"/proc/{self.gateway.process.pid}")
        rollup = dict(line.split(":") for line in (process / "smaps_rollup").read_text().splitlines()[1:])
        kib = {name: int(value.split()[0]) for name, value in rollup.items()}
        taken = {"pss": kib["Pss"], "private": kib["Private_Clean"] + kib["Private_Dirty"],
                 "descriptors": len(os.listdir(process / "fd")), "threads": len(os.listdir(process / "task")),
                 "store": sum(file.stat().st_size for file in SMALL.glob("health.sqlite*"))}
        self.taken.append(taken)
        self.log(**taken)

    def watch(self, ended):
        while not ended.wait(10):
            try:
                self.sample()
            except FileNotFoundError:                   # the gateway has exited, which is reported elsewhere
                return

    def suffer(self, fault):
        self.counts[fault.__name__] = self.counts.get(fault.__name__, 0) + 1
        self.log(fault=fault.__name__)
        fault(self)
        self.gateway.measures(*STRAPS, seconds=300)

    def pause(self, least, most):
        time.sleep(self.chance.uniform(least, most))

    def strap(self):
        return self.chance.choice(STRAPS)


def link_lost(soak):
    strapctl("drop", soak.strap())


def link_closed(soak):
    strapctl("disconnect", soak.strap())


def away(soak):
    strap = soak.strap()
    strapctl("away", strap)
    soak.pause(1, 20)
    strapctl("back", strap)


def mute(soak):
    strap = soak.strap()
    strapctl("mute", strap)
    soak.pause(3, 15)
    strapctl("unmute", strap)


def frozen(soak):
    strapctl("freeze", soak.strap(), round(soak.chance.uniform(1, 15), 1))


def other_attributes(soak):
    strap = soak.strap()
    strapctl("reshape", strap, soak.chance.choice(("shift", "plain")))
    strapctl("drop", strap)


def daemon_killed(soak):
    guest("bluetoothd-kill")
    soak.pause(0, 5)
    guest("bluetoothd-start")


def daemon_stopped(soak):
    guest("bluetoothd-stop")
    soak.pause(0, 5)
    guest("bluetoothd-start")


def bus_restarted(soak):
    guest("dbus-stop")
    soak.pause(0, 5)
    guest("dbus-restart")


def daemon_stands_still(soak):
    process = int(guest("bluetoothd-pid"))
    os.kill(process, signal.SIGSTOP)
    soak.pause(0.5, 10)
    os.kill(process, signal.SIGCONT)


def gateway_stands_still(soak):
    soak.gateway.process.send_signal(signal.SIGSTOP)
    soak.pause(0.5, 5)
    soak.gateway.process.send_signal(signal.SIGCONT)


def adapter_off(soak):
    guest("adapter-power", "off")
    soak.pause(0, 5)
    guest("adapter-power", "on")


def adapter_blocked(soak):
    guest("rfkill-block")
    soak.pause(0, 5)
    guest("rfkill-unblock")


def adapter_unplugged(soak):
    guest("adapter-remove", 0)
    soak.pause(0, 5)
    guest("adapter-add", 0)


def store_locked(soak):
    other = sqlite3.connect(PATH, isolation_level=None, timeout=60)
    other.execute("BEGIN IMMEDIATE")
    soak.pause(1, 20)
    other.execute("ROLLBACK")
    other.close()


def disk_full(soak):
    filler = SMALL / "filler"
    with open(filler, "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 65536)
        except OSError:
            pass
    soak.pause(1, 15)
    filler.unlink()


def odd_frames(soak):
    for odd in ("", "10", "0148", "0600", "0448"):
        strapctl("raw", soak.strap(), odd)


def asked(soak):
    """Runs commands of hrgate while the gateway is running, as a user would."""
    lines("monitors", "--store", PATH)
    lines("stats", "--every", "1m", "--store", PATH)
    hrgate("store", "check", "--store", PATH)


FAULTS = (link_lost, link_closed, away, mute, frozen, other_attributes, daemon_killed, daemon_stopped, bus_restarted,
          daemon_stands_still, gateway_stands_still, adapter_off, adapter_blocked, adapter_unplugged, store_locked, disk_full,
          odd_frames, asked)


def part(taken, name, low, high):
    """Returns the median of a resource during a part of the soak. `low` and `high` are fractions of its duration."""
    return statistics.median(item[name] for item in taken[int(len(taken) * low):max(1, int(len(taken) * high))])


def soak():
    seconds, seed = int(os.environ.get("HRGATE_SOAK_SECONDS") or 300), int(os.environ.get("HRGATE_SEED") or time.time())
    say(f"seed {seed}, {seconds} s")
    SMALL.mkdir()
    guest("mount", "-t", "tmpfs", "-o", "size=64m", "small", SMALL)
    for index in STRAPS:
        lines("pair", address(index), "--no-bond", "--store", PATH)
    gateway = Gateway(store=PATH)
    gateway.measures(*STRAPS, seconds=300)
    self, ended = Soak(random.Random(seed), gateway), threading.Event()
    watcher = threading.Thread(target=self.watch, args=(ended,))
    watcher.start()
    try:
        waiting = []
        while time.monotonic() - self.began < seconds:
            # Cause each fault once, in random order, before any is repeated.
            waiting = waiting or self.chance.sample(FAULTS, len(FAULTS))
            self.suffer(waiting.pop())
            self.pause(2, 15)
    finally:
        ended.set()
        watcher.join()
    time.sleep(10)
    self.sample()
    lasted, first, last = time.monotonic() - self.began, self.taken[0], self.taken[-1]
    end = gateway.stop()
    assert end["measurements"] == end["storedHeartRates"] + end["duplicates"] + end["rejectedTotal"], end
    assert "storeFailed" not in end["rejected"], end["rejected"]
    found = sqlite3.connect(PATH).execute("PRAGMA integrity_check").fetchall()
    assert found == [("ok",)], found
    hrgate("store", "check", "--store", PATH)
    say(f"{lasted:.0f} s, {sum(self.counts.values())} faults: {json.dumps(dict(sorted(self.counts.items())))}")
    say(f"{end['measurements']} measurements: {end['storedHeartRates']} stored, {end['duplicates']} duplicates, "
        f"rejected {end['rejected']}")
    for name in ("pss", "private", "descriptors", "threads", "store"):
        say(f"{name}: first {first[name]}, second quarter {part(self.taken, name, 0.25, 0.5):.0f}, "
            f"last quarter {part(self.taken, name, 0.75, 1):.0f}, most {max(item[name] for item in self.taken)}, "
            f"last {last[name]}")
    # After the last fault, the number of descriptors must be back to normal. Memory may grow a little, which the
    # allocator keeps, but not with time.
    assert last["descriptors"] <= self.taken[0]["descriptors"] + 4, (first, last)
    for name in ("pss", "private"):
        grown = part(self.taken, name, 0.75, 1) - part(self.taken, name, 0.25, 0.5)
        assert grown < 4096, f"{name} has grown by {grown:.0f} KiB"


begin({"soak": soak})
