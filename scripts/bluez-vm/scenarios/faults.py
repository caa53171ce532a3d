"""Each fault separately, while `hrgate run` is running: faults.py GROUP, in the guest.

faults.jsonl has what the user saw of each fault and how long the recovery took, for the table in the documentation."""
import itertools
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import compare_trace as compared  # noqa: E402
from gateway import OUT, Gateway, address, begin, guest, hrgate, lines, say, strap_status, strapctl, trace, until
from pace import Endings

LONG = os.environ.get("HRGATE_LONG") == "1"
# The number of rounds of short links. In each round, each of two monitors has at least two short links.
ROUNDS = 12


class Faults:
    def __init__(self, gateway):
        self.gateway, self.lock = gateway, threading.Lock()

    def suffer(self, fault, index, hurt, mend=None, shows=None, during=0.0, lasts=None, seconds=120.0, also=()):
        """Causes a fault, waits for the state `shows` and for `during` seconds, ends it, and waits until the strap
        is followed again.

        `also`: pairs (index, name) of another strap that the fault affects, and the name of its row in the table.
        `lasts`: the fault ends on its own after this number of seconds. The recovery time is counted from the end of
        the fault, or from its beginning if it is not ended."""
        gateway = self.gateway
        gateway.measures(index)
        mark, began, begun = gateway.mark(), time.time(), time.monotonic()
        hurt()
        seen = gateway.reaches(index, shows, mark, seconds) if shows else {}
        mended, again = began, gateway.events.index(seen) if seen else mark
        if mend or lasts:
            time.sleep(max(0.0, begun + lasts - time.monotonic()) if lasts else during)
            mended, again = time.time(), gateway.mark()
        if mend:
            mend()
        gateway.reaches(index, "following", again, seconds)
        for other, name in also:
            gateway.reaches(other, "following", again, seconds)
            self.keep(name, other, mark, began, mended, seen.get("advice"))
        return self.keep(fault, index, mark, began, mended, seen.get("advice"))

    def keep(self, fault, index, mark, began, mended, advice=None):
        """Writes a row of the table of faults. `account` later adds the time of the first frame that was stored
        again."""
        self.gateway.measures(index)
        states = [event["state"] for event in self.gateway.states(index, mark)]
        row = {"fault": fault, "monitor": address(index), "states": states, "advice": advice, "began": began,
               "mended": mended, "ended": time.time()}
        with self.lock, open(OUT / "faults.jsonl", "a") as table:
            print(json.dumps(row), file=table)
        say(f"{fault}: {' → '.join(states)}")
        return states


def together(*works):
    """Runs each function on a thread of its own, and raises the first error."""
    failures = []

    def run(work):
        try:
            work()
        except Exception as failure:
            failures.append(failure)
    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def enrol(*indices, bonded=()):
    for index in indices:
        lines("pair", address(index), *(() if index in bonded else ("--no-bond",)))


def started(*indices, bonded=()):
    enrol(*indices, bonded=bonded)
    gateway = Gateway()
    gateway.measures(*indices)
    return gateway, Faults(gateway)


def account_of(end):
    assert end["measurements"] == end["storedHeartRates"] + end["duplicates"] + end["rejectedTotal"], end
    say(f"{end['measurements']} measurements: {end['storedHeartRates']} stored, {end['duplicates']} duplicates, "
        f"{end['rejectedTotal']} rejected")


