"""Another program that subscribes to the same measurements and leaves again, and processes that stand still."""
import asyncio
import os
import pathlib
import random
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from bluez_client import GATT, Bluez, BusError, uuid  # noqa: E402
from gateway import Gateway, begin, guest, lines, address, say, strapctl  # noqa: E402

LASTS = 60.0


async def visits(chance, end):
    """Comes for some seconds, and leaves politely or without a word."""
    count = 0
    while time.monotonic() < end:
        other = await Bluez().open()
        paths = [path for path, item in (await other.objects()).items() if item.get(GATT, {}).get("UUID") == uuid(0x2A37)]
        for path in paths:
            try:
                await other.call(path, GATT, "StartNotify")
            except BusError as error:               # a link that is just ending
                say(f"StartNotify: {error}")
        count += 1
        await asyncio.sleep(chance.uniform(3, 9))
        if chance.random() < 0.5:
            for path in paths:
                try:
                    await other.call(path, GATT, "StopNotify")
                except BusError as error:
                    say(f"StopNotify: {error}")
        other.bus.disconnect()
        await asyncio.sleep(chance.uniform(1, 9))
    return count


async def stops(chance, processes, end):
    """Each stands still for up to a second, now and then."""
    count = 0
    while time.monotonic() < end:
        await asyncio.sleep(chance.uniform(0.5, 5))
        process = chance.choice(processes)
        os.kill(process, signal.SIGSTOP)
        try:
            await asyncio.sleep(chance.uniform(0, 1))
        finally:
            os.kill(process, signal.SIGCONT)
        count += 1
    return count


def subscribers():
    for index in (0, 1):
        lines("pair", address(index), "--no-bond")
    strapctl("rate", 1, 8)
    gateway = Gateway()
    gateway.measures(0, 1)
    seed = int(os.environ.get("HRGATE_SEED") or time.time())
    chance = random.Random(seed)
    say(f"seed {seed}")

    async def play():
        alone = time.monotonic() + LASTS / 3
        await stops(chance, processes, alone)
        end = time.monotonic() + LASTS
        return await asyncio.gather(visits(chance, end), stops(chance, processes, end))
    processes = [int(guest("bluetoothd-pid")), gateway.process.pid]
    came, stopped = asyncio.run(play())
    say(f"another subscriber came {came} times; {stopped} stops of bluetoothd or the gateway")
    gateway.measures(0, 1)
    end = gateway.stop()
    assert end["measurements"] == end["storedHeartRates"] + end["duplicates"] + end["rejectedTotal"], end
    doubts = {name: count for name, count in end["anomalies"].items() if name in ("mayBeCopy", "delayed")}
    say(f"{end['measurements']} measurements: {end['storedHeartRates']} stored, {end['duplicates']} duplicates, "
        f"{end['rejectedTotal']} rejected, in doubt {doubts or 'none'}")


begin({"subscribers": subscribers})
