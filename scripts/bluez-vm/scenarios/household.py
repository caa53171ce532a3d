"""One gateway for several people: household.py GROUP, in the guest."""
import json
import os
import pathlib
import signal
import time

os.environ["XDG_DATA_HOME"] = "/root/data"              # the stores of all people are below it
from gateway import OUT, Gateway, address, begin, hrgate, lines, say, trace  # noqa: E402

HOME = pathlib.Path(os.environ["XDG_DATA_HOME"]) / "hrgate"
STORES = {"owner": HOME / "health.sqlite", "anna": HOME / "people/anna/health.sqlite", "ben": HOME / "people/ben/health.sqlite"}


def keep(index, person):
    """Copies a person's store and what their strap sent, for `account`."""
    place = OUT / person
    place.mkdir()
    (place / "begun").write_text((OUT / "begun").read_text())
    sent = [line for line in (OUT / "trace.jsonl").read_text().splitlines() if json.loads(line)["strap"] == index]
    (place / "trace.jsonl").write_text("\n".join(sent) + "\n")
    for suffix in ("", "-wal"):
        source = pathlib.Path(f"{STORES[person]}{suffix}")
        if source.exists():
            (place / f"health.sqlite{suffix}").write_bytes(source.read_bytes())


def people():
    hrgate("people", "add", "anna")
    lines("pair", address(0), "--no-bond", "--person", "owner")
    lines("pair", address(1), "--no-bond", "--person", "anna")
    gateway = Gateway(store=None)
    gateway.measures(0, 1)
    say("one gateway follows the owner's strap and anna's")
    hrgate("people", "add", "ben")
    lines("pair", address(2), "--no-bond", "--person", "ben")
    gateway.measures(2)
    say("and the strap of ben, who was added while it ran")
    time.sleep(15)
    gateway.alive()
    gateway.process.send_signal(signal.SIGINT)
    code = gateway.process.wait(120)
    assert code == 0, f"hrgate run ended with {code}: {(OUT / 'run.err').read_text()[-300:]}"
    ends = {event.get("person"): event for event in gateway.look() if event["event"] == "end"}
    assert set(ends) == {None, "anna", "ben"}, ends
    for index, person in enumerate(STORES):
        end = ends[None if person == "owner" else person]
        rates = lines("samples", "--type", "heartRate", "--person", person)
        sources = {row["source"]["bundleIdentifier"] for row in rates}
        assert sources == {f"org.hrgate.monitor.{address(index)}"}, (person, sources)
        assert len(rates) == end["stored"]["HKQuantityTypeIdentifierHeartRate"] == \
            end["measurements"] - end["duplicates"] - sum(end["rejected"].values()), (person, len(rates), end)
        figures, = [line for line in lines("stats", "--type", "heartRate", "--person", person) if "count" in line]
        assert figures["count"] == len(rates), figures
        assert STORES[person].stat().st_mode & 0o777 == 0o600
        keep(index, person)
        say(f"{person}: {len(rates)} heart rates of {address(index)} alone; {len(trace(index))} sent in all")


begin({"people": people})
