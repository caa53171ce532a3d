#!/usr/bin/env python3
"""An org.bluez on a private bus that follows a test's orders, for behavior that the real one does not show on demand.

  scripted_bluez.py --start-bus DIRECTORY [--tree FILE]     starts a dbus-daemon too, at DIRECTORY/bus
  scripted_bluez.py --bus ADDRESS [--tree FILE]

FILE is JSON: {"objects": {PATH: {INTERFACE: {PROPERTY: VALUE}}},
  "discoverable": the same, objects that appear some time after StartDiscovery,
  "services": {DEVICE PATH: the same, objects that appear after Connect has replied},
  "connectSeconds": 0.02, "resolveSeconds": 0.02}

Standard output, JSON lines: {"event":"ready","address":…}; {"event":"call","n","sender","path","interface","member",
"args"} for every method call that comes in, {"event":"reply","n","error"} when it is answered; {"event":"agent",…} for
what an agent answered; {"event":"client-gone"}; {"event":"done","id":…} or {"event":"failed","id","reason"} for each
line of standard input. When standard input ends, so does this program (and its bus).

Standard input, JSON lines {"do": VERB, "id": any, …}:
  add path interfaces [silent]                 the object, and InterfacesAdded
  remove path [interfaces] [children: signaled|silent|kept] [silent]
  set path interface properties [invalidated] [silent]
  notify path values: [HEX…]                   each as PropertiesChanged(Value), by a characteristic
  link-lost path                               ServicesResolved and Connected become false
  emit path interface member [signature body]  any signal
  reply method [path] …                        the next call of this method (member, or interface.member; several wait
                                               in line), one or more of: error [message] | value signature | delay S |
                                               never | before: [verbs…] | after: [verbs…] | times N | plain: true
                                               (without the method's own effects). `before` runs before the reply.
  agent method [device args signature] [expect VALUE]   calls the agent (during a call: its caller's). What the agent
                                               refuses becomes the error of the call it is `before` of.
  application [sender]                         GetManagedObjects of what RegisterApplication brought, again
  release-name | request-name                  the name's owner goes, comes
  restart [tree: {…}]                          a new connection, so a new owner, that knows nothing of its clients
  stop-bus | start-bus                         only with --start-bus; the address stays
  sleep seconds | ping | quit"""
import argparse
import asyncio
import json
import pathlib
import signal
import sys

from dbus_fast import Message, MessageType, RequestNameReply
from dbus_fast.aio import MessageBus

import scripted_values as values
from scripted_objects import CHARACTERISTIC, DEVICE, Behaviour, Refused, Tree, later

PROPERTIES, MANAGER = "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.ObjectManager"
UNKNOWN = "org.freedesktop.DBus.Error.Unknown"
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><listen>unix:path={path}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
<allow user="*"/></policy></busconfig>"""
# The methods that the script answers. Each has a function of its name in the class Behaviour, except those of
# GattManager1.
METHODS = {
    "org.bluez.Adapter1": "StartDiscovery StopDiscovery SetDiscoveryFilter RemoveDevice",
    "org.bluez.Device1": "Connect Disconnect Pair CancelPairing",
    "org.bluez.GattCharacteristic1": "ReadValue WriteValue StartNotify StopNotify",
    "org.bluez.GattDescriptor1": "ReadValue WriteValue",
    "org.bluez.AgentManager1": "RegisterAgent RequestDefaultAgent UnregisterAgent",
    "org.bluez.GattManager1": "RegisterApplication UnregisterApplication",
}


def say(**event):
    print(json.dumps(event), flush=True)


class PrivateBus:
    def __init__(self, directory):
        self.path = pathlib.Path(directory).resolve() / "bus"
        self.address, self.process = f"unix:path={self.path}", None

    async def start(self):
        config = self.path.with_name("bus.conf")
        config.write_text(BUS.format(path=self.path))
        self.path.unlink(missing_ok=True)
        with self.path.with_name("bus.log").open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                "dbus-daemon", f"--config-file={config}", "--nofork", "--nopidfile", "--nosyslog",
                stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log)
        while not await self.listens():
            if self.process.returncode is not None:
                raise RuntimeError("dbus-daemon ended at once: see bus.log")
            await asyncio.sleep(0.01)

    async def listens(self):
        """Waits until the server listens on its socket. The socket's file exists a little earlier."""
        try:
            _, writer = await asyncio.open_unix_connection(str(self.path))
        except (FileNotFoundError, ConnectionRefusedError):
            return False
        writer.close()
        return True

    async def stop(self):
        if self.process and self.process.returncode is None:
            self.process.kill()
            await self.process.wait()


