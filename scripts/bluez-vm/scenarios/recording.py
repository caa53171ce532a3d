"""hrgate record during a gateway's run: recording.py GROUP, in the guest."""
import ctypes
import json
import pathlib
import re
import signal
import socket
import struct
import subprocess
import time

from gateway import (HRGATE, IDENTITIES, OUT, STORE, Gateway, address, begin, guest, hrgate, lines, say, strap_status,
                     strapctl, until)


class Recorder:
    """Runs `hrgate record`. The initializer returns once it is listening."""

    def __init__(self, log, *words):
        self.log = pathlib.Path(log)
        self.said = OUT / f"{self.log.stem}.said"
        with open(self.said, "wb") as said:
            self.process = subprocess.Popen([HRGATE, "record", "-o", str(log), *map(str, words)],
                                            stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        until(f"{log} is recorded", lambda: self.process.poll() is not None or "recording to" in self.words(), 120)
        assert self.process.poll() is None, self.words()

    def words(self):
        return self.said.read_text()

    def stop(self, number=signal.SIGTERM):
        """Stops the recorder. Returns its counts: recorded, seen and lost packets."""
        self.process.send_signal(number)
        code = self.process.wait(60)
        if number == signal.SIGKILL:
            return None
        assert code == 0, f"hrgate record ended with {code}: {self.words()}"
        return [int(number) for number in re.findall(r"(\d+) of (\d+) packets recorded, (\d+) lost", self.words())[0]]


def records(log, growing=False):
    """Returns the drop count, flags and bytes of each record. A truncated record is an error, except at the end of a
    growing log."""
    octets, place = pathlib.Path(log).read_bytes(), 16
    assert octets[:8] == b"btsnoop\0" and struct.unpack(">II", octets[8:16]) == (1, 2001), octets[:16]
    found = []
    while place < len(octets):
        header = octets[place:place + 16]
        original, included, flags, drops = struct.unpack(">IIII", header) if len(header) == 16 else (0, 0, 0, 0)
        if len(header) < 16 or place + 24 + included > len(octets):
            assert growing, f"{log} is cut at {place}"
            break
        assert original == included, f"{log} has a record that is cut, at {place}"
        found.append((drops, flags, octets[place + 24:place + 24 + included]))
        place += 24 + included
    return found


def replayed(*logs):
    """Returns the result of a replay of the logs, which must not be damaged."""
    done = subprocess.run([HRGATE, "replay", "--dry-run", "--json", *map(str, logs)], capture_output=True, text=True,
                          timeout=150, check=False)
    assert done.returncode == 0, done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert all("damage" not in line for line in told), told
    return told


def stored(*logs):
    """Returns the samples that a replay of the logs stores, each with its UUID and times."""
    place = pathlib.Path("/root/again.sqlite")
    for name in pathlib.Path("/root").glob("again.sqlite*"):
        name.unlink()
    subprocess.run([HRGATE, "replay", "--store", str(place), *map(str, logs)], capture_output=True, timeout=150, check=True)
    return [lines("samples", "--type", kind, "--store", str(place)) for kind in ("heartRate", "heartbeatSeries")]


def little_endian(text):
    return bytes.fromhex(text.replace(":", ""))[::-1]


def keys():
    """Returns the keys that bluetoothd stores."""
    found = [bytes.fromhex(key) for info in pathlib.Path("/var/lib/bluetooth").glob("*/*/info")
             for key in re.findall(r"^Key=([0-9A-F]{32})$", info.read_text(), re.M)]
    assert found, "nothing is bonded"
    return found


def shout(count):
    """Sends messages to the kernel's HCI monitor channel, at full speed, like a program that logs to it."""
    libc, logging = ctypes.CDLL(None, use_errno=True), 4
    with socket.socket(31, socket.SOCK_RAW, 1) as channel:
        name = struct.pack("<HHH", 31, 0xFFFF, logging)
        assert libc.bind(channel.fileno(), name, len(name)) == 0, ctypes.get_errno()
        body = bytes([6, 5]) + b"test\0" + b"no listener  \0"
        for _ in range(count):
            channel.send(struct.pack("<HHH", 0, 0xFFFF, len(body)) + body)


def record():
    """Strap 0 is paired, recorded and followed. Strap 1 is a strap of another store, which must not be in the log."""
    refused = hrgate("record", "--all", "-o", "/tmp/none.log", status=1, user="nobody").stderr
    assert "CAP_NET_RAW" in refused and len(refused.strip().splitlines()) == 1, refused
    say("without the permission to see packets: an error with one sentence")
    whole, open_keys = Recorder("/root/all.btsnoop", "--all"), Recorder("/root/keys.btsnoop", "--all", "--keys")
    paired, = lines("pair", address(0))
    assert paired["bonded"], paired
    strap = Recorder(OUT / "strap.btsnoop", "--store", STORE)
    rotated = Recorder("/root/parts.btsnoop", "--store", STORE, "--rotate-size", "4K")
    killed = Recorder("/root/killed.btsnoop", "--store", STORE)
    gateway = Gateway()
    gateway.measures(0)
    time.sleep(6)
    sent = strap_status(0)["sent"]
    time.sleep(2)
    killed.stop(signal.SIGKILL)
    log, = replayed("/root/killed.btsnoop")
    assert log["notifications"] >= sent, (log, sent)
    say(f"after kill -9 the log is complete: {log['notifications']} measurements of {sent}")
    lines("pair", address(1), "--no-bond", "--store", "/root/other.sqlite")
    mark = gateway.mark()
    strapctl("drop", 0)
    gateway.reaches(0, "following", mark)
    gateway.measures(0)
    time.sleep(6)
    end = gateway.stop()
    (recorded, seen, lost), everything = strap.stop(signal.SIGINT), whole.stop()
    rotated.stop()
    open_keys.stop()
    assert lost == 0 and recorded < seen and everything[0] == everything[1], (recorded, seen, lost, everything)
    say(f"{recorded} of {seen} packets belong to the strap")
    octets = (OUT / "strap.btsnoop").read_bytes()
    assert little_endian(address(0)) in octets and little_endian(address(1)) not in octets, "a stranger is in the log"
    assert little_endian(address(1)) in pathlib.Path("/root/all.btsnoop").read_bytes()
    log, = replayed(OUT / "strap.btsnoop")
    assert [monitor["address"] for monitor in log["monitors"]] == [address(0)], log
    assert log["measurements"] >= end["measurements"], (log, end)
    say("the log has only the strap, and a replay identifies it")
    has = {name: any(key in pathlib.Path(f"/root/{name}.btsnoop").read_bytes() for key in keys())
           for name in ("all", "keys")}
    has["strap"] = any(key in octets for key in keys())
    assert has == {"all": False, "keys": True, "strap": False}, has
    say("only the log with --keys has the keys of the bond")
    parts = sorted(pathlib.Path("/root").glob("parts-*.btsnoop"))
    assert len(parts) > 1 and not pathlib.Path("/root/parts.btsnoop").exists(), parts
    told = replayed(*parts)
    assert sum(part["measurements"] for part in told) == log["measurements"], (told, log)
    assert stored(*parts) == stored(OUT / "strap.btsnoop"), "the parts give other samples than the one log"
    say(f"{len(parts)} parts have the same samples as one log, with the same identities")
    modes = {oct(path.stat().st_mode & 0o777) for path in [*parts, pathlib.Path("/root/all.btsnoop")]}
    assert modes == {"0o600"}, modes
    there = hrgate("record", "--all", "-o", "/root/all.btsnoop", "--store", STORE, status=1).stderr
    assert "is not overwritten" in there, there
    losing()
    full_disk()


def losing():
    recorder = Recorder("/root/losing.btsnoop", "--all")
    recorder.process.send_signal(signal.SIGSTOP)
    shout(30_000)
    recorder.process.send_signal(signal.SIGCONT)
    # After the queued packets, `shout` makes the recorder write one more record. It contains the
    # number of packets that were lost before it.
    until("what was kept is read", lambda: len(records("/root/losing.btsnoop", growing=True)) > 1000, 60)
    shout(1)
    time.sleep(1)
    recorded, seen, lost = recorder.stop()
    drops = [drops for drops, _, _ in records("/root/losing.btsnoop")]
    assert lost > 1000 and drops[-1] == lost and sorted(drops) == drops, (lost, drops[-1])
    assert seen + lost >= 30_001, (seen, lost)
    say(f"{lost} packets are lost while the recorder was stopped, and the log says so")


def full_disk():
    small = pathlib.Path("/root/small")
    small.mkdir()
    guest("mount", "-t", "tmpfs", "-o", "size=64k", "small", small)
    recorder = Recorder(small / "full.btsnoop", "--all")
    shout(3000)
    code = recorder.process.wait(60)
    assert code == 1 and "No space left" in recorder.words(), (code, recorder.words())
    kept = records(small / "full.btsnoop")
    assert len(kept) > 100, len(kept)
    say(f"on a full disk it ends with the reason, and {len(kept)} complete records are kept")


def private():
    now = strap_status(0)
    assert now["address"] != now["identity"] == address(0), now
    IDENTITIES[0] = now["identity"]
    paired, = lines("pair", now["address"])
    assert paired["address"] == address(0), paired
    first = Recorder("/root/first.btsnoop", "--store", STORE)
    gateway = Gateway()
    gateway.measures(0)
    time.sleep(4)
    # Start a second recorder while the link is up, so that its log does not have the beginning of the link.
    second = Recorder("/root/second.btsnoop", "--store", STORE)
    time.sleep(6)
    gateway.stop()
    first.stop()
    second.stop()
    log, = replayed(first.log)
    assert [monitor["address"] for monitor in log["monitors"]] == [address(0)] and log["measurements"] > 5, log
    say(f"a link to a private address is recorded by the strap's identity: {log['measurements']} measurements")
    log, = replayed(second.log)
    # The log has the strap's address, but not its connection handle, which is only in the packet at the beginning of a
    # link.
    lost, = log["unresolved"]
    assert lost["peer"] == address(0) and lost["plausible"] == log["notifications"] > 5, log
    named, = replayed("--measurement-handle", lost["handle"], second.log)
    assert [monitor["address"] for monitor in named["monitors"]] == [address(0)], named
    assert named["measurements"] == log["notifications"], (named, log)
    say(f"so is a link that existed before, once its handle is specified: {named['measurements']} measurements")


begin({"record": record, "private": private})
