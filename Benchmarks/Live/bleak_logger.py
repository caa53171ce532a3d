#!/usr/bin/env python3
"""bleak_logger.py --store FILE [--seconds S] ADDRESS…: a typical Python logger, for comparison
with the gateway.

Subscribes to each strap with bleak, decodes 2A37, and writes one row per sample (uuid, type,
start, end, value, metadata) and one row per RR interval to SQLite. It commits once a second. On
SIGTERM, or S seconds after all straps are subscribed, it prints a JSON line with the numbers of
frames, samples, and beats. `guest` waits for the line that says that all straps are subscribed,
and measures the CPU time from outside."""
import argparse
import asyncio
import json
import signal
import sqlite3
import time
import uuid

from bleak import BleakClient, BleakScanner

MEASUREMENT = "00002a37-0000-1000-8000-00805f9b34fb"
SCHEMA ="""
CREATE TABLE IF NOT EXISTS sample (uuid BLOB PRIMARY KEY, type TEXT NOT NULL, source TEXT NOT NULL, start REAL NOT NULL,
  end REAL NOT NULL, value REAL NOT NULL, metadata TEXT);
CREATE INDEX IF NOT EXISTS sample_start ON sample (type, start);
CREATE TABLE IF NOT EXISTS beat (source TEXT NOT NULL, time REAL NOT NULL, ticks INTEGER NOT NULL);
"""


def decode(value):
    """Returns the heart rate in bpm, the contact status (True, False, or None if not supported),
    and the RR intervals in 1/1024 s. Returns None if the value is too short."""
    if len(value) < 2 or (value[0] & 1 and len(value) < 3):
        return None
    flags, place = value[0], 3 if value[0] & 1 else 2
    bpm = int.from_bytes(value[1:place], "little")
    contact = bool(flags & 2) if flags & 4 else None
    place += 2 if flags & 8 else 0
    rr = [int.from_bytes(value[i:i + 2], "little") for i in range(place, len(value) - 1, 2)] if flags & 16 else []
    return bpm, contact, rr


class Logger:
    def __init__(self, store):
        self.database = sqlite3.connect(store)
        self.database.execute("PRAGMA journal_mode=WAL")
        self.database.execute("PRAGMA synchronous=NORMAL")
        self.database.executescript(SCHEMA)
        self.frames = self.samples = self.beats = 0

    def frame(self, address, value):
        now = time.time()
        self.frames += 1
        found = decode(value)
        if found is None or found[0] == 0 or found[1] is False:
            return
        bpm, _, rr = found
        self.database.execute("INSERT INTO sample VALUES (?, ?, ?, ?, ?, ?, ?)", (
            uuid.uuid4().bytes, "HKQuantityTypeIdentifierHeartRate", address, now, now, bpm,
            json.dumps({"HKHeartRateSensorLocation": 1})))
        self.samples += 1
        back = sum(rr) / 1024
        for ticks in rr:
            back -= ticks / 1024
            self.database.execute("INSERT INTO beat VALUES (?, ?, ?)", (address, now - back, ticks))
            self.beats += 1

    async def commit(self):
        while True:
            await asyncio.sleep(1)
            self.database.commit()


async def main(options):
    done = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, done.set)
    logger, clients = Logger(options.store), []
    committing = asyncio.create_task(logger.commit())
    for address in options.addresses:
        device = await BleakScanner.find_device_by_address(address, timeout=30)
        if device is None:
            raise SystemExit(f"bleak_logger: no {address} in the air")
        client = BleakClient(device)
        await client.connect()
        await client.start_notify(
            MEASUREMENT, lambda _, value, address=address: logger.frame(address, bytes(value)))
        clients.append(client)
    print(json.dumps({"following": len(clients)}), flush=True)
    try:
        await asyncio.wait_for(done.wait(), options.seconds)
    except asyncio.TimeoutError:
        pass
    print(json.dumps({"frames": logger.frames, "samples": logger.samples, "beats": logger.beats}), flush=True)
    for client in clients:
        await client.disconnect()
    committing.cancel()
    logger.database.commit()
    logger.database.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", required=True)
    parser.add_argument("--seconds", type=float, default=None)
    parser.add_argument("addresses", nargs="+")
    asyncio.run(main(parser.parse_args()))
