"""Several users of one machine, each with a gateway: users.py GROUP, in the guest."""
import json

import pathlib
import subprocess

from gateway import HRGATE, OUT, Gateway, address, as_user, begin, guest, in_a_line, say, strap_status, trace

PREPARE = pathlib.Path(__file__).resolve().parents[3] / "systemd/hrgate-prepare"
HOMES = {name: pathlib.Path(f"/home/{name}") for name in ("anna", "ben")}
STORES = {name: home / ".local/share/hrgate/health.sqlite" for name, home in HOMES.items()}


def hrgate(user, *words, status=0, seconds=150):
    """Runs a command as that user. Returns its whole output."""
    done = subprocess.run([*as_user(user), HRGATE, *map(str, words)], stdin=subprocess.DEVNULL, cwd="/", check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds)
    assert done.returncode == status, \
        f"{user}: hrgate {' '.join(map(str, words))}: exit status {done.returncode}, not {status}: {in_a_line(done.stdout)}"
    return done.stdout


def lines(user, *words):
    return [json.loads(line) for line in hrgate(user, *words, "--json").splitlines() if line.startswith("{")]


def keep(user, *straps):
    """Copies the user's store and what their straps sent, for `account`."""
    place = OUT / user
    sent = [line for line in (OUT / "trace.jsonl").read_text().splitlines() if json.loads(line)["strap"] in straps]
    (place / "trace.jsonl").write_text("\n".join(sent) + "\n")
    for suffix in ("", "-wal"):
        source = pathlib.Path(f"{STORES[user]}{suffix}")
        if source.exists():
            (place / f"health.sqlite{suffix}").write_bytes(source.read_bytes())


def arrive():
    """Sets up both users as the administrator would: each has a home directory, and the bus permits both gateways."""
    for user in HOMES:
        guest("useradd", "--create-home", "--key", "HOME_MODE=0700", user)
        guest(PREPARE, user)
    bus = pathlib.Path("/run/hrgate-vm/dbus.pid").read_text().strip()
    guest("kill", "-HUP", bus)


def private(gateways):
    for user, other in (("anna", "ben"), ("ben", "anna")):
        folder = STORES[user].parent
        for path in folder.iterdir():
            assert path.stat().st_mode & 0o077 == 0, (path, oct(path.stat().st_mode))
        assert folder.stat().st_mode & 0o777 == 0o700 and STORES[user].stat().st_mode & 0o777 == 0o600
        # The home directory has the mode 0700. Even with 0755, like many home directories, others cannot read the
        # store.
        HOMES[user].chmod(0o755)
        said = hrgate(other, "stats", "--store", STORES[user], status=1)
        assert str(STORES[user]) in said, said
        said = hrgate(other, "run", "--store", STORES[user], status=1)
        assert str(STORES[user]) in said, said
        said = hrgate(other, "status", "--account", user, status=1)
        assert f"only {user} and root may see the status of {user}'s hrgate run" in said, said
        status, = lines(user, "status")
        assert status["measurements"] > 0 and all(monitor["state"] == "following" for monitor in status["monitors"]), status
        gateways[user].alive()
    say("neither user can read the other's store or gateway; both can read their own")


def two_users():
    arrive()
    monitor, = lines("anna", "pair", address(0))
    assert monitor["bonded"], monitor
    gateways = {"anna": Gateway(store=None, user="anna")}
    gateways["anna"].measures(0)
    found = {item["address"] for item in lines("ben", "scan", "--seconds", 8)}
    assert {address(1), address(2)} <= found, found
    lines("ben", "pair", address(1))
    gateways["ben"] = Gateway(store=None, user="ben")
    gateways["ben"].measures(1)
    say("ben scans and pairs while anna's strap is followed, and his gateway runs at the same time as hers")
    lines("ben", "pair", address(2))
    gateways["ben"].measures(1, 2)
    gateways["anna"].measures(0)
    private(gateways)
    said = hrgate("ben", "forget", address(0), status=1)
    assert "hrgate has no monitor" in said and "nother program" in said, said
    gateways["anna"].measures(0)
    say("ben cannot forget anna's strap")
    hrgate("ben", "forget", address(2))
    assert not strap_status(2)["subscribed"]
    gateways["anna"].measures(0)
    gateways["ben"].measures(1)
    say("he removes one of his straps, and her strap and his other one stay")
    for user, straps in (("ben", (1, 2)), ("anna", (0,))):
        end = gateways[user].stop()
        rates = lines(user, "samples", "--type", "heartRate")
        sources = {row["source"]["bundleIdentifier"] for row in rates}
        assert sources == {f"org.hrgate.monitor.{address(strap)}" for strap in straps}, (user, sources)
        assert len(rates) == end["measurements"] - end["duplicates"] - sum(end["rejected"].values()), (user, len(rates), end)
        keep(user, *straps)
        say(f"{user}: {len(rates)} heart rates, of {', '.join(map(address, straps))} alone; "
            f"{sum(len(trace(strap)) for strap in straps)} sent")


begin({"two-users": two_users})
