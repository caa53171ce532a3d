"""Tests of the scripted org.bluez. Run: PYTHON -m unittest test_scripted_bluez (in this folder)."""
import asyncio
import json
import pathlib
import sys
import tempfile
import unittest

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

import scripted_values as values

# Timeout in seconds, so long that a very busy machine does not exceed it.
PATIENCE = 1500

HCI = "/org/bluez/hci0"
STRAP = HCI + "/dev_F0_0D_BE_A7_01_01"
SERVICE, CHARACTERISTIC = STRAP + "/service000e", STRAP + "/service000e/char000f"
DEVICE, PROPERTIES = "org.bluez.Device1", "org.freedesktop.DBus.Properties"
GATT = "org.bluez.GattCharacteristic1"
TREE = {
    "objects": {HCI: {"org.bluez.Adapter1": {"Address": "00:1B:DC:0A:0B:01", "Powered": True, "Discovering": False}}},
    "discoverable": {STRAP: {DEVICE: {
        "Address": "F0:0D:BE:A7:01:01", "Adapter": HCI, "RSSI": -60, "Connected": False, "ServicesResolved": False,
        "Paired": False, "UUIDs": ["0000180d-0000-1000-8000-00805f9b34fb"]}}},
    "services": {STRAP: {
        SERVICE: {"org.bluez.GattService1": {"UUID": "0000180d-0000-1000-8000-00805f9b34fb", "Device": STRAP}},
        CHARACTERISTIC: {GATT: {"UUID": "00002a37-0000-1000-8000-00805f9b34fb", "Service": SERVICE,
                                "Notifying": False, "Flags": ["notify"], "Value": ""}}}},
}


