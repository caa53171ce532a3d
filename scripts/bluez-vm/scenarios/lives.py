"""Short runs of the gateway that end at random moments: lives.py GROUP, in the guest.

HRGATE_SEED repeats the moments; HRGATE_LIVES is the number of runs; HRGATE_LIFE_SECONDS is the longest measuring
time."""
import json
import os
import random
import signal
import sqlite3
import time

from gateway import OUT, STORE, Gateway, address, begin, lines, say
from pace import Endings

STRAPS = range(8)
# The ranges, in seconds, of the time from the start until a gateway is stopped, and from following a strap until then.
BEGINNING, MEASURING = (0.0, 3.0), (0.0, float(os.environ.get("HRGATE_LIFE_SECONDS") or 3))


def lives(usual, end):
    """Starts gateways one after the other, and calls `end` with each at a random moment. Returns for each the result of
    `end`, and the number of straps that were followed then."""
    seed = int(os.environ.get("HRGATE_SEED") or time.time())
    count = int(os.environ.get("HRGATE_LIVES") or usual)
    say(f"seed {seed}, {count} lives")
    chance = random.Random(seed)
    for index in STRAPS:
        lines("pair", address(index), "--no-bond")
    ends = []
    for number in range(count):
        gateway = Gateway(continued=number > 0)
        if chance.random() < 0.5:
            # Wait until one strap is followed, so that even a slow machine stores something.
            chosen = chance.choice(STRAPS)
            gateway.reaches(chosen, "following", seconds=150)
            time.sleep(chance.uniform(*MEASURING))
        else:
            time.sleep(chance.uniform(*BEGINNING))
        gateway.alive()
        followed = sum(gateway.state(index) == "following" for index in STRAPS)
        ends.append((end(gateway), followed))
        gateway.close()
    return ends


def last_life():
    """Runs a gateway that is stopped normally, and checks the store afterwards."""
    gateway = Gateway(continued=True)
    gateway.measures(*STRAPS, seconds=150)
    time.sleep(5)
    counts = gateway.stop()
    found = sqlite3.connect(STORE).execute("PRAGMA integrity_check").fetchall()
    assert found == [("ok",)], found
    checked, = lines("store", "check")
    say(f"integrity_check: ok; hrgate store check: {json.dumps(checked)}")
    return counts


def told(ends):
    reached = [followed for _, followed in ends]
    say(f"{len(ends)} lives: {reached.count(0)} ended before any strap was followed, {reached.count(len(STRAPS))} after all were")
    assert len(ends) < 20 or sum(followed > 0 for followed in reached) >= len(ends) / 4, "hardly a life measured anything"


def killed():
    def end(gateway):
        gateway.process.kill()
        gateway.process.wait()
    told(lives(100, end))
    last_life()


def ended():
    endings = Endings()

    def stop(gateway):
        began = time.monotonic()
        gateway.process.send_signal(signal.SIGTERM)
        gateway.process.wait(120)
        return time.monotonic() - began

    def end(gateway):
        endings.time(lambda: stop(gateway))
        code = gateway.process.returncode
        events = gateway.look()
        if code == -signal.SIGTERM:
            # The signal arrived before the gateway handled signals, so it cannot have received anything.
            assert not events, events[-1]
            return None
        said = (OUT / "run.err").read_text()
        assert code == 0, f"hrgate run ended with {code}: {said[-300:]}"
        if not events or events[-1]["event"] != "end":
            assert all(event["event"] != "state" for event in events), events[-1]
            return None
        counts = events[-1]
        stored = counts["stored"].get("HKQuantityTypeIdentifierHeartRate", 0)
        assert counts["measurements"] == stored + counts["duplicates"] and not counts["rejected"], counts
        return counts["measurements"]
    ends = lives(40, end)
    told(ends)
    early = sum(count is None for count, _ in ends)
    received = sum(count or 0 for count, _ in ends)
    say(f"stopped {len(ends)} times, {early} of them before the run had begun: {received} measurements, all stored")
    say(f"stopped {endings.check()}")
    last_life()


begin({"killed": killed, "ended": ended})
