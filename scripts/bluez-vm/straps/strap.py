"""A heart-rate strap: a Bumble device that advertises, connects, measures, and has faults on demand."""
import asyncio
import json
import random
import time

from bumble import att, core, hci
from bumble.device import DeviceConfiguration
from bumble.host import Host

from . import attributes
from .heart import Heart, counted, measurement
from .radio import Radio


def cycled(values, index):
    return values[index % len(values)]


def plain(address):
    return str(address).split("/")[0]                   # Bumble marks a public address with /P


class Strap:
    def __init__(self, index, air, options, trace):
        self.index, self.air, self.options, self.trace = index, air, options, trace
        self.pairing = cycled(options.pairing, index)
        self.secure = cycled(options.secure, index)
        self.kind = cycled(options.address, index)
        self.lie = cycled(options.lie, index)
        self.name = options.name.format(n=index, N=index + 1).encode()
        if options.name_hex is not None and index == 0:
            self.name = options.name_hex
        seed, number = options.seed & 0xFF, index + 1
        self.radio = Radio(f"strap{index}", air, public_address=f"00:22:D0:5E:{seed:02X}:{number:02X}")
        self.radio.rssi = options.rssi - 7 * index
        config = DeviceConfiguration(
            name="", address=hci.Address(f"F0:0D:BE:A7:{seed:02X}:{number:02X}"), irk=bytes([number]) * 16,
            keystore=f"JsonKeyStore:{options.keys}" if options.keys else None,
            gatt_service_enabled=not options.plain_gatt,
            advertising_interval_min=options.adv_interval, advertising_interval_max=options.adv_interval)
        config.advertising_data = attributes.advertising_data(options.bare)
        config.scan_response_data = attributes.scan_response(self.name)
        self.device = attributes.Peripheral(config=config, host=Host(self.radio, self.radio))
        self.heart = Heart(options.seed * 1000 + index, (options.bpm or [72])[0] + 7 * index)
        self.counts = not options.bpm                   # rates that identify its frames
        self.rate, self.contact, self.energy = options.rate, options.contact, options.energy
        self.battery, self.sent, self.step = options.battery, 0, 0
        self.disconnect_after, self.chance = options.disconnect_after, random.Random(seed * 1000 + index)
        self.muted = self.refusing = self.wanted = False
        self.connection = self.flooding = None
        self.shape, self.next_shape = None, "plain"
        self.reshape()
        self.device.on("connection", self.on_connection)
        self.device.pairing_config_factory = lambda connection: attributes.pairing_config(self)

    def log(self, **what):
        line = json.dumps({"time": round(time.time(), 6), "strap": self.index, **what})
        print(line, flush=True)
        if self.trace:
            print(line, file=self.trace, flush=True)

    # Services

    def reshape(self):
        """Replaces the attribute table by that of `next_shape`, without a Service Changed indication."""
        if self.shape == self.next_shape:
            return
        server = self.device.gatt_server
        server.services.clear()
        server.attributes.clear()
        server.attributes_by_handle.clear()
        server.subscribers.clear()
        self.device.add_default_services(add_gatt_service=not self.options.plain_gatt)
        for attribute in server.attributes:
            if attribute.type == core.UUID.from_16_bits(0x2A00):
                attribute.value = self.name             # any bytes, as in some straps
        self.device.add_services(attributes.services(self, self.next_shape))
        for attribute in server.attributes:
            attributes.refuse_writes(attribute)
        self.shape = self.next_shape
        self.log(event="attributes", shape=self.shape, measurement=getattr(self.measurement, "handle", None))

    def on_control_point(self, connection, value):
        self.log(event="control-point", hex=bytes(value).hex())
        if bytes(value) != b"\x01":
            raise att.ATT_Error(att.ErrorCode(0x80))    # Control Point Not Supported
        self.energy = 0.0

    def on_subscription(self, bearer, notify, indicate):
        self.wanted = bool(notify)
        self.log(event="subscription", on=self.wanted)

    # The link

    @property
    def address(self):
        return plain(self.radio.public_address if self.kind == "public" else self.device.random_address)

    @property
    def identity(self):
        """The identity address, under which a paired device knows the strap, or None if the strap sends no identity."""
        if self.kind == "anonymous":
            return None
        return plain(self.radio.public_address if attributes.has_public_identity(self) else self.device.static_address)

    async def start(self):
        await self.device.power_on()
        if self.is_private:
            await self.take_private_address()
        if not self.options.absent:
            await self.advertise()

    async def advertise(self):
        own = hci.OwnAddressType.PUBLIC if self.kind == "public" else hci.OwnAddressType.RANDOM
        await self.device.start_advertising(auto_restart=True, own_address_type=own)
        self.log(event="advertising", name=self.name.decode(errors="replace"), address=self.address,
                 identity=self.identity or self.address)

    @property
    def is_private(self):
        return self.kind in attributes.PRIVATE

    async def take_private_address(self):
        self.device.random_address = hci.Address.generate_private_address(self.device.irk)
        await self.device.send_sync_command(
            hci.HCI_LE_Set_Random_Address_Command(random_address=self.device.random_address))

    async def rename(self, name):
        """Changes the advertised name and the value of the Device Name characteristic."""
        self.name = name.encode()
        for attribute in self.device.gatt_server.attributes:
            if attribute.type == core.UUID.from_16_bits(0x2A00):
                attribute.value = self.name
        self.device.scan_response_data = attributes.scan_response(self.name)
        if self.connection is None:
            await self.advertise()

    async def readdress(self):
        """Changes the strap's address, and ends its link. A private address is replaced by another one of the same key,
        like every quarter of an hour. A static address is replaced by a random one, like in a strap that draws a new
        one when its battery is changed."""
        if self.kind == "public":
            raise ValueError("a public address stays")
        await self.go_away()
        if self.is_private:
            await self.take_private_address()
        else:
            self.device.random_address = self.device.static_address = hci.Address.generate_static_address()
        await self.advertise()

    def on_connection(self, connection):
        self.connection, self.wanted = connection, False
        self.log(event="connected", peer=str(connection.peer_address))
        connection.on("disconnection", self.on_disconnection)
        connection.on("pairing", lambda keys: self.log(event="paired"))
        connection.on("pairing_failure", lambda reason: self.log(event="pairing-failed", reason=int(reason)))
        connection.on("connection_encryption_change",
                      lambda: self.log(event="encryption", on=bool(connection.encryption)))
        if self.refusing:
            self.soon(self.close(hci.HCI_ErrorCode.REMOTE_DEVICE_TERMINATED_CONNECTION_DUE_TO_LOW_RESOURCES_ERROR))
        elif self.disconnect_after:
            asyncio.get_running_loop().call_later(self.chance.uniform(*self.disconnect_after), self.end_of, connection)

    def on_disconnection(self, reason):
        self.connection, self.wanted = None, False
        self.log(event="disconnected", reason=int(reason))
        if self.options.reshape_on_reconnect:
            self.next_shape = cycled(attributes.SHAPES, attributes.SHAPES.index(self.shape) + 1)
        self.reshape()

    def end_of(self, connection):
        if self.connection is connection:
            action = {"disconnect": self.close, "drop": self.drop, "away": self.go_away}
            self.soon(action[self.options.disconnect_how]())

    def soon(self, coroutine):
        task = asyncio.ensure_future(coroutine)
        task.add_done_callback(lambda done: done.cancelled() or done.exception() and self.log(
            event="failed", error=repr(done.exception())))

    def ask(self):
        """Requests encryption of the link, like a Polar H10 half a minute after connecting (Security Request)."""
        self.log(event="asked")
        self.device.request_pairing(self.connection)

    async def close(self, reason=hci.HCI_ErrorCode.REMOTE_USER_TERMINATED_CONNECTION_ERROR):
        if self.connection:
            await self.connection.disconnect(reason)

    async def drop(self):
        for connection in list(self.radio.le_connections.values()):
            self.air.lose(connection)

    async def go_away(self):
        await self.device.stop_advertising()
        await self.drop()
        await asyncio.sleep(0.05)                       # Bumble advertises again after the end of a link
        await self.device.stop_advertising()

    def freeze(self, seconds):
        """Holds back incoming data of this strap for some seconds, and then processes it."""
        kept, usual, was = [], type(self.radio).on_link_acl_data, self.muted
        self.muted = True
        self.radio.on_link_acl_data = lambda *packet: kept.append(packet)

        def thaw():
            del self.radio.on_link_acl_data
            self.muted = was
            for packet in kept:
                usual(self.radio, *packet)
        asyncio.get_running_loop().call_later(seconds, thaw)

    # Measuring

    async def run(self):
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            period = 1.0 / self.rate
            due = max(due + period, loop.time() - 5)    # after a delay of more than 5 s, the missed ones are dropped
            await asyncio.sleep(max(0, due - loop.time()))
            intervals = self.heart.advance(period)
            if self.energy is not None and intervals:
                self.energy = min(65535.0, self.energy + len(intervals) * 0.02)
            if self.muted or self.flooding or self.connection is None or not self.wanted:
                continue
            await self.send(self.value(intervals))

    def value(self, intervals):
        options = self.options
        if options.script:
            step = cycled(options.script, self.step)
            self.step += 1
            if "raw" in step:
                return bytes.fromhex(step["raw"])
            return measurement(step["bpm"], step.get("rr", intervals), step.get("contact", self.contact),
                               step.get("energy"), step.get("wide", False))
        if self.counts:
            bpm = counted(self.step + self.index)
            self.step += 1
        elif len(options.bpm) > 1:
            bpm = self.heart.bpm = float(cycled(options.bpm, self.step))
            self.step += 1
        else:
            bpm = 60.0 * 1024 * len(intervals) / sum(intervals) if intervals else self.heart.bpm
        return measurement(round(bpm), intervals if options.rr else (), self.contact,
                           None if self.energy is None else int(self.energy), options.wide)

    async def send(self, value):
        connection = self.connection
        if connection is None:
            return
        self.sent += 1
        self.log(event="sent", n=self.sent, hex=value.hex())
        try:
            await self.device.gatt_server.notify_subscriber(connection, self.measurement, value)
        except Exception as error:                      # the link ended in the meantime
            self.log(event="send-failed", n=self.sent, error=repr(error))

    async def flood(self, rate):
        """Sends notifications at `rate` a second until the rate is changed. The intervals count up, so that the order
        can be checked."""
        number, loop = 0, asyncio.get_running_loop()
        due = loop.time()
        while True:
            due = max(due + 1.0 / rate, loop.time() - 1)
            await asyncio.sleep(max(0, due - loop.time()))
            if self.connection is not None and self.wanted:
                await self.send(measurement(counted(number), [512 + number % 1024], self.contact))
                number += 1

    def status(self):
        connection = self.connection
        return {"strap": self.index, "name": self.name.decode(errors="replace"), "address": self.address,
                "identity": self.identity, "connected": connection is not None, "encrypted": bool(connection and connection.encryption),
                "subscribed": self.wanted, "sent": self.sent, "advertising": self.radio.is_advertising,
                "battery": self.battery, "energy": self.energy, "pairing": self.pairing, "shape": self.shape, "muted": self.muted}
