"""python -m straps: virtual adapters and virtual heart-rate straps on one simulated air.

Each --hci is the far end of an H4 link: the controller of one adapter of the guest. Each strap has Heart Rate, Device
Information and Battery services. --trace gets what a strap really sent, as JSON lines (event "sent", the bytes in hex),
so that a test can compare it with what arrived. Options with a comma-separated list are assigned to the straps in turn,
repeatedly. README.md lists the commands that control the straps while a test runs."""
import argparse
import asyncio
import json
import logging
import sys

from bumble import core
from bumble.transport import open_transport

from . import attributes
from .air import Air, Crowd
from .control import CONTACT, age, serve
from .machine import Machine
from .radio import Radio
from .strap import Strap


def several(*known):
    def parse(text):
        values = text.split(",")
        for value in values:
            if value not in known:
                raise argparse.ArgumentTypeError(f"{value} is not one of {', '.join(known)}")
        return values
    return parse


def or_none(convert):
    return lambda text: None if text == "none" else convert(text)


def options():
    parser = argparse.ArgumentParser(prog="straps", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--hci", action="append", default=[], metavar="SOCKET", help="an adapter's H4 link (repeatable)")
    add("--control", metavar="SOCKET", help="where the guest's strapctl speaks")
    add("--monitor", metavar="SOCKET", help="QEMU's monitor (QMP), for what strapctl does to the machine itself")
    add("--trace", metavar="FILE", help="JSON lines of what the straps did")
    add("--count", type=int, default=1, help="straps")
    add("--seed", type=int, default=1, help="of the beats and of the addresses")
    # Measurements
    add("--rate", type=float, default=1.0, help="notifications a second")
    add("--bpm", type=lambda text: [int(x) for x in text.split(",")], default=[],
        help="the wanted rate; several: one a notification; without it frames say rates from 40 to 200 that tell them apart, "
             "whatever their intervals say")
    add("--script", metavar="FILE", help="JSON lines {bpm, rr, contact, energy, wide} or {raw: HEX}, again and again")
    add("--no-rr", dest="rr", action="store_false", help="no RR intervals")
    add("--wide", action="store_true", help="16 bits for the heart rate, always")
    add("--contact", choices=CONTACT, default="yes")
    add("--energy", type=or_none(float), default=0.0, help="kJ so far; none: no energy and no 2A39")
    add("--location", type=or_none(int), default=1, help="2A38; none: absent")
    add("--battery", type=int, default=87)
    # Advertising
    add("--name", default="Strap {N}")
    add("--name-hex", type=bytes.fromhex, metavar="HEX", help="the first strap's name, as these very bytes")
    add("--address", type=several(*attributes.ADDRESSES), default=["random"],
        help="comma list; random is random static; private a resolvable private address whose identity, a static one, is "
             "sent at pairing; private-public the same with a public identity; anonymous a private address whose identity "
             "is never sent")
    add("--rssi", type=int, default=-55, help="of the first; each further strap is 7 dB weaker")
    add("--adv-interval", type=float, default=100.0, metavar="MS")
    add("--absent", action="store_true", help="no advertising until `back`")
    add("--latency", type=float, default=0.0, metavar="MS", help="from sending to receiving, each way")
    add("--crowd", type=int, default=0, metavar="N", help="N advertisers that are no straps")
    # Services and pairing
    add("--bare", action="store_true", help="only the Heart Rate service")
    add("--plain-gatt", action="store_true", help="no Generic Attribute service: no hash, no Service Changed")
    add("--lie", type=several(*attributes.LIES), default=["none"],
        help=f"comma list of {', '.join(attributes.LIES)}: what is missing although 180D is advertised")
    add("--reshape-on-reconnect", action="store_true", help="another attribute table after each connection")
    add("--pairing", "--pairings", type=several(*attributes.PAIRINGS), default=["just-works"],
        help=f"comma list of {', '.join(attributes.PAIRINGS)}")
    add("--secure", "--secures", type=several("no", "encrypted", "authenticated"), default=["no"],
        help="comma list; what writing 2A37's CCCD and 2A39 needs: no, encrypted, authenticated")
    add("--passkey", type=int, default=123456)
    add("--keys", metavar="FILE", help="keeps the straps' bonds from one run to the next")
    add("--disconnect-after", type=age, metavar="S", help="ends each connection by itself, after S or after A-B at random")
    add("--disconnect-how", choices=("disconnect", "drop", "away"), default="disconnect")
    add("--log", default="WARNING", help="Bumble's own log level")
    parsed = parser.parse_args()
    parsed.contact = CONTACT[parsed.contact]
    if parsed.script:
        with open(parsed.script) as file:
            parsed.script = [json.loads(line) for line in file if line.strip()]
    return parsed


async def transport(path):
    while True:
        try:
            return await open_transport(f"unix:{path}")
        except (OSError, core.BaseBumbleError):
            await asyncio.sleep(0.05)                   # QEMU has not created its socket yet


async def main(opt):
    air, links, radios = Air(opt.latency / 1000), [], []
    trace = open(opt.trace, "w") if opt.trace else None
    for i, path in enumerate(opt.hci):
        h4 = await transport(path)
        radio = Radio(f"hci{i}", air, host_source=h4.source, host_sink=h4.sink,
                      public_address=f"00:1B:DC:0A:0B:{i + 1:02X}")
        radio.be_plain()
        links.append(h4)
        radios.append(radio)
    straps = [Strap(i, air, opt, trace) for i in range(opt.count)]
    running = []                                        # asyncio itself keeps only weak references to tasks
    for strap in straps:
        await strap.start()
        running.append(asyncio.ensure_future(strap.run()))
    if opt.crowd:
        running.append(asyncio.ensure_future(Crowd(opt.crowd, radios).run()))
    if opt.control:
        await serve(opt.control, straps, radios, Machine(opt.monitor))
    elif links:
        await links[0].source.wait_for_termination()
    else:
        await asyncio.Event().wait()


if __name__ == "__main__":
    chosen = options()
    logging.basicConfig(level=chosen.log, stream=sys.stderr,
                        format="%(asctime)s %(name)s %(levelname)s %(message)s")
    try:
        asyncio.run(main(chosen))
    except KeyboardInterrupt:
        pass