def link():
    gateway, faults = started(0, 1)
    away, closing = (60, 20) if LONG else (8, 12)

    def of_links():
        faults.suffer("the link is lost (interference)", 0, lambda: strapctl("drop", 0))
        faults.suffer("the monitor closes the link", 0, lambda: strapctl("disconnect", 0))
        time.sleep(12)              # a link that lasts, so that the retry delays are reset
        mark, began = gateway.mark(), time.monotonic()
        faults.suffer(f"the monitor closes each link at once, for {closing} s", 0,
                      lambda: (strapctl("disconnect-after", 0, 0.05), strapctl("drop", 0)),
                      lambda: strapctl("disconnect-after", 0, "none"), shows="away", during=closing)
        links = sum(event["state"] == "resolving" for event in gateway.states(0, mark))
        rests = sum("as soon as it begins" in (event.get("detail") or "") for event in gateway.states(0, mark))
        seconds = time.monotonic() - began
        say(f"{links} links in {seconds:.0f} s, {rests} pauses")
        # The gateway makes at most two links a second, and up to six more because its first retries are quicker.
        assert 4 <= links <= 2 * seconds + 6 and rests >= 1, (links, seconds, rests)
        faults.suffer(f"the monitor is away for {away} s", 0, lambda: strapctl("away", 0), lambda: strapctl("back", 0),
                      shows="away", during=away)

    def of_silence():
        mark = gateway.mark()
        strapctl("freeze", 1, 3)
        time.sleep(5)
        assert not gateway.states(1, mark), gateway.states(1, mark)
        say("frozen for 3 s: no state is reported")
        faults.suffer("the monitor measures nothing for 10 s, link up", 1, lambda: strapctl("mute", 1),
                      lambda: strapctl("unmute", 1), shows="silent", during=5)
        faults.suffer("the monitor answers nothing for 25 s", 1, lambda: strapctl("freeze", 1, 25), shows="silent",
                      lasts=25)
    together(of_links, of_silence)
    account_of(gateway.stop())


def timing():
    gateway, faults = started(0, 1, 2, bonded=(2,))

    def of_ages():
        # On a slow machine the measured duration of a link may be wrong, so allow time until three consecutive links
        # are recognized as ending after 30 s.
        faults.suffer("each link ends after 30 s", 0, lambda: (strapctl("disconnect-after", 0, 30), strapctl("drop", 0)),
                      lambda: strapctl("disconnect-after", 0, "none"), shows="timing-refused", seconds=700)
        told = [event for event in gateway.states(0) if event["state"] == "timing-refused"]
        assert all("after 30 s" in event["detail"] and "MaxConnectionInterval" in event["advice"] for event in told), told
        say(f"timing-refused: {told[0]['detail']}")

    def of_encryption():
        links = len(trace(1, "connected"))
        time.sleep(30)
        mark = gateway.mark()
        strapctl("ask", 1)
        # Without a registered agent the kernel reports that pairing is not supported.
        until("the strap has its answer", lambda: trace(1, "encryption") or trace(1, "pairing-failed"), 120)
        gateway.measures(1)
        assert len(trace(1, "connected")) == links and not gateway.states(1, mark), gateway.states(1, mark)
        answers = [event["reason"] for event in trace(1, "pairing-failed")]
        say(f"a strap without a bond that requests encryption is rejected ({answers}), and continues to measure")
        faults.suffer("the link is lost of a strap that has wanted it encrypted", 1, lambda: strapctl("drop", 1))

    def of_encryption_with_a_bond():
        links = len(trace(2, "connected"))
        assert strap_status(2)["encrypted"], strap_status(2)
        time.sleep(30)
        mark = gateway.mark()
        strapctl("ask", 2)
        # Wait for the effects of the encryption request, and then for new measurements.
        time.sleep(5)
        gateway.measures(2)
        assert len(trace(2, "connected")) == links and not gateway.states(2, mark), gateway.states(2, mark)
        assert strap_status(2)["encrypted"] and not trace(2, "pairing-failed"), trace(2, "pairing-failed")
        say("the link of a bonded strap that requests encryption is already encrypted, and it continues to measure")
        faults.suffer("the link is lost of a bonded strap that has wanted it encrypted", 2, lambda: strapctl("drop", 2))
    together(of_ages, of_encryption, of_encryption_with_a_bond)
    account_of(gateway.stop())


