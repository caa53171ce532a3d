#!/usr/bin/env python3
"""feed.py FEWER MORE COMMAND…: counts the instructions that a program executes per
notification.

A scripted org.bluez on a private bus has eight straps, which together send 32 notifications a
second. COMMAND subscribes to them under callgrind, once with FEWER and once with MORE
notifications per strap; {bus}, {count}, {straps}, and {folder} in it are replaced. It exits by
itself, or is terminated after the last notification. The difference of the two runs is the cost
of the notifications. OUT=FOLDER keeps callgrind's files. With ENROL=1 the program is hrgate,
and the straps are paired first, in {folder}/store/health.sqlite. Needs the Python of
scripts/bluez-vm/setup (HRGATE_VM_PYTHON), which has dbus-fast."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "Tests/BlueZTests/Support/scripted_bluez.py"
HCI, HEART_RATE, STRAPS = "/org/bluez/hci0", "0000180d-0000-1000-8000-00805f9b34fb", range(1, 9)


def address(strap):
    return f"F0:0D:BE:A7:01:{strap:02X}"


def device(strap):
    return f"{HCI}/dev_{address(strap).replace(':', '_')}"


def characteristic(strap):
    return device(strap) + "/service000e/char000f"


def tree():
    objects = {HCI: {"org.bluez.Adapter1": {"Address": "00:1B:DC:0A:0B:01", "AddressType": "public", "Powered": True, "Discovering": False, "Roles": ["central"]}}}
    for strap in STRAPS:
        objects[device(strap)] = {"org.bluez.Device1": {
            "Address": address(strap), "AddressType": "random", "Adapter": HCI, "Name": f"Strap {strap}", "Alias": f"Strap {strap}", "RSSI": -60, "Connected": True,
            "ServicesResolved": True, "Paired": True, "Trusted": True, "UUIDs": [HEART_RATE]}}
        objects[device(strap) + "/service000e"] = {"org.bluez.GattService1": {"UUID": HEART_RATE, "Device": device(strap)}}
        objects[characteristic(strap)] = {"org.bluez.GattCharacteristic1": {
            "UUID": "00002a37-0000-1000-8000-00805f9b34fb", "Service": device(strap) + "/service000e", "Notifying": False, "Flags": ["notify"], "Value": ""}}
    return {"objects": objects}


class Bus:
    def __init__(self, folder):
        file = pathlib.Path(folder, "tree.json")
        file.write_text(json.dumps(tree()))
        python = os.environ.get("HRGATE_VM_PYTHON", os.path.expanduser("~/.cache/hrgate/bluez-vm/venv/bin/python"))
        self.process = subprocess.Popen([python, SCRIPT, "--start-bus", folder, "--tree", file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.address = json.loads(self.process.stdout.readline())["address"]
        self.subscribed = set()
        self.beat_in = {}
        self.strength = -50
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            event = json.loads(line)
            if event.get("member") == "StartNotify" and event["event"] == "call":
                self.subscribed.add(event["path"])
            if event.get("member") == "StartDiscovery" and event["event"] == "call":
                self.advertise()

    def advertise(self):
        """Changes the RSSI of all straps, so that a scan reports them."""
        for strap in STRAPS:
            self.strength -= 1
            print(json.dumps({"do": "set", "path": device(strap), "interface": "org.bluez.Device1", "properties": {"RSSI": self.strength}}),
                  file=self.process.stdin, flush=True)

    def environment(self, folder):
        """Returns the environment of a program that can only reach this bus."""
        return dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS=self.address, DBUS_SESSION_BUS_ADDRESS=self.address, XDG_RUNTIME_DIR=folder)

    def enrol(self, hrgate, store, environment):
        for strap in STRAPS:
            subprocess.run([hrgate, "pair", address(strap), "--no-bond", "--store", store], env=environment, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.subscribed.clear()

    def follow(self, hrgate, store, environment, *options):
        """Starts a gateway and waits until it is subscribed to all straps."""
        self.enrol(hrgate, store, environment)
        gateway = subprocess.Popen([hrgate, "run", "--json", *options, "--store", store], env=environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while len(self.subscribed) < len(STRAPS):
            time.sleep(0.1)
        return gateway

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    def notify(self, number):
        strap, turn = number % len(STRAPS) + 1, number // len(STRAPS)
        # Simulates a strap at about 64 beats per minute that notifies four times a second. Only a
        # frame in which a beat ends has an interval.
        ticks = 940 + 40 * (turn // 4 + strap) % 97
        self.beat_in[strap] = self.beat_in.get(strap, ticks) - 256
        intervals = b""
        if self.beat_in[strap] <= 0:
            self.beat_in[strap] += ticks
            intervals = ticks.to_bytes(2, "little")
        # Never send the same value twice in a row, because the gateway might treat the second one
        # as a copy.
        value = bytes([0x10 if intervals else 0, 62 + turn % 5]) + intervals
        print(json.dumps({"do": "notify", "path": characteristic(strap), "values": [value.hex()]}), file=self.process.stdin, flush=True)


def instructions(command, count, folder, out):
    bus = Bus(folder)
    words = [word.format(bus=bus.address, count=count, straps=" ".join(map(address, STRAPS)), folder=folder) for word in command]
    words = [part for word in words for part in (word.split(" ") if word.startswith("F0:") else [word])]
    environment = dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS=bus.address)
    if os.environ.get("ENROL"):
        bus.enrol(words[0], f"{folder}/store/health.sqlite", environment)
    program = subprocess.Popen(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *words], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = []
    threading.Thread(target=lambda: said.extend(program.stderr), daemon=True).start()
    while len(bus.subscribed) < len(STRAPS) and program.poll() is None:
        time.sleep(0.1)
    time.sleep(5)
    for number in range(count):
        bus.notify(number)
        time.sleep(1 / 32)
    for _ in range(100):
        if program.poll() is not None:
            break
        time.sleep(0.1)
    else:
        program.send_signal(signal.SIGTERM)
    program.wait()
    bus.close()
    found = re.findall(r"Collected : (\d+)", "".join(said))
    if not found:
        sys.exit("".join(said))
    return int(found[0])


def main():
    fewer, more, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    totals = []
    for count in (fewer, more):
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            out = pathlib.Path(os.environ.get("OUT", folder), f"callgrind.{count}")
            totals.append(instructions(command, count, folder, out))
    print(f"{fewer}: {totals[0]}, {more}: {totals[1]}; {(totals[1] - totals[0]) / (more - fewer):.0f} instructions a notification")


if __name__ == "__main__":
    main()
