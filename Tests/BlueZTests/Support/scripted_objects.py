"""The object tree and its signals, and the behavior of BlueZ that applies unless a test has ordered something else."""
import asyncio
import contextvars

import scripted_values as values

ADAPTER, DEVICE = "org.bluez.Adapter1", "org.bluez.Device1"
CHARACTERISTIC, DESCRIPTOR = "org.bluez.GattCharacteristic1", "org.bluez.GattDescriptor1"


# Work to do after the reply to the current call. Calls overlap, so each one has its own list.
later = contextvars.ContextVar("later")


class Refused(Exception):
    """The error reply to a call. A name without dots is completed to org.bluez.Error.NAME."""

    def __init__(self, name, text=""):
        super().__init__(name, text)
        self.name = name if "." in name else f"org.bluez.Error.{name}"
        self.text = text


class Tree:
    """Objects by path, each with the properties of its interfaces. Calls `emit` for each change, as BlueZ would."""

    def __init__(self, emit):
        self.emit, self.objects = emit, {}

    def get(self, path, interface, name):
        return self.objects.get(path, {}).get(interface, {}).get(name, None)

    def plain(self, path, interface, name, default=None):
        found = self.get(path, interface, name)
        return default if found is None else found.value

    def under(self, path):
        return [other for other in self.objects if other == path or other.startswith(path + "/")]

    def add(self, path, interfaces, silent=False):
        made = {interface: values.properties(interface, given) for interface, given in interfaces.items()}
        self.objects.setdefault(path, {}).update(made)
        if not silent:
            self.emit("/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded", "oa{sa{sv}}", [path, made])

    def remove(self, path, interfaces=None, children="signaled", silent=False):
        """Removes an object. `children` says what happens to the objects below it: `signaled` (removed with a signal
        for each, deepest first, as in BlueZ), `silent` (removed without signals) or `kept`."""
        if path not in self.objects:
            raise ValueError(f"no object {path}")
        if interfaces:
            going = [(path, interfaces)]
        else:
            below = [] if children == "kept" else self.under(path)
            going = [(other, list(self.objects[other])) for other in
                     sorted({path, *below}, key=lambda other: (-other.count("/"), other))]
        for other, names in going:
            for name in names:
                self.objects[other].pop(name, None)
            if not self.objects[other]:
                del self.objects[other]
            if not silent and (other == path or children == "signaled"):
                self.emit("/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved", "oas", [other, names])

    def set(self, path, interface, json, silent=False, invalidated=()):
        if interface not in self.objects.get(path, {}):
            raise ValueError(f"no {interface} at {path}")
        changed = values.properties(interface, json)
        self.objects[path][interface].update(changed)
        for name in invalidated:
            self.objects[path][interface].pop(name, None)
        if not silent:
            self.emit(path, "org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as",
                      [interface, changed, list(invalidated)])

    def change(self, path, interface, **json):
        """Changes existing properties like `set`, but signals only those whose values differ, as BlueZ does."""
        if interface not in self.objects.get(path, {}):
            return
        differing = {name: item for name, item in json.items()
                     if values.json(self.get(path, interface, name)) != item}
        if differing:
            self.set(path, interface, differing)