def bond():
    # Strap 1 has the same fault as strap 0, but with a bond. It is tested only in the long run.
    gateway, faults = started(*((0, 1, 2) if LONG else (0, 2)), bonded=(1, 2))
    faults.suffer("other attributes than remembered, no bond", 0,
                  lambda: (strapctl("reshape", 0, "swap"), strapctl("drop", 0)), shows="stale-cache")
    begun, mark = len(trace(2, "connected")), gateway.mark()

    def lose():
        strapctl("forget", 2)
        strapctl("drop", 2)

    faults.suffer("the monitor has lost the bond; paired again 10 s later", 2, lose,
                  lambda: lines("pair", address(2)), shows="bond-lost", during=10)
    told = sum(event["state"] == "bond-lost" for event in gateway.states(2, mark))
    connects = len(trace(2, "connected")) - begun
    say(f"bond lost: reported {told} times, {connects} connections until paired again")
    # Allow about ten connections until the gateway has detected the lost bond, and about ten while pairing tries the
    # old bond.
    assert told <= 2 and connects <= 30, (told, connects)

    def forget_and_pair():
        hrgate("forget", address(1))
        lines("pair", address(1))
    if LONG:
        faults.suffer("other attributes than remembered, bonded; forgotten and paired again", 1,
                      lambda: (strapctl("reshape", 1, "swap"), strapctl("drop", 1)), forget_and_pair, shows="stale-cache")
    account_of(gateway.stop())


def short():
    """Links of 0.1 to 1 s. Many drop while bluetoothd enables notifications again (FollowingMachine+subscribing)."""
    gateway, _ = started(0, 1, bonded=(1,))
    silent = 0
    for number in range(ROUNDS):
        mark = gateway.mark()
        ended = [len(trace(index, "disconnected")) for index in (0, 1)]
        strapctl("disconnect-after", "all", "0.1-1")
        strapctl("drop", "all")
        # Wait for the disconnect by `drop`, and at least two short links of each monitor.
        until("short links", lambda ended=ended: all(
            len(trace(index, "disconnected")) >= ended[index] + 3 for index in (0, 1)), 150)
        strapctl("disconnect-after", "all", "none")
        # A link that began while the links were limited to 1 s may still end early. Wait until both links
        # have lasted for 2 s.
        until("links that last", lambda: all(
            strap_status(index)["connected"] and trace(index, "connected")[-1]["time"] + 2 < float(strapctl("time"))
            for index in (0, 1)), 150)
        gateway.measures(0, 1)
        silent += any(event["state"] == "silent" for index in (0, 1) for event in gateway.states(index, mark))
    links = [end["time"] - start["time"] for index in (0, 1)
             for start, end in zip(trace(index, "connected"), trace(index, "disconnected"))]
    short_ones = sum(length < 1.5 for length in links)
    say(f"{short_ones} links of at most a second in {ROUNDS} rounds; silence in {silent} rounds")
    assert short_ones >= 4 * ROUNDS, links
    # Without StartNotify at each ServicesResolved, three of four rounds ended in five seconds of silence.
    assert silent <= ROUNDS / 4, f"a monitor was silent in {silent} of {ROUNDS} rounds"
    account_of(gateway.stop())


def host():
    gateway, faults = started(0, 1, bonded=(1,))
    daemon(gateway, faults)
    adapter(gateway, faults)
    account_of(gateway.stop())


def daemon(gateway, faults):
    stopped = "bluetoothd is stopped, and started 3 s later"
    faults.suffer(stopped, 0, lambda: guest("bluetoothd-stop"), lambda: guest("bluetoothd-start"), shows="bluetoothd-absent",
                  during=3, also=[(1, stopped + ", bonded")])
    gateway.measures(0, 1)
    faults.suffer("bluetoothd is killed, and started", 0, lambda: guest("bluetoothd-kill"),
                  lambda: guest("bluetoothd-start"), shows="bluetoothd-absent")
    gateway.measures(0, 1)
    faults.suffer("the D-Bus daemon is restarted, and bluetoothd with it", 0, lambda: guest("dbus-stop"),
                  lambda: guest("dbus-restart"), shows="bus-absent", during=2)
    gateway.measures(0, 1)