class Service:
    def __init__(self, bus, address, script):
        self.private, self.address, self.script = bus, address, script
        self.orders, self.applications, self.tasks, self.number = [], {}, set(), 0
        self.connection = None

    async def open(self):
        self.tree = Tree(self.emit)
        self.behaviour = Behaviour(self.tree, self.script)
        for path, interfaces in self.script.get("objects", {}).items():
            self.tree.add(path, interfaces, silent=True)
        self.tree.objects.setdefault("/org/bluez", {}).setdefault("org.bluez.AgentManager1", {})
        for path, interfaces in self.tree.objects.items():
            if "org.bluez.Adapter1" in interfaces:
                interfaces.setdefault("org.bluez.GattManager1", {})
        self.connection = await MessageBus(bus_address=self.address).connect()
        self.connection.add_message_handler(self.incoming)
        await self.bus_call("AddMatch", "s", [
            "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg2=''"])
        await self.own()

    async def own(self):
        if await self.connection.request_name("org.bluez") is not RequestNameReply.PRIMARY_OWNER:
            raise RuntimeError("org.bluez has an owner already")

    def close(self):
        for task in list(self.tasks):
            task.cancel()
        if self.connection:
            self.connection.disconnect()

    async def bus_call(self, member, signature, body):
        return await self.connection.call(Message(
            destination="org.freedesktop.DBus", path="/org/freedesktop/DBus", interface="org.freedesktop.DBus",
            member=member, signature=signature, body=body))

    def send(self, message):
        try:
            self.connection.send(message)
        except OSError:     # the bus has ended, and with it the client
            pass

    def emit(self, path, interface, member, signature="", body=()):
        if self.connection:
            self.send(Message(message_type=MessageType.SIGNAL, path=path, interface=interface,
                              member=member, signature=signature, body=list(body)))

    def start(self, coroutine):
        task = asyncio.ensure_future(coroutine)         # kept, because asyncio itself keeps only weak references to tasks
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    # Method calls from clients

    def incoming(self, message):
        if message.message_type is MessageType.SIGNAL and message.member == "NameOwnerChanged":
            name, _, owner = message.body
            if name.startswith(":") and not owner:
                self.behaviour.client_gone(name)
                say(event="client-gone", sender=name)
            return None
        if message.message_type is not MessageType.METHOD_CALL:
            return None
        self.number += 1
        say(event="call", n=self.number, sender=message.sender, path=message.path, interface=message.interface,
            member=message.member, args=values.json(message.body))
        self.start(self.answer(message, self.number))
        return True

    def order(self, message):
        for order in self.orders:
            if (order["method"] in (message.member, f"{message.interface}.{message.member}")
                    and order.get("path", message.path) == message.path):
                order["times"] = order.get("times", 1) - 1
                if order["times"] == 0:
                    self.orders.remove(order)
                return order
        return {}

    async def answer(self, message, number):
        order, error = self.order(message), None
        if order.get("never"):
            return
        later.set(work := [])
        try:
            await asyncio.sleep(order.get("delay", 0))
            for verb in order.get("before", []):
                await self.obey(verb, message.sender, message.path)
            if "error" in order:
                raise Refused(order["error"], order.get("message", ""))
            result = ("", [])
            if not order.get("plain"):
                result = await self.perform(message) or result
            if "signature" in order:
                result = (order["signature"], [values.value(order["signature"], order["value"])])
            reply = Message.new_method_return(message, *result)
        except Refused as refused:
            error = refused.name
            reply = Message.new_error(message, refused.name, refused.text)
        except Exception as fault:                      # an error of this script, which the test has to see
            error = "scripted.Fault"
            reply = Message.new_error(message, error, repr(fault))
        self.send(reply)
        say(event="reply", n=number, member=message.member, error=error)
        for coroutine in work:
            self.start(coroutine)
        for verb in order.get("after", []):
            await self.obey(verb, message.sender, message.path)

    async def perform(self, message):
        interface, member, path, body = message.interface, message.member, message.path, message.body
        if interface == MANAGER and member == "GetManagedObjects" and path == "/":
            return "a{oa{sa{sv}}}", [self.tree.objects]
        if path not in self.tree.objects:
            raise Refused(UNKNOWN + "Object", f'Method "{member}" on interface "{interface}" doesn\'t exist')
        if interface == PROPERTIES:
            return self.property(path, member, body)
        if interface not in self.tree.objects[path] or member not in METHODS.get(interface, "").split():
            raise Refused(UNKNOWN + "Method", f'Method "{member}" on interface "{interface}" doesn\'t exist')
        if interface == "org.bluez.GattManager1":
            return await self.application(member, message.sender, body)
        return await getattr(self.behaviour, member)(message.sender, path, body)

    def property(self, path, member, body):
        held = self.tree.objects[path].get(body[0])
        if held is None:
            raise Refused("org.freedesktop.DBus.Error.InvalidArgs", f"No such interface '{body[0]}'")
        if member == "GetAll":
            return "a{sv}", [held]
        if body[1] not in held:
            raise Refused("org.freedesktop.DBus.Error.InvalidArgs", f"No such property '{body[1]}'")
        if member == "Get":
            return "v", [held[body[1]]]
        self.behaviour.written(path, body[0], body[1], body[2])
        return None

    async def application(self, member, sender, body):
        if member == "UnregisterApplication":
            if self.applications.pop((sender, body[0]), None) is None:
                raise Refused("DoesNotExist", "Does Not Exist")
            return None
        reply = await self.call_client(sender, body[0], MANAGER, "GetManagedObjects")
        objects = values.json(reply.body[0])
        say(event="application", sender=sender, path=body[0], objects=objects)
        if not objects:
            raise Refused("Failed", "No object received")
        self.applications[sender, body[0]] = objects
        return None

    async def call_client(self, sender, path, interface, member, signature="", body=()):
        reply = await asyncio.wait_for(self.connection.call(Message(
            destination=sender, path=path, interface=interface, member=member, signature=signature,
            body=list(body))), 60)
        if reply.message_type is MessageType.ERROR:
            raise Refused(reply.error_name, str(reply.body[0]) if reply.body else "")
        return reply

    async def agent(self, verb, sender, path):
        """Calls the agent, and applies its answer to the pairing."""
        sender = sender if sender in self.behaviour.agents else self.behaviour.default_agent
        if sender not in self.behaviour.agents:
            raise Refused("AuthenticationFailed", "Authentication Failed")
        method = verb["method"]
        kinds = {"RequestPasskey": "o", "RequestPinCode": "o", "RequestAuthorization": "o", "DisplayPasskey": "ouq",
                 "RequestConfirmation": "ou", "DisplayPinCode": "os", "AuthorizeService": "os", "Cancel": "",
                 "Release": ""}
        signature = verb.get("signature", kinds.get(method, ""))
        body = ([verb.get("device", path)] if signature.startswith("o") else []) + verb.get("args", [])
        try:
            reply = await self.call_client(sender, self.behaviour.agents[sender], "org.bluez.Agent1", method,
                                           signature, body)
        except Refused as refused:
            say(event="agent", method=method, error=refused.name)
            kind = "Canceled" if refused.name.endswith("Canceled") else "Rejected"
            raise Refused(f"Authentication{kind}", f"Authentication {kind}") from None
        answer = values.json(reply.body)
        say(event="agent", method=method, answer=answer)
        if "expect" in verb and answer != [verb["expect"]]:
            raise Refused("AuthenticationFailed", "Authentication Failed")

    # Orders from the test

    async def obey(self, verb, sender=None, path=None):
        do, at = verb["do"], verb.get("path", path)
        if do == "add":
            self.tree.add(at, verb["interfaces"], verb.get("silent", False))
        elif do == "remove":
            self.tree.remove(at, verb.get("interfaces"), verb.get("children", "signaled"), verb.get("silent", False))
        elif do == "set":
            self.tree.set(at, verb["interface"], verb["properties"], verb.get("silent", False),
                          verb.get("invalidated", ()))
        elif do == "notify":
            for value in verb["values"]:
                self.tree.set(at, CHARACTERISTIC, {"Value": value})
        elif do == "link-lost":
            if DEVICE not in self.tree.objects.get(at, {}):
                raise ValueError(f"no device {at}")
            self.behaviour.link_lost(at)
        elif do == "emit":
            signature = verb.get("signature", "")
            self.emit(at, verb["interface"], verb["member"], signature, verb.get("body", []))
        elif do == "reply":
            self.orders.append(dict(verb))
        elif do == "agent":
            await self.agent(verb, sender, path)
        elif do == "application":
            for (owner, root) in list(self.applications):
                if verb.get("sender", owner) == owner:
                    await self.application("RegisterApplication", owner, [root])
        elif do == "release-name":
            await self.connection.release_name("org.bluez")
        elif do == "request-name":
            await self.own()
        elif do in ("restart", "start-bus"):
            if do == "start-bus":
                await self.private.start()
            self.close()
            self.script = verb.get("tree", self.script)
            self.applications.clear()
            await self.open()
        elif do == "stop-bus":
            self.close()
            await self.private.stop()
        elif do == "sleep":
            await asyncio.sleep(verb["seconds"])
        elif do != "ping":
            raise ValueError(f"unknown verb {do}")


async def lines():
    reader = asyncio.StreamReader(limit=1 << 24)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        if line.strip():
            yield line


async def main(options):
    script = json.loads(pathlib.Path(options.tree).read_text()) if options.tree else {}
    private = PrivateBus(options.start_bus) if options.start_bus else None
    try:
        if private:
            await private.start()
        service = Service(private, private.address if private else options.bus, script)
        await service.open()
        say(event="ready", address=service.address)
        async for line in lines():
            verb = {}
            try:
                verb = json.loads(line)
                if verb.get("do") == "quit":
                    break
                await service.obey(verb)
                say(event="done", id=verb.get("id"))
            except Exception as fault:
                say(event="failed", id=verb.get("id") if isinstance(verb, dict) else None, reason=repr(fault))
        service.close()
    finally:
        if private:
            await private.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--bus", metavar="ADDRESS")
    where.add_argument("--start-bus", metavar="DIRECTORY")
    parser.add_argument("--tree", metavar="FILE")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    asyncio.run(main(parser.parse_args()))
