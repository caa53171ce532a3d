"""hrgate doctor on machines with and without problems: doctoring.py doctor, in the guest."""
import json
import os
import pathlib
import sqlite3
import subprocess

from gateway import STORE, Gateway, address, begin, command, guest, lines, say, until


def findings(status, *words):
    """Runs `hrgate doctor`, checks its exit status, and returns its findings."""
    done = subprocess.run(command("doctor", "--json", *words), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=150, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == status and not done.stderr, (done.returncode, found, done.stderr)
    return found


def has(found, check, verdict, words=""):
    return any(item["check"] == check and item["verdict"] == verdict and words in item["finding"] + item.get("advice", "")
               for item in found)


def finds(status, check, verdict, words="", arguments=()):
    until(f"{check} is {verdict} ({words})", lambda: has(findings(status, *arguments), check, verdict, words), 60)
    say(f"{check}: {verdict} ({words})" if words else f"{check}: {verdict}")


def doctor():
    finds(0, "store", "warn", "there is no store")
    lines("pair", address(0))
    gateway = Gateway()
    gateway.measures(0)
    well = findings(0)
    assert {item["verdict"] for item in well} <= {"ok"}, [item for item in well if item["verdict"] != "ok"]
    checks = {item["check"] for item in well}
    wanted = {"kernel", "rfkill", "bus", "bluetoothd", "adapter", "discovery", "clock", "store", "service", "battery",
              "bond", "last-seen", "links"}
    assert wanted <= checks, wanted - checks
    assert has(well, "bluetoothd", "ok", "5.66") and has(well, "service", "ok", str(gateway.process.pid)), well
    say(f"a machine without problems: {len(well)} findings, all ok, while a gateway runs")
    mark = gateway.mark()
    for _ in range(3):
        findings(0)
    assert not gateway.states(0, mark), gateway.states(0, mark)
    gateway.measures(0)
    say("the gateway continues undisturbed")
    guest("rfkill-block")
    finds(1, "rfkill", "fail", "rfkill unblock bluetooth")
    finds(1, "adapter", "fail", "off")
    guest("rfkill-unblock")
    guest("within", 30, "adapter-power", "on")
    guest("bluetoothd-stop")
    finds(1, "bluetoothd", "fail", "is not running")
    guest("bluetoothd-start")
    gateway.measures(0)
    end = gateway.stop()
    assert end["measurements"] == end["storedHeartRates"] + end["duplicates"] + end["rejectedTotal"], end
    finds(0, "service", "warn", "no gateway runs")
    os.chmod(STORE, 0o644)
    os.chmod("/root", 0o755)
    finds(1, "store", "fail", "mode 644")
    os.chmod(STORE, 0o600)
    old(1)
    full()
    device = "/org/bluez/hci0/dev_" + address(0).replace(":", "_")
    guest("dbus-send", "--system", "--print-reply", "--dest=org.bluez", "/org/bluez/hci0",
          "org.bluez.Adapter1.RemoveDevice", f"objpath:{device}")
    finds(1, "bond", "fail", "hrgate pair")
    guest("dbus-stop")
    finds(1, "bus", "fail", "systemctl start dbus")


def old(steps):
    """Checks that the doctor reports a store of an older version, and does not change it."""
    with sqlite3.connect(STORE) as store:
        applied = [row[0] for row in store.execute("SELECT identifier FROM grdb_migrations ORDER BY rowid")]
        store.execute("DELETE FROM grdb_migrations WHERE identifier = ?", (applied[-1],))
    finds(0, "store", "ok", f"schema {applied[-1 - steps]}")
    with sqlite3.connect(STORE) as store:
        assert store.execute("SELECT count(*) FROM grdb_migrations").fetchone()[0] == len(applied) - 1
        store.execute("INSERT INTO grdb_migrations VALUES (?)", (applied[-1],))
    with sqlite3.connect(STORE) as store:
        store.execute("INSERT INTO grdb_migrations VALUES ('99-of-later')")
    finds(1, "store", "fail", "a newer version")
    with sqlite3.connect(STORE) as store:
        store.execute("DELETE FROM grdb_migrations WHERE identifier = '99-of-later'")


def full():
    small = pathlib.Path("/root/small")
    small.mkdir()
    guest("mount", "-t", "tmpfs", "-o", "size=12m", "small", small)
    (small / "health.sqlite").write_bytes(pathlib.Path(STORE).read_bytes())
    os.chmod(small / "health.sqlite", 0o600)
    (small / "filler").write_bytes(b"\0" * (8 << 20))
    finds(1, "store", "fail", "are free", ("--store", small / "health.sqlite"))


begin({"doctor": doctor})