def stopped():
    gateway, faults = started(0, 1)
    process = int(guest("bluetoothd-pid"))
    time.sleep(10)                  # long enough to determine the monitors' pace
    states = faults.suffer("bluetoothd stands still for half a minute", 0, lambda: os.kill(process, signal.SIGSTOP),
                           lambda: os.kill(process, signal.SIGCONT), shows="bluetoothd-unresponsive", during=22)
    time.sleep(15)                  # an earlier Disconnect would have an effect by then
    assert not {"silent", "frozen", "away"} & set(states), states
    assert gateway.state(0) == "following" and gateway.state(1) == "following", gateway.states(0)
    os.kill(process, signal.SIGSTOP)    # too short for a ping, but the values show it
    time.sleep(4)
    os.kill(process, signal.SIGCONT)
    time.sleep(10)
    end = gateway.stop()
    account_of(end)
    say(f"delayed: {end['anomalies'].get('delayed', 0)}")
    assert end["anomalies"].get("delayed", 0) > 20, end["anomalies"]


def adapter(gateway, faults):
    faults.suffer("the adapter is switched off, and on", 0, lambda: guest("adapter-power", "off"),
                  lambda: guest("adapter-power", "on"), shows="adapter-off", during=3)
    gateway.measures(0, 1)
    faults.suffer("rfkill blocks, and lifts it", 0, lambda: guest("rfkill-block"),
                  lambda: guest("rfkill-unblock"), shows="adapter-off", during=3)
    gateway.measures(0, 1)
    faults.suffer("the adapter is unplugged, and plugged in", 0, lambda: guest("adapter-remove", 0),
                  lambda: guest("adapter-add", 0), shows="adapter-absent", during=3)
    gateway.measures(0, 1)


def adapters():
    first = ("--adapter", "00:1B:DC:0A:0B:01")
    lines("pair", address(0), "--no-bond", *first)
    lines("pair", address(1), *first)
    gateway = Gateway()
    faults = Faults(gateway)
    gateway.measures(0, 1)
    mark, began = gateway.mark(), time.time()
    faults.suffer("one of two adapters is unplugged: the other takes over, no bond", 0,
                  lambda: guest("adapter-remove", 0))
    by = [event["adapter"] for event in gateway.states(0, mark) if event["state"] == "following"]
    assert by == ["00:1B:DC:0A:0B:02"], by
    time.sleep(15)
    state = gateway.state(1)
    assert state != "following", "the bonded monitor is followed by an adapter that has no bond with it"
    mended, again = time.time(), gateway.mark()
    guest("adapter-add", 0)
    gateway.reaches(1, "following", again, 120)
    say(f"a bonded monitor is {state} until its adapter is back")
    faults.keep("one of two adapters is unplugged, and plugged in; a bond", 1, mark, began, mended)
    gateway.measures(0, 1)
    account_of(gateway.stop())


def clock():
    gateway, _ = started(0)

    def frames():
        sent = strap_status(0)["sent"]
        until("frames after the step", lambda: strap_status(0)["sent"] >= sent + 8)
        gateway.measures(0)

    # Steps of the clock in seconds: ahead by 90, then corrected by only 60; ahead by two hours, and corrected; ahead by
    # a day.
    for step in (90, -60, 7200, -7200, 86400):
        before = time.time()
        guest("clock-step", step)
        moved = time.time() - before
        assert abs(moved - step) < 60, f"the wall clock went by {moved:.0f} s, not {step} s"
        frames()
    # Set the clock back by the day while no gateway is running.
    account_of(gateway.stop())
    guest("clock-step", -86400)
    gateway = Gateway(continued=True)
    gateway.measures(0)
    frames()
    account_of(gateway.stop())
    errors = [line for line in lines("monitors", "gaps") if "clockAhead" in line]
    say(f"the clock was ahead by {[round(error['clockAhead']) for error in errors]} s")
    # The first error is a minute, because only 60 of the first 90 s were corrected.
    assert [round(error["clockAhead"] / 60) for error in errors] == [1, 120, 1440], errors
    gap = next(line for line in reversed(lines("monitors", "gaps")) if line.get("cause") == "gateway-stopped" and line["end"])
    length = compared.seconds(gap["end"]) - compared.seconds(gap["start"])
    say(f"the gap of the restart is {length:.1f} s long")
    assert 0 < length < 300, gap


