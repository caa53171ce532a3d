#!/usr/bin/env python3
"""beside.py HRGATE [SECONDS [ROUNDS]]: compares the CPU time per notification of the gateway
and ../Live/bleak_logger.py, without emulation.

A scripted org.bluez on a private bus has eight straps, which together send 32 notifications a
second. The two programs follow them one after the other. Prints microseconds per notification
for each round, user and system, and the ratio of the medians. Needs the Python of
scripts/bluez-vm/setup (HRGATE_VM_PYTHON), and a Python with bleak (BLEAK_PYTHON)."""
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import feed

LOGGER = pathlib.Path(__file__).resolve().parent.parent / "Live/bleak_logger.py"


def follow(bus, hrgate, folder):
    return bus.follow(hrgate, f"{folder}/store/health.sqlite", bus.environment(folder))


def log(bus, folder):
    python = os.environ.get("BLEAK_PYTHON", sys.executable)
    logger = subprocess.Popen([python, LOGGER, "--store", f"{folder}/log.sqlite", *map(feed.address, feed.STRAPS)],
                              env=bus.environment(folder), stdout=subprocess.DEVNULL)
    while len(bus.subscribed) < len(feed.STRAPS) and logger.poll() is None:
        # bleak scans for the straps one after the other, so make the simulated straps advertise for
        # each scan.
        bus.advertise()
        time.sleep(0.5)
    return logger


def spent(pid):
    """Returns the user and system seconds that a process has used."""
    words = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return [int(word) / os.sysconf("SC_CLK_TCK") for word in words[11:13]]


def measure(start, seconds):
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        bus = feed.Bus(folder)
        program = start(bus, folder)
        time.sleep(8)
        before, began = spent(program.pid), time.time()
        for number in range(seconds * 32):
            bus.notify(number)
            time.sleep(max(0, began + (number + 1) / 32 - time.time()))
        after = spent(program.pid)
        program.send_signal(signal.SIGTERM)
        program.wait()
        bus.close()
    return [round((end - start) * 1e6 / (seconds * 32)) for start, end in zip(before, after)]


def main():
    hrgate = sys.argv[1]
    seconds, rounds = (int(word) for word in (sys.argv[2:] + ["60", "3"][len(sys.argv) - 2:])[:2])
    found = {"hrgate": [], "logger": []}
    for _ in range(rounds):
        for name, start in ("hrgate", lambda bus, folder: follow(bus, hrgate, folder)), ("logger", log):
            user, system = measure(start, seconds)
            found[name].append(user + system)
            print(f"{name}  {user} + {system} µs a notification", flush=True)
    ours, theirs = (statistics.median(found[name]) for name in ("hrgate", "logger"))
    print(f"medians {ours:.0f} and {theirs:.0f} µs, ratio {ours / theirs:.2f}")


if __name__ == "__main__":
    main()
