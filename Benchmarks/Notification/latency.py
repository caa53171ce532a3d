#!/usr/bin/env python3
"""latency.py HRGATE [SECONDS]: measures the time from a notification to a sample that another
process can query, without emulation.

A scripted org.bluez on a private bus has eight straps, which together send 32 notifications a
second. ../Live/commit_watch.py polls the store meanwhile. Prints the same as
../Live/latency.py. Needs the Python of scripts/bluez-vm/setup (HRGATE_VM_PYTHON)."""
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import feed

LIVE = pathlib.Path(__file__).resolve().parent.parent / "Live"


def notify(bus, seconds, trace):
    """Sends notifications for this time, and writes each one with the time when it was passed
    to the bus."""
    began = time.time()
    for strap in feed.STRAPS:
        trace.write(json.dumps({"event": "advertising", "strap": strap, "address": feed.address(strap)}) + "\n")
    for number in range(seconds * 32):
        strap, turn = number % len(feed.STRAPS) + 1, number // len(feed.STRAPS)
        # Record the same heart rate that bus.notify sends.
        trace.write(json.dumps({"event": "sent", "strap": strap, "time": time.time(), "hex": bytes([0, 62 + turn % 5]).hex()}) + "\n")
        bus.notify(number)
        time.sleep(max(0, began + (number + 1) / 32 - time.time()))


def main():
    hrgate, seconds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        bus = feed.Bus(folder)
        store = f"{folder}/store/health.sqlite"
        environment = bus.environment(folder)
        gateway = bus.follow(hrgate, store, environment)
        time.sleep(2)
        with open(f"{folder}/trace", "w") as trace, open(f"{folder}/watched", "w") as watched:
            watch = subprocess.Popen([sys.executable, LIVE / "commit_watch.py", hrgate, store, str(seconds - 4)], env=environment, stdout=watched)
            notify(bus, seconds, trace)
            watch.wait()
        subprocess.run([sys.executable, LIVE / "latency.py", f"{folder}/trace", f"{folder}/watched"], check=True)
        gateway.send_signal(signal.SIGTERM)
        gateway.wait()
        bus.close()


if __name__ == "__main__":
    main()