def fill(directory):
    """Fills the file system. Returns the file that takes the space."""
    filler = directory / "filler"
    with open(filler, "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 4096)
        except OSError:
            return filler


def ending():
    small = pathlib.Path("/root/small")
    small.mkdir()
    guest("mount", "-t", "tmpfs", "-o", "size=12m", "small", small)
    path, process = str(small / "health.sqlite"), int(guest("bluetoothd-pid"))
    for index in (0, 1):
        lines("pair", address(index), "--no-bond", "--store", path)

    def run(continued=True):
        gateway = Gateway(store=path, continued=continued)
        gateway.measures(0, 1)
        return gateway

    def stopped_once(gateway, status=0):
        """Allows a limit of 3 instead of 2 for a single stop, which may coincide with a moment in which other processes
        use the cores."""
        endings = Endings()
        return endings.time(lambda: gateway.stop(number=signal.SIGTERM, status=status)), lambda: endings.check(3.0)

    endings = Endings()
    for number in range(20 if LONG else 3):
        gateway = run(continued=number > 0)
        account_of(endings.time(lambda: gateway.stop(number=signal.SIGTERM)))
    say(f"ends {endings.check()}, in {len(endings.took)} runs")
    gateway = run()
    os.kill(process, signal.SIGSTOP)
    time.sleep(3)
    end, check = stopped_once(gateway)
    os.kill(process, signal.SIGCONT)
    account_of(end)
    say(f"with a stopped bluetoothd {check()}")
    gateway = run()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    time.sleep(3)
    end, check = stopped_once(gateway, status=1)
    other.execute("ROLLBACK")
    other.close()
    account_of(end)
    say(f"with a locked store {check()}")
    gateway = run()
    mark, filler = gateway.mark(), fill(small)
    until("the full disk is reported", lambda: [event for event in gateway.look()[mark:] if event["event"] == "store"
                                            and event.get("failure")], 90)
    time.sleep(3)
    end, check = stopped_once(gateway, status=1)
    account_of(end)
    lost, said = end["rejected"]["storeFailed"], (OUT / "run.err").read_text().splitlines()[-1]
    say(f"with a full disk {check()}: {said}")
    assert f"the last {lost} measurements could not be stored" in said, (lost, said)
    filler.unlink()
    # The frames that could not be stored are in a gap, which `account` checks.
    account_of(run().stop())


def death():
    gateway, faults = started(0)
    process = f"/proc/{guest('bluetoothd-pid')}"
    scanned = [device["address"] for device in lines("scan", "--seconds", 15)]
    assert address(1) in scanned, scanned
    stranger = "/org/bluez/hci0/dev_" + address(1).replace(":", "_")

    def kill():
        # The kernel's bug needs a link that ends some 10 ms after connecting. The exact delay depends on the speed of
        # this machine, so several are tried.
        delays, ended = itertools.cycle((0.01, 0.02, 0.005, 0.03, 0.015, 0.04, 0.008)), time.monotonic() + 120
        while os.path.exists(process):
            assert time.monotonic() < ended, "bluetoothd lives: this kernel has the fault no more"
            strapctl("disconnect-after", 1, next(delays))
            said = subprocess.run(["dbus-send", "--system", "--print-reply", "--dest=org.bluez", stranger,
                                   "org.bluez.Device1.Connect"], capture_output=True, text=True, timeout=60, check=False)
            assert "UnknownObject" not in said.stderr, said.stderr
            time.sleep(0.2)

    def mend():
        strapctl("disconnect-after", 1, "none")
        guest("bluetoothd-start")
    faults.suffer("bluetoothd dies by a fault of the kernel", 0, kill, mend, shows="bluetoothd-absent", during=1)
    account_of(gateway.stop())


begin({"death": death, "link": link, "timing": timing, "bond": bond, "host": host, "short": short, "stopped": stopped,
       "adapters": adapters, "clock": clock, "ending": ending})
