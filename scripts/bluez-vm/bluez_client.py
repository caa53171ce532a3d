"""A small client of org.bluez that tests the harness without the code that the harness tests."""
import asyncio
import time

from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.service import ServiceInterface, method

ADAPTER, DEVICE, GATT = "org.bluez.Adapter1", "org.bluez.Device1", "org.bluez.GattCharacteristic1"


def uuid(number):
    return f"0000{number:04x}-0000-1000-8000-00805f9b34fb"


def plain(value):
    if isinstance(value, Variant):
        return plain(value.value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


class BusError(Exception):
    pass


class Agent(ServiceInterface):
    """Accepts every pairing with the passkey that it was given, and records the requests."""

    def __init__(self, passkey):
        super().__init__("org.bluez.Agent1")
        self.passkey, self.asked = passkey, []

    @method()
    def Release(self):
        self.asked.append("Release")

    @method()
    def RequestPasskey(self, device: "o") -> "u":  # noqa: F821
        self.asked.append("RequestPasskey")
        return self.passkey

    @method()
    def RequestConfirmation(self, device: "o", passkey: "u"):  # noqa: F821
        self.asked.append("RequestConfirmation")

    @method()
    def RequestAuthorization(self, device: "o"):  # noqa: F821
        self.asked.append("RequestAuthorization")

    @method()
    def Cancel(self):
        self.asked.append("Cancel")


class Bluez:
    async def open(self, takes_descriptors=False):
        self.bus = await MessageBus(bus_type=BusType.SYSTEM, negotiate_unix_fd=takes_descriptors).connect()
        self.values, self.appeared, self.event = {}, [], asyncio.Event()
        self.bus.add_message_handler(self.incoming)
        await self.call("/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", "s",
                        ["type='signal',sender='org.bluez'"], to="org.freedesktop.DBus")
        return self

    def incoming(self, message):
        if message.message_type is not MessageType.SIGNAL:
            return
        if message.member == "PropertiesChanged" and message.body[0] == GATT and "Value" in message.body[1]:
            self.values.setdefault(message.path, []).append(bytes(message.body[1]["Value"].value).hex())
        elif message.member == "InterfacesAdded":
            self.appeared.append(message.body[0])
        self.event.set()

    async def call(self, path, interface, member, signature="", body=(), to="org.bluez"):
        reply = await self.bus.call(Message(to, path, interface, member, signature=signature, body=list(body)))
        if reply.message_type is MessageType.ERROR:
            raise BusError(f"{reply.error_name}: {reply.body[0] if reply.body else ''}")
        return plain(reply.body[0]) if reply.body else None

    async def acquire(self, path):
        """Calls AcquireNotify. Returns the file descriptor from which each notification can be read."""
        reply = await self.bus.call(Message("org.bluez", path, GATT, "AcquireNotify", signature="a{sv}", body=[{}]))
        if reply.message_type is MessageType.ERROR:
            raise BusError(f"{reply.error_name}: {reply.body[0] if reply.body else ''}")
        return reply.unix_fds[reply.body[0]]

    async def refused(self, *call):
        """Returns the error of a call that has to fail."""
        try:
            await self.call(*call)
        except BusError as error:
            return str(error)
        raise AssertionError(f"{call} was not refused")

    async def objects(self):
        return await self.call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")

    async def get(self, path, interface, name):
        return await self.call(path, "org.freedesktop.DBus.Properties", "Get", "ss", [interface, name])

    async def until(self, what, probe, seconds=30.0):
        """Calls `probe`, a coroutine function, until its result is true, and returns that result. A failed D-Bus call
        counts as a result that is not yet true."""
        end = time.monotonic() + seconds
        while True:
            try:
                if found := await probe():
                    return found
            except BusError:
                pass
            if time.monotonic() > end:
                raise AssertionError(f"not within {seconds} s: {what}")
            self.event.clear()
            try:
                await asyncio.wait_for(self.event.wait(), 0.2)
            except asyncio.TimeoutError:
                pass

    async def is_(self, path, interface, seconds=30.0, **wanted):
        async def probe():
            return all([await self.get(path, interface, name) == value for name, value in wanted.items()])
        await self.until(f"{path} {wanted}", probe, seconds)

    async def discover(self, count, adapter="/org/bluez/hci0", seconds=40.0, named=None):
        """Returns at least `count` devices with the service 180D, by address. If `named` is set, waits until that
        device path is among them too."""
        await self.call(adapter, ADAPTER, "SetDiscoveryFilter", "a{sv}", [
            {"UUIDs": Variant("as", [uuid(0x180D)]), "Transport": Variant("s", "le")}])
        await self.call(adapter, ADAPTER, "StartDiscovery")

        async def enough():
            found = {item[DEVICE]["Address"]: path for path, item in (await self.objects()).items()
                     if path.startswith(adapter + "/") and uuid(0x180D) in item.get(DEVICE, {}).get("UUIDs", [])}
            return found if len(found) >= count and (named is None or named in found.values()) else None
        try:
            return await self.until(f"{count} straps", enough, seconds)
        finally:
            await self.call(adapter, ADAPTER, "StopDiscovery")

    async def connect(self, device, tries=3):
        """Connects a device and waits for its services. Retries if BlueZ aborts the attempt, for example because a
        strap has just left.

        BlueZ removes a device without a bond 30 s after its last advertisement, and at once when a link that existed
        before bluetoothd started ends. This method then scans for the device, which gets the same path again."""
        while True:
            try:
                await self.call(device, DEVICE, "Connect")
                await self.is_(device, DEVICE, 20, ServicesResolved=True)
                return
            except (BusError, AssertionError) as error:
                tries -= 1
                if tries == 0:
                    raise
                if "UnknownObject" in str(error):
                    await self.discover(1, device.rpartition("/")[0], named=device)
                await asyncio.sleep(0.5)

    async def characteristic(self, device, number=0x2A37):
        for path, item in (await self.objects()).items():
            if path.startswith(device + "/") and item.get(GATT, {}).get("UUID") == uuid(number):
                return path
        return None

    async def follow(self, device):
        """Connects and subscribes. Returns the path of the characteristic Heart Rate Measurement."""
        await self.connect(device)
        path = await self.until(f"2A37 of {device}", lambda: self.characteristic(device), 10)
        try:
            await self.call(path, GATT, "StartNotify")
        except BusError as error:
            if "InProgress" not in str(error):          # the earlier session still exists
                raise
        return path

    async def next_values(self, path, count, seconds=20.0):
        start = len(self.values.get(path, []))

        async def enough():
            return self.values.get(path, [])[start:start + count] if \
                len(self.values.get(path, [])) >= start + count else None
        return await self.until(f"{count} values of {path}", enough, seconds)

    async def register_agent(self, passkey, capability="KeyboardDisplay"):
        agent = Agent(passkey)
        self.bus.export("/agent", agent)
        await self.call("/org/bluez", "org.bluez.AgentManager1", "RegisterAgent", "os", ["/agent", capability])
        await self.call("/org/bluez", "org.bluez.AgentManager1", "RequestDefaultAgent", "o", ["/agent"])
        return agent