class ScriptedBlueZTests(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.place = tempfile.TemporaryDirectory()
        tree = pathlib.Path(self.place.name, "tree.json")
        tree.write_text(json.dumps(TREE))
        script = pathlib.Path(__file__).with_name("scripted_bluez.py")
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, script, "--start-bus", self.place.name, "--tree", tree,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
        self.events, self.signals, self.asked = [], [], []
        ready = await self.event("ready")
        self.bus = await self.connect(ready["address"])

    async def asyncTearDown(self):
        self.bus.disconnect()
        self.process.stdin.close()
        self.assertEqual(await asyncio.wait_for(self.process.wait(), PATIENCE), 0)
        self.place.cleanup()

    async def connect(self, address):
        bus = await MessageBus(bus_address=address).connect()
        bus.add_message_handler(self.incoming)
        for rule in ("type='signal',sender='org.bluez'", "type='signal',member='NameOwnerChanged',arg0='org.bluez'"):
            await bus.call(Message("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                   "AddMatch", signature="s", body=[rule]))
        return bus

    def incoming(self, message):
        if message.message_type is MessageType.SIGNAL:
            # The bus may emit the signal for a new connection after this handler was set.
            if message.member == "NameAcquired":
                return None
            if message.member == "NameOwnerChanged" and message.body[0] != "org.bluez":
                return None
            self.signals.append((message.member, message.path, values.json(message.body)))
        elif message.path == "/agent":
            self.asked.append(message.member)
            if message.member == "RequestPasskey":
                return Message.new_method_return(message, "u", [123456])
            return Message.new_error(message, "org.bluez.Error.Rejected", "no")
        elif message.path == "/app" and message.member == "GetManagedObjects":
            return Message.new_method_return(message, "a{oa{sa{sv}}}", [
                {"/app/profile": {"org.bluez.GattProfile1": {"UUIDs": Variant("as", ["180d"])}}}])
        return None

    async def event(self, name):
        """Returns the next event with this name. Earlier ones are kept in `events`."""
        while True:
            event = json.loads(await asyncio.wait_for(self.process.stdout.readline(), PATIENCE))
            self.events.append(event)
            if event["event"] == name:
                return event

    async def order(self, **verb):
        self.process.stdin.write(json.dumps(verb | {"id": 1}).encode() + b"\n")
        while True:
            event = json.loads(await asyncio.wait_for(self.process.stdout.readline(), PATIENCE))
            self.events.append(event)
            if event["event"] in ("done", "failed"):
                self.assertEqual(event["event"], "done", event)
                return

    async def call(self, path, interface, member, signature="", *body, timeout=PATIENCE):
        reply = await asyncio.wait_for(self.bus.call(Message(
            "org.bluez", path, interface, member, signature=signature, body=list(body))), timeout)
        if reply.message_type is MessageType.ERROR:
            return f"{reply.error_name.rsplit('.')[-1]} {reply.body[0] if reply.body else ''}".strip()
        return values.json(reply.body)

    async def until(self, test):
        for _ in range(PATIENCE * 100):
            found = [signal for signal in self.signals if test(*signal)]
            if found:
                return found[0]
            await asyncio.sleep(0.01)
        self.fail(f"not seen; signals: {self.signals}")

    async def discovered(self):
        self.assertEqual(await self.call(HCI, "org.bluez.Adapter1", "StartDiscovery"), [])
        await self.until(lambda member, path, body: member == "InterfacesAdded" and body[0] == STRAP)

    async def resolved(self):
        self.assertEqual(await self.call(STRAP, DEVICE, "Connect"), [])
        await self.until(lambda member, path, body: "ServicesResolved" in str(body) and path == STRAP)

    async def test_discovery_connect_notify_in_bluez_order(self):
        await self.discovered()
        self.assertEqual(await self.call(HCI, "org.bluez.Adapter1", "StartDiscovery"),
                         "InProgress Operation already in progress")
        await self.resolved()
        self.assertEqual(await self.call(CHARACTERISTIC, GATT, "StartNotify"), [])
        await self.order(do="notify", path=CHARACTERISTIC, values=["0048", "0048", "0049"])
        await self.until(lambda member, path, body: body[1:2] == [{"Value": "0049"}])
        seen = [(member, path, body[1]) for member, path, body in self.signals if path != HCI]
        self.assertEqual([s for s in seen if s[0] == "PropertiesChanged"], [
            ("PropertiesChanged", STRAP, {"Connected": True}),
            ("PropertiesChanged", STRAP, {"ServicesResolved": True}),
            ("PropertiesChanged", CHARACTERISTIC, {"Notifying": True}),
            ("PropertiesChanged", CHARACTERISTIC, {"Value": "0048"}),
            ("PropertiesChanged", CHARACTERISTIC, {"Value": "0048"}),
            ("PropertiesChanged", CHARACTERISTIC, {"Value": "0049"})])
        calls = [event for event in self.events if event["event"] == "call"]
        self.assertEqual([c["member"] for c in calls], ["StartDiscovery", "StartDiscovery", "Connect", "StartNotify"])
        self.assertEqual(calls[3]["path"], CHARACTERISTIC)

    async def test_ordered_replies(self):
        await self.discovered()
        await self.order(do="reply", method="Connect", path=STRAP, error="Failed",
                         message="le-connection-abort-by-local",
                         before=[{"do": "set", "path": STRAP, "interface": DEVICE, "properties": {"Connected": True}},
                                 {"do": "link-lost", "path": STRAP}])
        await self.order(do="reply", method="org.bluez.Device1.Connect", never=True)
        self.assertEqual(await self.call(STRAP, DEVICE, "Connect"), "Failed le-connection-abort-by-local")
        self.assertIn(("PropertiesChanged", STRAP, [DEVICE, {"Connected": True}, []]), self.signals)
        with self.assertRaises(asyncio.TimeoutError):
            await self.call(STRAP, DEVICE, "Connect", timeout=0.3)
        self.assertEqual(await self.call(STRAP, DEVICE, "Connect"), [])
        await self.order(do="reply", method="GetAll", signature="a{sv}", value={"RSSI": {"signature": "n", "value": 3}})
        self.assertEqual(await self.call(STRAP, PROPERTIES, "GetAll", "s", DEVICE), [{"RSSI": 3}])

    async def test_disconnect_cancels_connect(self):
        await self.discovered()
        await self.order(do="reply", method="Connect", delay=0)
        self.process.stdin.write(json.dumps({"do": "restart", "tree": TREE | {
            "objects": TREE["objects"] | TREE["discoverable"], "connectSeconds": 5}, "id": 2}).encode() + b"\n")
        await self.event("done")
        connecting = asyncio.ensure_future(self.call(STRAP, DEVICE, "Connect"))
        while self.events[-1].get("member") != "Connect":
            await self.event("call")
        self.assertEqual(await self.call(STRAP, DEVICE, "Connect"), "InProgress Operation already in progress")
        self.assertEqual(await self.call(STRAP, DEVICE, "Disconnect"), [])
        self.assertEqual(await connecting, "Failed le-connection-abort-by-local")

    async def test_pairing_asks_the_agent(self):
        await self.discovered()
        await self.call("/org/bluez", "org.bluez.AgentManager1", "RegisterAgent", "os", "/agent", "KeyboardDisplay")
        for ask in ({"method": "RequestPasskey", "expect": 1}, {"method": "RequestConfirmation", "args": [7]},
                    {"method": "RequestPasskey", "expect": 123456}):
            await self.order(do="reply", method="Pair", before=[{"do": "agent"} | ask])
        self.assertEqual(await self.call(STRAP, DEVICE, "Pair"), "AuthenticationFailed Authentication Failed")
        self.assertEqual(await self.call(STRAP, DEVICE, "Pair"), "AuthenticationRejected Authentication Rejected")
        self.assertEqual(await self.call(STRAP, DEVICE, "Pair"), [])
        self.assertEqual(self.asked, ["RequestPasskey", "RequestConfirmation", "RequestPasskey"])
        self.assertEqual(await self.call(STRAP, PROPERTIES, "Get", "ss", DEVICE, "Paired"), [True])

    async def test_missing_removals_and_owner_changes(self):
        await self.discovered()
        await self.resolved()
        await self.order(do="remove", path=HCI, children="silent")
        self.assertTrue((await self.call(STRAP, DEVICE, "Connect")).startswith("UnknownObject"))
        removed = [body[0] for member, _, body in self.signals if member == "InterfacesRemoved"]
        self.assertEqual(removed, [HCI])
        await self.order(do="release-name")
        self.assertTrue((await self.call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"))
                        .startswith("ServiceUnknown"))
        await self.order(do="request-name")
        await self.order(do="restart")
        objects = (await self.call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"))[0]
        self.assertEqual(sorted(objects), ["/org/bluez", HCI])
        owners = [bool(body[2]) for member, _, body in self.signals if member == "NameOwnerChanged"]
        self.assertEqual(owners, [False, True, False, True])

    async def test_application_power_and_a_client_that_leaves(self):
        await self.discovered()
        self.assertEqual(await self.call(HCI, "org.bluez.GattManager1", "RegisterApplication", "oa{sv}", "/app", {}), [])
        self.assertEqual((await self.event("application"))["objects"],
                         {"/app/profile": {"org.bluez.GattProfile1": {"UUIDs": ["180d"]}}})
        await self.resolved()
        await self.call(HCI, PROPERTIES, "Set", "ssv", "org.bluez.Adapter1", "Powered", Variant("b", False))
        await self.until(lambda member, path, body: path == STRAP and "{'Connected': False}" in str(body))
        self.assertEqual(await self.call(STRAP, DEVICE, "Connect"), "NotReady Resource Not Ready")
        other, self.bus = self.bus, await self.connect(self.events[0]["address"])
        name = other.unique_name
        other.disconnect()
        while (await self.event("client-gone"))["sender"] != name:
            pass

    async def test_the_bus_dies_and_comes_back(self):
        await self.order(do="stop-bus")
        await self.order(do="start-bus")
        self.bus = await self.connect(self.events[0]["address"])
        objects = (await self.call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"))[0]
        self.assertIn(HCI, objects)


if __name__ == "__main__":
    unittest.main()
