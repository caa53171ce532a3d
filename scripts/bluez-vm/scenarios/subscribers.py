"""Another program that subscribes to the same measurements and leaves again, and processes that are stopped."""
import asyncio
import os
import pathlib
import random
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from bluez_client import GATT, Bluez, BusError, uuid  # noqa: E402
from gateway import Gateway, address, begin, guest, hrgate, lines, say, strapctl  # noqa: E402

LASTS = 60.0


async def visits(chance, end):
    """Subscribes to all straps for some seconds, repeatedly, and leaves with or without StopNotify."""
    count = 0
    while time.monotonic() < end:
        other = await Bluez().open()
        paths = [path for path, item in (await other.objects()).items() if item.get(GATT, {}).get("UUID") == uuid(0x2A37)]
        for path in paths:
            try:
                await other.call(path, GATT, "StartNotify")
            except BusError as error:               # the link is just ending
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
    """Stops a random process for up to a second (SIGSTOP), repeatedly."""
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


def acquired():
    """Strap 0's notifications are acquired by another program (AcquireNotify). Strap 1's are acquired too, but by no
    program: its link was lost meanwhile. The gateway must not stop notifications or remove these devices, because that
    would crash bluetoothd 5.66."""
    for index in (0, 1):
        lines("pair", address(index), "--no-bond")
    process = guest("bluetoothd-pid")

    def refused(*words):
        said = hrgate("forget", address(1), *words, status=1).stderr
        assert "AcquireNotify" in said and "systemctl restart bluetooth" in said, said
        assert guest("bluetoothd-pid") == process
        return said.strip()

    async def play():
        other = await Bluez().open(takes_descriptors=True)
        paths = []
        for index in (0, 1):
            device = "/org/bluez/hci0/dev_" + address(index).replace(":", "_")
            await other.connect(device)
            paths.append(await other.until(f"2A37 of {device}", lambda device=device: other.characteristic(device), 30))
        first = await other.acquire(paths[0])
        # The second strap does not reply when its notifications are enabled, and then its link is lost.
        strapctl("freeze", 1, 2)
        pending = asyncio.ensure_future(other.acquire(paths[1]))
        await asyncio.sleep(0.5)
        strapctl("drop", 1)
        await asyncio.sleep(3)
        assert await other.get(paths[1], GATT, "NotifyAcquired"), "a link that is lost during AcquireNotify locks nothing here"
        strapctl("mute", 0)                             # its values for the other program do not count for the gateway
        gateway = Gateway()
        for index in (0, 1):
            event = gateway.reaches(index, "taken-by-another")
        say(f"taken-by-another: {event['advice']}")
        assert "systemctl restart bluetooth" in event["advice"], event
        mark = gateway.mark()
        os.close(first)
        await other.is_(paths[0], GATT, 30, NotifyAcquired=False)
        strapctl("unmute", 0)
        gateway.reaches(0, "following", mark, 60)
        gateway.measures(0)
        say("a strap that the other program releases is followed")
        say(refused())
        refused("--for-all")
        pending.cancel()
        other.bus.disconnect()
        refused()
        return gateway
    gateway = asyncio.run(play())
    end = gateway.stop()
    assert guest("bluetoothd-pid") == process
    assert end["measurements"] == end["storedHeartRates"], end
    guest("bluetoothd-stop")
    guest("bluetoothd-start")
    hrgate("forget", address(1))
    say("bluetoothd has not crashed; after a restart it removes the monitor")


begin({"subscribers": subscribers, "acquired": acquired})
