"""Faults of the machine itself, through QEMU's monitor: its power is cut, it is paused, its disk is slow."""
import asyncio
import json
import os
import signal
import socket
import struct


class Machine:
    def __init__(self, path):
        self.path, self.running = path, set()

    async def ask(self, command, **arguments):
        """Sends one command over a new connection. Returns QEMU's reply."""
        reader, writer = await asyncio.open_unix_connection(self.path)
        try:
            await reader.readline()                     # the greeting
            for one, given in (("qmp_capabilities", {}), (command, arguments)):
                writer.write(json.dumps({"execute": one, "arguments": given}).encode() + b"\n")
                await writer.drain()
                while "event" in (answer := json.loads(await reader.readline())):
                    pass
                if "error" in answer:
                    raise RuntimeError(answer["error"]["desc"])
            return answer["return"]
        finally:
            writer.close()

    def process(self):
        with socket.socket(socket.AF_UNIX) as other:
            other.connect(self.path)
            credentials = other.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return struct.unpack("3i", credentials)[0]

    def after(self, seconds, work):
        """Runs the work after a delay, so that the guest first gets the reply to its command."""
        async def run():
            await asyncio.sleep(float(seconds))
            await work()
        task = asyncio.ensure_future(run())
        self.running.add(task)
        task.add_done_callback(self.running.discard)

    async def cut(self, seconds):
        """Cuts the power by killing QEMU, because the command `quit` would flush the disk."""
        process = self.process()

        async def kill():
            os.kill(process, signal.SIGKILL)
        self.after(seconds, kill)

    async def stand_still(self, seconds):
        async def pause():
            await self.ask("stop")
            await asyncio.sleep(float(seconds))
            await self.ask("cont")
        self.after(0.2, pause)

    async def disk(self, octets):
        """Limits disk writes to this number of bytes a second; 0: no limit."""
        none = dict.fromkeys(("bps", "bps_rd", "iops", "iops_rd", "iops_wr"), 0)
        await self.ask("block_set_io_throttle", id="/machine/peripheral/disk/virtio-backend", bps_wr=int(octets), **none)

    WORDS = {"cut": cut, "stand-still": stand_still, "disk": disk}
