"""The simulated air: connects the controllers of adapters and straps, and has advertisers without connections."""
import asyncio
import collections
import random
import struct

from bumble import core, hci, link

LE = core.PhysicalTransport.LE


class Air(link.LocalLink):
    """An in-memory link that, unlike Bumble's own, routes data by connection. Bumble's routes by random address, and
    does not find BlueZ, which connects from its public address.

    Each packet of a connection arrives `latency` seconds after it was sent, in order. A packet that has not arrived
    when its connection ends is lost."""

    def __init__(self, latency=0.0):
        super().__init__()
        self.latency = latency
        self.in_air = collections.deque()

    def deliver(self, receiver, arrive, *packet):
        if not self.latency:
            asyncio.get_running_loop().call_soon(arrive, *packet)
            return
        self.in_air.append((receiver, arrive, packet))
        asyncio.get_running_loop().call_later(self.latency, self.land)

    def land(self):
        receiver, arrive, packet = self.in_air.popleft()
        if receiver.controller.le_connections.get(receiver.peer_address) is receiver:
            arrive(*packet)

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        if transport != LE:
            return super().send_acl_data(sender_controller, destination_address, transport, data)
        ours = sender_controller.le_connections.get(destination_address)
        theirs = ours and self.other_end(ours)
        if theirs is not None:
            self.deliver(theirs, theirs.controller.on_link_acl_data, ours.self_address, transport, data)
        return None

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        for controller in self.controllers:
            there = controller.le_connections.get(sender_address)
            if there is not None and there.self_address == receiver_address:
                self.deliver(there, controller.on_ll_control_pdu, sender_address, packet)
                return

    def other_end(self, connection):
        for controller in self.controllers:
            there = controller.le_connections.get(connection.self_address)
            if there is not None and there.self_address == connection.peer_address:
                return there
        return None

    def lose(self, connection):
        """Makes each end detect by its own supervision timeout that the other one is gone."""
        there = self.other_end(connection)
        reason = hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR
        connection.controller.on_le_disconnected(connection, reason)
        if there is not None:
            there.controller.on_le_disconnected(there, reason)

    def lose_far_ends(self, controller):
        """Simulates a controller that disappears without a message, so that only the other ends detect it by
        timeout."""
        for connection in list(controller.le_connections.values()):
            there = self.other_end(connection)
            if there is not None:
                there.controller.on_le_disconnected(there, hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)
            controller.le_connections.pop(connection.peer_address, None)


class Crowd:
    """Devices that only advertise and are not straps: beacons, locks, tags. They have no controllers, only reports,
    so a hundred cost little."""

    def __init__(self, count, radios, interval=1.0):
        self.radios, self.interval = radios, interval
        self.members = [self.member(i) for i in range(count)]

    @staticmethod
    def member(i):
        address = hci.Address(f"C{i % 16:X}:0A:1B:2C:{i >> 8 & 0xFF:02X}:{i & 0xFF:02X}")
        kinds = (
            [(core.AdvertisingData.MANUFACTURER_SPECIFIC_DATA, b"\x4c\x00\x02\x15" + bytes([i & 0xFF]) * 21)],
            [(core.AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, struct.pack("<H", 0xFEAA)),
             (core.AdvertisingData.SERVICE_DATA_16_BIT_UUID, b"\xaa\xfe\x10\x00" + bytes([i & 0xFF]) * 4)],
            [(core.AdvertisingData.COMPLETE_LOCAL_NAME, f"Tag {i}".encode()),
             (core.AdvertisingData.APPEARANCE, struct.pack("<H", 0x0200))],
        )
        data = [(core.AdvertisingData.FLAGS, b"\x06"), *kinds[i % len(kinds)]]
        return address, bytes(core.AdvertisingData(data)), -60 - i % 35

    async def run(self):
        pause = self.interval / max(1, len(self.members))
        while True:
            for address, data, rssi in self.members:
                await asyncio.sleep(pause)
                for radio in self.radios:
                    radio.hear(address, data, b"", rssi + random.randint(-2, 2))
