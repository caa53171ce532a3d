#!/usr/bin/env python3
"""live.py HRGATE STORE DATABASE SECONDS: measures the time from the commit of a sample to its
arrival in the database.

A scripted org.bluez on a private bus has a strap that notifies four times a second. `hrgate
run` follows it and uploads to DATABASE (a psql connection string) with default settings. Two
processes poll every 10 ms: Live/commit_watch.py the store, and psql the database. Prints the
delays from the commit to the database, and from the start of a sample, which is its receipt
time, to the database."""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
SCRIPT = HERE.parent.parent / "Tests/BlueZTests/Support/scripted_bluez.py"
STRAP, HCI = "F0:0D:BE:A7:01:01", "/org/bluez/hci0"
DEVICE = HCI + "/dev_F0_0D_BE_A7_01_01"
SERVICE = DEVICE + "/service000e"
CHARACTERISTIC = SERVICE + "/char000f"
HEART_RATE = "0000180d-0000-1000-8000-00805f9b34fb"
TREE = {
    "objects": {
        HCI: {"org.bluez.Adapter1": {"Address": "00:1B:DC:0A:0B:01", "AddressType": "public", "Powered": True, "Discovering": False}}},
    "discoverable": {DEVICE: {"org.bluez.Device1": {
        "Address": STRAP, "AddressType": "random", "Adapter": HCI, "Name": "Strap", "RSSI": -60, "Connected": False,
        "ServicesResolved": False, "Paired": True, "Trusted": False, "UUIDs": [HEART_RATE]}}},
    "services": {DEVICE: {
        SERVICE: {"org.bluez.GattService1": {"UUID": HEART_RATE, "Device": DEVICE}},
        CHARACTERISTIC: {"org.bluez.GattCharacteristic1": {
            "UUID": "00002a37-0000-1000-8000-00805f9b34fb", "Service": SERVICE, "Notifying": False, "Flags": ["notify"], "Value": ""}}}},
}
# The newest sample and the current time. Reads only the index of the last partition.
QUERY = """SELECT extract(epoch FROM clock_timestamp()), extract(epoch FROM max("start")) FROM hrgate.samples
WHERE type = 'HKQuantityTypeIdentifierHeartRate' AND "start" > now() - interval '1 minute' \\watch 0.01\n"""


class Strap:
    def __init__(self, folder):
        tree = pathlib.Path(folder, "tree.json")
        tree.write_text(json.dumps(TREE))
        self.process = subprocess.Popen(
            [sys.executable, SCRIPT, "--start-bus", folder, "--tree", tree], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.address = json.loads(self.process.stdout.readline())["address"]
        threading.Thread(target=lambda: [None for _ in self.process.stdout], daemon=True).start()

    def measure(self, seconds):
        random.seed(1)
        end, value = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            # Equal values in succession might count as copies.
            value = random.choice([rate for rate in range(60, 120) if rate != value])
            print(json.dumps({"do": "notify", "path": CHARACTERISTIC, "values": [f"00{value:02x}"]}), file=self.process.stdin, flush=True)
            time.sleep(0.25)


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main():
    hrgate, store, database, seconds = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4])
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        strap = Strap(folder)
        environment = dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS=strap.address)
        subprocess.run(
            [hrgate, "pair", STRAP, "--store", store], env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        gateway = subprocess.Popen([hrgate, "run", "--json", "--store", store], env=environment, stdout=subprocess.PIPE, text=True)
        for line in gateway.stdout:
            if '"following"' in line:
                break
        threading.Thread(target=lambda: [None for _ in gateway.stdout], daemon=True).start()
        strap.measure(5)
        watch = subprocess.Popen(
            ["psql", "-qAt", "-F", " ", database], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        watch.stdin.write(QUERY)
        watch.stdin.flush()
        rows = []
        threading.Thread(
            target=lambda: rows.extend(tuple(map(float, line.split())) for line in watch.stdout if len(line.split()) == 2),
            daemon=True).start()
        commits = subprocess.Popen(
            [sys.executable, HERE.parent / "Live/commit_watch.py", store, str(seconds + 3)], stdout=subprocess.PIPE, text=True)
        strap.measure(seconds)
        committed = [json.loads(line) for line in commits.stdout]
        time.sleep(5)
        watch.terminate()
        gateway.terminate()
        gateway.wait()
        strap.process.stdin.close()
    commit, receipt, missing, place = [], [], 0, 0
    for sample in sorted(committed, key=lambda sample: sample["start"]):
        while place < len(rows) and rows[place][1] < sample["start"] - 1e-6:
            place += 1
        if place == len(rows):
            missing += 1
            continue
        commit.append(rows[place][0] - sample["seen"])
        receipt.append(rows[place][0] - sample["start"])
    print(f"{len(commit)} samples, {missing} missing, {len(rows) / (seconds + 8):.0f} polls of the database per second")
    for name, delays in (("commit", commit), ("receipt", receipt)):
        print(f"from the {name:7} p50 {percentile(delays, 0.5):.2f} s, p99 {percentile(delays, 0.99):.2f} s, maximum {max(delays):.2f} s")


if __name__ == "__main__":
    main()