class Behaviour:
    """The default effect of each method. A method is `async` and returns (signature, body). It may add work for
    after the reply to `later`."""

    def __init__(self, tree, script):
        self.tree, self.script = tree, script
        self.forget_clients()

    def forget_clients(self):
        self.discovering, self.notifying, self.agents, self.filters = set(), {}, {}, {}
        self.default_agent = None
        self.connecting = {}

    def adapter_of(self, path):
        return "/".join(path.split("/")[:4])

    def need_power(self, path):
        if not self.tree.plain(self.adapter_of(path), ADAPTER, "Powered", False):
            raise Refused("NotReady", "Resource Not Ready")

    # Adapter1

    async def SetDiscoveryFilter(self, sender, path, body):
        self.filters[sender] = body[0]

    async def StartDiscovery(self, sender, path, body):
        self.need_power(path)
        if (path, sender) in self.discovering:
            raise Refused("InProgress", "Operation already in progress")
        self.discovering.add((path, sender))
        self.tree.change(path, ADAPTER, Discovering=True)
        later.get().append(self.found(path))

    async def found(self, adapter):
        for path, interfaces in self.script.get("discoverable", {}).items():
            if path.startswith(adapter + "/") and path not in self.tree.objects:
                await asyncio.sleep(0.01)
                self.tree.add(path, interfaces)

    async def StopDiscovery(self, sender, path, body):
        if (path, sender) not in self.discovering:
            raise Refused("Failed", "No discovery started")
        self.stop_discovery(path, sender)

    def stop_discovery(self, path, sender):
        self.discovering.discard((path, sender))
        if not any(where == path for where, _ in self.discovering):
            self.tree.change(path, ADAPTER, Discovering=False)

    async def RemoveDevice(self, sender, path, body):
        if body[0] not in self.tree.objects:
            raise Refused("DoesNotExist", "Does Not Exist")
        self.tree.remove(body[0])

    # Device1

    async def Connect(self, sender, path, body):
        """Replies as soon as the link is up. Services are added later."""
        self.need_power(path)
        if self.tree.plain(path, DEVICE, "Connected"):
            return
        if path in self.connecting:
            raise Refused("InProgress", "Operation already in progress")
        self.connecting[path] = cancelled = asyncio.Event()
        try:
            await asyncio.wait_for(cancelled.wait(), self.script.get("connectSeconds", 0.02))
            raise Refused("Failed", "le-connection-abort-by-local")
        except asyncio.TimeoutError:
            pass
        finally:
            self.connecting.pop(path, None)
        self.tree.change(path, DEVICE, Connected=True)
        later.get().append(self.resolve(path))

    async def resolve(self, path):
        await asyncio.sleep(self.script.get("resolveSeconds", 0.02))
        for inner, interfaces in self.script.get("services", {}).get(path, {}).items():
            if inner not in self.tree.objects:
                self.tree.add(inner, interfaces)
        if self.tree.plain(path, DEVICE, "Connected"):
            self.tree.change(path, DEVICE, ServicesResolved=True)

    async def Disconnect(self, sender, path, body):
        if path in self.connecting:
            self.connecting[path].set()
        elif not self.tree.plain(path, DEVICE, "Connected"):
            raise Refused("NotConnected", "Not Connected")
        self.link_lost(path)

    def link_lost(self, path):
        self.tree.change(path, DEVICE, ServicesResolved=False)
        self.tree.change(path, DEVICE, Connected=False)

    async def Pair(self, sender, path, body):
        if self.tree.plain(path, DEVICE, "Paired"):
            raise Refused("AlreadyExists", "Already Exists")
        if not self.tree.plain(path, DEVICE, "Connected"):
            await self.Connect(sender, path, body)
        self.tree.change(path, DEVICE, Paired=True, Bonded=True)

    async def CancelPairing(self, sender, path, body):
        raise Refused("DoesNotExist", "Does Not Exist")

    # GattCharacteristic1 and GattDescriptor1

    def need_link(self, path):
        device = "/".join(path.split("/")[:5])
        if not self.tree.plain(device, DEVICE, "Connected"):
            raise Refused("NotConnected", "Not connected")

    def interface_of(self, path):
        return CHARACTERISTIC if CHARACTERISTIC in self.tree.objects[path] else DESCRIPTOR

    async def ReadValue(self, sender, path, body):
        interface = self.interface_of(path)
        self.need_link(path)
        if interface == CHARACTERISTIC and "read" not in self.tree.plain(path, interface, "Flags", []):
            raise Refused("NotPermitted", "Read not permitted")
        return "ay", [self.tree.plain(path, interface, "Value", b"")]

    async def WriteValue(self, sender, path, body):
        self.need_link(path)
        flags = self.tree.plain(path, self.interface_of(path), "Flags", [])
        if not {"write", "write-without-response"} & set(flags):
            raise Refused("NotPermitted", "Write not permitted")

    async def StartNotify(self, sender, path, body):
        if not {"notify", "indicate"} & set(self.tree.plain(path, CHARACTERISTIC, "Flags", [])):
            raise Refused("NotSupported", "Operation is not supported")
        if self.tree.plain(path, CHARACTERISTIC, "NotifyAcquired"):
            raise Refused("NotPermitted", "Notify acquired")
        sessions = self.notifying.setdefault(path, set())
        if sender in sessions:
            raise Refused("InProgress", "In Progress")
        sessions.add(sender)                            # a session outlives the link
        self.tree.change(path, CHARACTERISTIC, Notifying=True)

    async def StopNotify(self, sender, path, body):
        if sender not in self.notifying.get(path, ()):
            raise Refused("Failed", "No notify session started")
        self.stop_notify(path, sender)

    def stop_notify(self, path, sender):
        self.notifying[path].discard(sender)
        if not self.notifying[path]:
            self.tree.change(path, CHARACTERISTIC, Notifying=False)

    # AgentManager1

    async def RegisterAgent(self, sender, path, body):
        if sender in self.agents:
            raise Refused("AlreadyExists", "Already Exists")
        self.agents[sender] = body[0]

    async def RequestDefaultAgent(self, sender, path, body):
        if self.agents.get(sender) != body[0]:
            raise Refused("DoesNotExist", "Does Not Exist")
        self.default_agent = sender

    async def UnregisterAgent(self, sender, path, body):
        if self.agents.get(sender) != body[0]:
            raise Refused("DoesNotExist", "Does Not Exist")
        del self.agents[sender]

    # The interface org.freedesktop.DBus.Properties

    def written(self, path, interface, name, item):
        """Updates other properties that change when a client writes this one."""
        self.tree.change(path, interface, **{name: values.json(item)})
        if (interface, name) == (ADAPTER, "Powered") and not item.value:
            for sender in [who for where, who in self.discovering if where == path]:
                self.stop_discovery(path, sender)
            for device in self.tree.under(path):
                self.link_lost(device)

    def client_gone(self, sender):
        for path, who in list(self.discovering):
            if who == sender:
                self.stop_discovery(path, sender)
        for path, senders in self.notifying.items():
            if sender in senders:
                self.stop_notify(path, sender)
        self.agents.pop(sender, None)
        self.filters.pop(sender, None)
