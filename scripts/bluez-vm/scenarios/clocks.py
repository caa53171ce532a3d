"""Clocks other than the wall clock: clocks.py GROUP, in the guest."""
import json
import os
import pathlib
import signal
import time
from datetime import datetime, timezone

os.environ["TZ"] = "Europe/Berlin"
time.tzset()
from gateway import OUT, Gateway, address, begin, guest, lines, say, strap_status, strapctl, until  # noqa: E402

# The moments in 2027 at which daylight saving time begins and ends in Berlin.
CHANGES = {"spring": datetime(2027, 3, 28, 1, tzinfo=timezone.utc), "autumn": datetime(2027, 10, 31, 1, tzinfo=timezone.utc)}


def account_of(end):
    assert end["measurements"] == end["storedHeartRates"] and not end["rejected"], end
    say(f"{end['measurements']} measurements, all stored")


def keep(season, gateway):
    """Copies the store of one season and what the straps sent in the guest's time, for `account`."""
    place, ahead = OUT / season, time.time() - float(strapctl("time"))
    place.mkdir(exist_ok=True)
    (place / "begun").write_text((OUT / "begun").read_text())
    events = map(json.loads, (OUT / "trace.jsonl").read_text().splitlines())
    (place / "trace.jsonl").write_text("".join(json.dumps({**event, "time": event["time"] + ahead}) + "\n" for event in events))
    for suffix in ("", "-wal"):
        source = pathlib.Path(gateway.store + suffix)
        if source.exists():
            (place / f"health.sqlite{suffix}").write_bytes(source.read_bytes())


def daylight():
    for season, change in CHANGES.items():
        path = f"/root/{season}.sqlite"
        lines("pair", address(0), "--no-bond", "--store", path)
        guest("clock-step", round(change.timestamp() - time.time()) - 60)
        gateway = Gateway(store=path)
        gateway.measures(0)
        assert time.time() < change.timestamp(), "the machine is too slow: the clocks were changed before the strap was followed"
        until("the clocks are changed", lambda: time.time() > change.timestamp() + 15, 150)
        gateway.measures(0)
        account_of(gateway.stop())
        hours = [line for line in lines("stats", "--type", "heartRate", "--every", "1h", "--store", path) if line.get("count")]
        assert len(hours) == 2 and all(line["count"] > 5 for line in hours), hours
        lengths = {seconds(line["end"]) - seconds(line["start"]) for line in hours}
        assert lengths == {3600.0} and seconds(hours[1]["start"]) == change.timestamp(), hours
        days = [line for line in lines("stats", "--type", "heartRate", "--every", "1d", "--store", path) if line.get("count")]
        # Days of the statistics are those of the time zone.
        length = {"spring": 23, "autumn": 25}[season] * 3600
        assert len(days) == 1 and seconds(days[0]["end"]) - seconds(days[0]["start"]) == length, days
        assert days[0]["count"] == sum(line["count"] for line in hours), (days, hours)
        say(f"{season}: {[line['count'] for line in hours]} heart rates in the hours before and after")
        keep(season, gateway)


def seconds(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def paused():
    """Pauses the machine with all its clocks, like a suspended virtual machine. Its wall clock is set when it
    continues."""
    lines("pair", address(0), "--no-bond")
    gateway = Gateway()
    gateway.measures(0)
    for still, is_away in ((20, False), (40, True)):
        time.sleep(10)
        before, mark = float(strapctl("time")), gateway.mark()
        if is_away:
            strapctl("away", 0)                          # a host that is paused for long has lost its links
        strapctl("stand-still", still)
        until("it has stood still", lambda: float(strapctl("time")) > before + still, 150)
        guest("clock-step", float(strapctl("time")) - time.time())
        if is_away:
            strapctl("back", 0)
            gateway.reaches(0, "following", mark, 150)
        sent = strap_status(0)["sent"]
        until("frames after it", lambda sent=sent: strap_status(0)["sent"] >= sent + 12)
        gateway.measures(0)
        say(f"the machine was paused for {still} s" + (", and its link was gone" if is_away else ""))
    account_of(gateway.stop())


def bursts():
    """Pauses the machine with all its clocks, then stops only bluetoothd. Afterwards the queued frames arrive at once
    and are marked as delayed."""
    lines("pair", address(0), "--no-bond")
    gateway = Gateway()
    gateway.measures(0)
    time.sleep(20)                                       # long enough to determine the monitor's pace
    before = float(strapctl("time"))
    strapctl("stand-still", 60)
    until("it has been paused", lambda: float(strapctl("time")) > before + 60, 150)
    say("the machine was paused for 60 s, and its clock was not set")
    time.sleep(20)
    gateway.measures(0)
    process = int(guest("bluetoothd-pid"))
    os.kill(process, signal.SIGSTOP)
    time.sleep(60.25)                                    # a frame sent at that moment may be on either side of the loss
    os.kill(process, signal.SIGCONT)
    say("bluetoothd was stopped for 60 s")
    time.sleep(20)
    gateway.measures(0)
    end = gateway.stop()
    account_of(end)
    say(f"delayed: {end['anomalies'].get('delayed', 0)}")
    # The kernel's queue holds 93 frames, and it is full after each of the two pauses.
    assert end["anomalies"].get("delayed", 0) > 180 and not end["anomalies"].get("moreHeartbeatThanTime"), end["anomalies"]
    overflows = [line for line in lines("monitors", "gaps") if line.get("cause") == "overflow"]
    assert len(overflows) == 2, overflows


begin({"daylight": daylight, "paused": paused, "bursts": bursts})
