"""The commands of `strapctl`: one line for the command, one line for the reply."""
import asyncio
import json
import secrets
import time

from . import attributes
from .machine import Machine

CONTACT = {"yes": True, "no": False, "none": None}


async def bond_lost(strap):
    if strap.device.keystore:
        await strap.device.keystore.delete_all()


async def reset(strap):
    """Resets the strap, like the button in its battery case: it loses its bonds, and gets another key for private
    addresses."""
    await bond_lost(strap)
    strap.device.irk = secrets.token_bytes(16)
    await strap.readdress()


async def battery(strap, percent):
    strap.battery = int(percent)
    if strap.connection and not strap.options.bare:
        await strap.device.gatt_server.notify_subscriber(strap.connection, strap.level, bytes([strap.battery]))


async def burst(strap, *values):
    for value in values:
        await strap.send(bytes.fromhex(value))


async def flood(strap, rate):
    if strap.flooding:
        strap.flooding.cancel()
        strap.flooding = None
    if float(rate) > 0:
        strap.flooding = asyncio.ensure_future(strap.flood(float(rate)))


async def reshape(strap, shape="shift"):
    known = (*attributes.SHAPES, attributes.LYING)
    if shape not in known:
        raise ValueError(f"{shape} is not one of {', '.join(known)}")
    strap.next_shape = shape
    if strap.connection is None:
        strap.reshape()


def age(text):
    """Parses the age at which a connection ends: a number of seconds or a range. Returns the minimum and the
    maximum."""
    low, _, high = text.partition("-")
    return float(low), float(high or low)


def setter(name, convert):
    async def set_it(strap, text):
        setattr(strap, name, convert(text))
    return set_it


async def rate_of_heart(strap, bpm):
    strap.heart.bpm, strap.counts = float(bpm), False


async def strength(strap, rssi):
    strap.radio.rssi = int(rssi)


async def ask(strap):
    strap.ask()


async def mute(strap):
    strap.muted = True


async def unmute(strap):
    strap.muted = False


async def freeze(strap, seconds):
    strap.freeze(float(seconds))


WORDS = {
    "disconnect": lambda strap: strap.close(), "drop": lambda strap: strap.drop(),
    "away": lambda strap: strap.go_away(), "back": lambda strap: strap.advertise(),
    "readdress": lambda strap: strap.readdress(), "rename": lambda strap, *words: strap.rename(" ".join(words)),
    "pairing": setter("pairing", {how: how for how in attributes.PAIRINGS}.__getitem__),
    "bpm": rate_of_heart, "rate": setter("rate", float), "contact": setter("contact", CONTACT.__getitem__),
    "energy": setter("energy", lambda text: None if text == "none" else float(text)),
    "rssi": strength, "battery": battery, "raw": lambda strap, value="": burst(strap, value), "burst": burst,
    "ask": ask, "mute": mute, "unmute": unmute, "forget": bond_lost, "reset": reset, "freeze": freeze, "flood": flood, "reshape": reshape,
    "disconnect-after": setter("disconnect_after", lambda text: None if text == "none" else age(text)),
    "refuse": setter("refusing", {"on": True, "off": False}.__getitem__),
}


async def obey(words, straps, radios, machine=None):
    """Executes one command and returns its reply. Raises an error for an unknown command."""
    if words[0] == "status":
        return json.dumps([strap.status() for strap in straps])
    if words[0] == "time":
        return f"{time.time():.6f}"
    if words[0] == "unplug":
        radios[int(words[1])].unplug()
        return "ok"
    if words[0] in Machine.WORDS:
        await Machine.WORDS[words[0]](machine, *words[1:])
        return "ok"
    if words[0] not in WORDS:
        raise ValueError(f"unknown word {words[0]}")
    for strap in straps if words[1] == "all" else [straps[int(words[1])]]:
        await WORDS[words[0]](strap, *words[2:])
    return "ok"


async def serve(path, straps, radios, machine=None):
    """Executes commands of the guest until the guest closes the connection."""
    while True:
        try:
            reader, writer = await asyncio.open_unix_connection(path)
            break
        except OSError:
            await asyncio.sleep(0.05)                   # QEMU has not created its socket yet
    while line := await reader.readline():
        words = line.decode(errors="replace").split()
        if not words:
            continue
        try:
            answer = await obey(words, straps, radios, machine)
        except Exception as error:
            answer = f"error {error!r}"
        writer.write(answer.encode() + b"\n")
        await writer.drain()
