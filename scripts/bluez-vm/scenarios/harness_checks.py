"""Checks of the harness itself: harness_checks.py GROUP, in the guest. Each prints its line. The first failure ends
the group, with the reason in $HRGATE_VM_OUT/reason."""
import asyncio
import json
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from bluez_client import ADAPTER, DEVICE, GATT, Bluez  # noqa: E402

OUT = pathlib.Path(os.environ["HRGATE_VM_OUT"])
HCI = "/org/bluez/hci0"


async def guest(*words):
    """Runs a helper of the guest, or strapctl. Returns its output."""
    process = await asyncio.create_subprocess_exec(*words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = (await asyncio.wait_for(process.communicate(), 90))[0].decode().strip()
    if process.returncode:
        raise AssertionError(f"{' '.join(words)}: exit status {process.returncode}: {said}")
    return said


async def strapctl(*words):
    return await guest("strapctl", *map(str, words))


async def status(index):
    return json.loads(await strapctl("status"))[index]


def trace(strap, event="sent"):
    events = map(json.loads, (OUT / "trace.jsonl").read_text().splitlines())
    return [item for item in events if item["strap"] == strap and item["event"] == event]


def number(address):
    """Returns a strap's index, which is the last byte of its address minus one."""
    return int(address[-2:], 16) - 1


async def straps(bluez, count):
    found = await bluez.discover(count)
    return {number(address): path for address, path in found.items()}


async def same_bytes(bluez, paths, count):
    for path in paths.values():
        await bluez.next_values(path, count)
    for index, path in paths.items():
        got, sent = bluez.values[path], [item["hex"] for item in trace(index)]
        places = [i for i in range(len(sent)) if sent[i:i + len(got)] == got]
        assert places, f"strap {index}: {got} is no part of {sent}"


async def main_group():
    bluez = await Bluez().open()
    found = await straps(bluez, 3)
    assert sorted(found) == [0, 1, 2], found
    say("discovery finds three straps")
    paths = {index: await bluez.follow(device) for index, device in found.items()}
    await same_bytes(bluez, paths, 4)
    say("three straps: same bytes, same order as the trace")
    device, path = found[0], paths[0]
    before, host, after = time.time(), float(await strapctl("time")), time.time()
    assert before - 1 < host < after + 1, (before, host, after)
    say(f"the guest's clock is the host's (request at {before - host:.3f} s, reply at {after - host:+.3f} s)")

    for word in ("disconnect", "drop"):
        await strapctl(word, 0)
        await bluez.is_(device, DEVICE, Connected=False)
        await bluez.follow(device)
        await bluez.next_values(path, 2)
        say(f"{word}: the link ends, and values arrive again")
    await strapctl("away", 0)
    await bluez.is_(device, DEVICE, Connected=False)
    assert not (await status(0))["advertising"]
    await strapctl("back", 0)
    await bluez.follow(device)
    await bluez.next_values(path, 2)
    say("away, back")
    await strapctl("mute", 0)
    await asyncio.sleep(0.3)
    before = len(bluez.values[path])
    await asyncio.sleep(1.5)
    assert len(bluez.values[path]) == before and (await status(0))["connected"]
    for odd in ("", "00", "04" * 201):
        await strapctl("raw", 0, odd)
    await bluez.until("odd frames", lambda: odd_seen(bluez, path), 10)
    await strapctl("unmute", 0)
    await bluez.next_values(path, 1)
    say("mute, odd frames (none, one, 201 bytes), unmute")
    await strapctl("freeze", 0, 2)
    began = time.monotonic()
    await bluez.call(await bluez.characteristic(device, 0x2A38), GATT, "ReadValue", "a{sv}", [{}])
    assert time.monotonic() - began > 1.5, time.monotonic() - began
    say("freeze: a read is delayed by it")
    start = len(bluez.values[path])
    await strapctl("flood", 0, 100)
    await bluez.until("200 values of a flood", lambda: grown(bluez, path, start + 200), 20)
    await strapctl("flood", 0, 0)
    await asyncio.sleep(1)
    sent = [item["hex"] for item in trace(0)]
    got = bluez.values[path][start:]
    assert is_run_of(got, sent), "a flood's values or their order"
    say(f"flood: {len(got)} values, no loss")
    await strapctl("refuse", 0, "on")
    await strapctl("drop", 0)
    await bluez.is_(device, DEVICE, Connected=False)
    begun = len(trace(0, "connected"))
    try:
        await bluez.connect(device, tries=1)
        raise AssertionError("a strap that refuses was connected")
    except Exception as error:
        if "refuses" in str(error):
            raise
    assert len(trace(0, "connected")) > begun and trace(0, "disconnected")
    await strapctl("refuse", 0, "off")
    await bluez.is_(device, DEVICE, Connected=False)
    await bluez.follow(device)
    say("refuse: each connection ends at once")

    for shape in ("swap", "shift"):
        old = await bluez.characteristic(device)
        await strapctl("reshape", 0, shape)
        await strapctl("drop", 0)
        await bluez.is_(device, DEVICE, Connected=False)
        assert (await status(0))["shape"] == shape
        handle = trace(0, "attributes")[-1]["measurement"]
        await bluez.connect(device)
        now = await bluez.characteristic(device)
        stale = now is None or int(now[-4:], 16) + 1 != handle
        say(f"reshape {shape}: the measurement's handle is {handle}; BlueZ has {now and now[-8:]} (was {old[-8:]})"
            + (": stale" if stale else ""))
        assert stale == (shape == "swap"), "BlueZ looks only where a service's range moved"
        await bluez.call(HCI, ADAPTER, "RemoveDevice", "o", [device])
        path = await bluez.follow(device)               # it searches for devices that BlueZ has removed
        await bluez.next_values(path, 2)
        say("RemoveDevice cures it")


def is_run_of(got, sent):
    return any(sent[i:i + len(got)] == got for i in range(len(sent)))


async def grown(bluez, path, count):
    return len(bluez.values.get(path, [])) >= count


async def odd_seen(bluez, path):
    return [len(value) for value in bluez.values[path][-3:]] == [0, 2, 402]


async def helpers():
    bluez = await Bluez().open()
    device = (await straps(bluez, 1))[0]
    await bluez.follow(device)

    async def comes_back(what):
        """Checks that a new client can connect to the strap again and receive its measurements."""
        again = await Bluez().open()
        await again.until("the adapter has power", lambda: again.get(HCI, ADAPTER, "Powered"), 30)
        path = await again.follow((await straps(again, 1))[0])
        await again.next_values(path, 2)
        again.bus.disconnect()
        say(what)

    first = await guest("bluetoothd-pid")
    for stop in ("bluetoothd-stop", "bluetoothd-kill"):
        await guest(stop)
        assert "org.bluez" not in await bluez.call("/org/freedesktop/DBus", "org.freedesktop.DBus", "ListNames",
                                                    to="org.freedesktop.DBus")
        await guest("bluetoothd-start")
        now = await guest("bluetoothd-pid")
        assert now != first and "bluetoothd" in pathlib.Path(f"/proc/{now}/cmdline").read_text(), now
        first = now
        await comes_back(f"{stop}, bluetoothd-start")
    await guest("dbus-restart")
    await asyncio.wait_for(bluez.bus.wait_for_disconnect(), 10) if bluez.bus.connected else None
    await comes_back("dbus-restart: every connection is gone, bluetoothd is back")
    bluez = await Bluez().open()
    await guest("adapter-remove", "0")
    await bluez.until("no adapter", lambda: no_adapter(bluez))
    assert not (await status(0))["connected"]
    await guest("adapter-add", "0")
    await comes_back("adapter-remove, adapter-add")
    for off, on in ((("adapter-power", "off"), ("adapter-power", "on")), (("rfkill-block",), ("rfkill-unblock",))):
        await guest(*off)
        await bluez.is_(HCI, ADAPTER, Powered=False)
        await guest(*on)
        await bluez.is_(HCI, ADAPTER, Powered=True)
        await comes_back(" ".join(off) + ", " + " ".join(on))
    wall, steady = time.time(), time.monotonic()
    await guest("clock-step", "-120.5")
    moved = time.time() - wall - (time.monotonic() - steady)
    assert abs(moved + 120.5) < 10, moved
    say(f"clock-step -120.5: the wall clock moved by {moved:.1f} s, the monotonic clock continued")
    await guest("network-less")


async def no_adapter(bluez):
    return HCI not in await bluez.objects()


async def pairing():
    bluez = await Bluez().open()
    agent = await bluez.register_agent(123456)
    found = await straps(bluez, 6)
    for index, (how, asked) in enumerate((
            ("just-works", None), ("passkey", "RequestPasskey"), ("none", "refused"), ("numeric", "RequestConfirmation"),
            ("legacy", None), ("legacy-passkey", "RequestPasskey"))):
        device = found[index]
        agent.asked.clear()
        await bluez.connect(device)
        assert (await status(index))["pairing"] == how
        if asked == "refused":
            error = await bluez.refused(device, DEVICE, "Pair")
            assert "AuthenticationFailed" in error, error
            await bluez.until("still not paired", lambda: false_is_true(bluez, device))
            await bluez.follow(device)                  # this service needs no bond
            say(f"{how}: Pair is rejected ({error.split(':')[0]}), values come without")
        else:
            await bluez.call(device, DEVICE, "Pair")
            assert await bluez.get(device, DEVICE, "Paired")
            assert (asked in agent.asked) if asked else "RequestPasskey" not in agent.asked, agent.asked
            await bluez.follow(device)
            assert (await status(index))["encrypted"]
            say(f"{how}: paired, agent was asked {agent.asked}")
        await bluez.next_values(await bluez.characteristic(device), 2)
    await strapctl("forget", 1)
    await strapctl("drop", 1)
    await bluez.is_(found[1], DEVICE, Connected=False)
    try:
        await bluez.connect(found[1], tries=1)
        encrypted = (await status(1))["encrypted"]
    except Exception:
        encrypted = False
    assert not encrypted
    say("forget: a bond that the strap lost gives no encrypted link")


async def false_is_true(bluez, device):
    return not await bluez.get(device, DEVICE, "Paired")


async def strange():
    bluez = await Bluez().open()
    found = await straps(bluez, 4)
    objects = await bluez.objects()
    name = objects[found[0]][DEVICE].get("Name")
    say(f"a name of control characters and broken UTF-8 arrives as {name!r}")
    expected = {0: [0x2A37], 1: [], 2: [], 3: [0x2A37]}
    for index in range(4):
        await bluez.connect(found[index])
        has = [0x2A37] if await bluez.characteristic(found[index]) else []
        assert has == expected[index], (index, has)
    assert "NotSupported" in await bluez.refused(await bluez.characteristic(found[3]), GATT, "StartNotify")
    say("straps without 180D, without 2A37, without notify")
    await bluez.call(HCI, ADAPTER, "SetDiscoveryFilter", "a{sv}", [{}])
    await bluez.call(HCI, ADAPTER, "StartDiscovery")
    await bluez.until("a crowd of 100", lambda: crowd(bluez), 60)
    await bluez.call(HCI, ADAPTER, "StopDiscovery")
    say("100 others in the air")
    await bluez.call(found[0], DEVICE, "Disconnect")    # a connected strap does not advertise
    second = await bluez.discover(1, "/org/bluez/hci1")
    path = await bluez.follow(second["F0:0D:BE:A7:01:01"])
    await bluez.next_values(path, 2)
    await guest("adapter-remove", "1")
    await bluez.until("the other adapter is gone", lambda: without(bluez, "/org/bluez/hci1"))
    path = await bluez.follow(found[0])
    await bluez.next_values(path, 2)
    await guest("adapter-add", "1")
    await bluez.until("it is back", lambda: bluez.get("/org/bluez/hci1", ADAPTER, "Powered"))
    say("two adapters: one is removed, and the strap is followed by the other")


async def without(bluez, path):
    return not any(other.startswith(path) for other in await bluez.objects())


async def crowd(bluez):
    return sum(path.startswith(HCI + "/dev_C") for path in await bluez.objects()) >= 100


def say(line):
    print(f"· {line}", flush=True)


if __name__ == "__main__":
    groups = {"main": main_group, "helpers": helpers, "pairing": pairing, "strange": strange}
    try:
        asyncio.run(groups[sys.argv[1]]())
    except Exception as problem:
        (OUT / "reason").write_text(f"{type(problem).__name__}: {problem}\n")
        raise
