"""Scanning, pairing, removing: enrolling.py GROUP, in the guest."""
import json
import os
import pathlib
import re
import time

from gateway import (IDENTITIES, Gateway, address, at_terminal, begin, guest, hrgate, lines, say, strap_status,
                     strapctl)

SECONDS = 60 if os.environ.get("HRGATE_LONG") == "1" else 10


def enrol_and_follow():
    found = lines("scan", "--seconds", 8)
    assert sorted(item["address"] for item in found) == [address(n) for n in range(3)], found
    assert all(item["heartRateService"] and item["addressType"] == "random" and not item["paired"] for item in found)
    say("scan: three straps")
    just_works, = lines("pair", address(0))
    passkey, = lines("pair", "strap 2", "--passkey", "123456")
    plain, = lines("pair", address(2), "--no-bond")
    assert [just_works["bonded"], passkey["bonded"], plain["bonded"]] == [True, True, False]
    for n, monitor in enumerate((just_works, passkey, plain)):
        assert monitor["address"] == address(n) and monitor["location"] == "chest" and monitor["battery"] == 87, monitor
        assert monitor["firmware"] == "1.4.2" and monitor["name"] == f"Strap {n + 1}", monitor
    say("pair: just works, passkey, no bond")
    assert [item["address"] for item in lines("monitors")] == [address(n) for n in range(3)]
    gateway = Gateway()
    gateway.measures(0, 1, 2)
    time.sleep(SECONDS)
    states = [gateway.state(n) for n in range(3)]
    end = gateway.stop()
    assert states == ["following"] * 3, states
    assert end["duplicates"] == end["rejectedTotal"] == 0 and end["measurements"] == end["storedHeartRates"], end
    say(f"run: {end['measurements']} measurements in {SECONDS} s, all of them stored")
    hrgate("forget", address(0))
    assert known() == [1, 2] and len(lines("monitors")) == 2, known()
    say("forget: neither the store nor bluetoothd know it")


def known():
    """Returns the indices of the straps that bluetoothd knows."""
    reply = guest("dbus-send", "--system", "--print-reply", "--dest=org.bluez", "/",
                  "org.freedesktop.DBus.ObjectManager.GetManagedObjects")
    return [n for n in range(4) if f'"/org/bluez/hci0/dev_{address(n).replace(":", "_")}"' in reply]


def pairing():
    said = hrgate("pair", "twin", status=1).stderr
    assert "several monitors named" in said and address(0) in said and address(1) in said, said
    say("a name of several straps is ambiguous")
    assert "was not found" in hrgate("pair", "unknown", status=1).stderr
    assert "was not found" in hrgate("pair", address(40), status=1).stderr
    say("a device that is not in range is not found")
    shown = at_terminal("pair", address(0), answers=[("[y/N] ", lambda shown: "n")], status=1)
    assert lines("monitors", status=1) == [], shown
    shown = at_terminal("pair", address(0), answers=[("[y/N] ", lambda shown: "y")])
    assert re.search(r"Does the monitor show [0-9]{6}\?", shown) and "bonded" in shown, shown
    say("numeric comparison: no enrolls nothing, yes enrolls the strap")
    for wrong in (("--passkey", "111111"), ()):
        refused = hrgate("pair", address(1), *wrong, status=1).stderr
        assert "passkey" in refused, refused
    at_terminal("pair", address(1), answers=[("(6 digits): ", lambda shown: "nonsense")], status=1)
    at_terminal("pair", address(1), answers=[("(6 digits): ", lambda shown: "123456")])
    say("a wrong passkey, none and nonsense enroll nothing; the right one enrolls the strap")
    lines("pair", address(2))
    strapctl("forget", 2)
    again, = lines("pair", address(2))
    assert again["bonded"], again
    say("a strap that lost its bond is paired again")
    gateway = Gateway()
    gateway.measures(1)
    mark = gateway.mark()
    strapctl("forget", 1)
    strapctl("drop", 1)
    gateway.reaches(1, "bond-lost", mark)
    mark = gateway.mark()

    def slowly(shown):
        time.sleep(15)                                  # longer than all timeouts of the gateway
        return "123456"
    at_terminal("pair", address(1), answers=[("(6 digits): ", slowly)])
    gateway.reaches(1, "pairing-needed", mark)
    gateway.reaches(1, "following", mark)
    gateway.measures(1)
    gateway.stop()
    say("with a running gateway there is time to type the passkey")
    assert [item["bonded"] for item in lines("monitors")] == [True] * 3
    assert "several monitors" in hrgate("forget", "TWIN", status=1).stderr
    for index in (0, 2):
        hrgate("forget", address(index).lower())
        assert index not in known(), known()
    hrgate("forget", "TWIN")
    assert lines("monitors") == [] and 1 not in known(), known()
    assert "neither hrgate nor bluetoothd has a monitor" in hrgate("forget", address(1), status=1).stderr
    say("forget by address and by name: neither the store nor bluetoothd know the straps")


KINDS = ("private", "private-public", "random", "anonymous")


def identity():
    """Straps 0 and 1 have private addresses. When pairing they send their identity addresses: a static and a public
    one. Strap 2 has a static address. Strap 3 has a private address and sends no identity."""
    now = [strap_status(n) for n in range(4)]
    assert now[0]["address"] != now[0]["identity"] == address(0), now[0]
    IDENTITIES[1] = now[1]["identity"]
    IDENTITIES[3] = now[3]["address"]
    for n, query in enumerate((now[0]["address"], "strap 2", address(2))):
        monitor, = lines("pair", query)
        assert (monitor["address"], monitor["bonded"]) == (address(n), True), monitor
        assert monitor["addressType"] == ("public" if n == 1 else "random"), monitor
    refused = hrgate("pair", "strap 4", "--json")
    assert json.loads(refused.stdout)["address"] == address(3) and not json.loads(refused.stdout)["bonded"]
    assert "private address" in refused.stderr and "does not send an identity address" in refused.stderr, refused.stderr
    assert sorted(item["address"] for item in lines("monitors")) == sorted(address(n) for n in range(4))
    say("paired: enrolled with the identity address, if there is one")
    gateway = Gateway()
    gateway.measures(0, 1, 2, 3)

    def follows_again(what, *indices):
        mark = gateway.mark()

        def done():
            for n in indices:
                gateway.reaches(n, "following", mark)
            gateway.measures(*indices)
            say(f"{what}: " + ", ".join(f"{KINDS[n]} {address(n)} as {strap_status(n)['address']}" for n in indices))
        return done

    def readdress(*indices):
        before = [strap_status(n)["address"] for n in indices]
        done = follows_again("followed by another address", *indices)
        for n in indices:
            strapctl("readdress", n)
        assert all(strap_status(n)["address"] != old for n, old in zip(indices, before))
        done()
    readdress(0, 1)
    guest("bluetoothd-stop")
    done = follows_again("followed after bluetoothd was restarted", 0, 1, 2)
    guest("bluetoothd-start")
    done()
    readdress(0, 1)
    mark = gateway.mark()
    strapctl("forget", 0)
    strapctl("drop", 0)
    gateway.reaches(0, "bond-lost", mark)
    done = follows_again("paired again by its identity after it lost the bond", 0)
    again, = lines("pair", address(0))
    assert (again["address"], again["bonded"]) == (address(0), True), again
    done()
    strapctl("reset", 1)
    gateway.reaches(1, "away", mark)
    done = follows_again("paired again after it generated another key", 1)
    again, = lines("pair", strap_status(1)["address"])
    assert (again["address"], again["bonded"]) == (address(1), True), again
    done()
    readdress(0, 1)
    gateway.stop()
    assert len(lines("monitors")) == 4, lines("monitors")


# The error messages that the commands must print, each with a remedy.
SENTENCES = {
    "permission": "This user may not use bluetoothd", "off": "The Bluetooth adapter is off. Switch it on",
    "absent": "There is no Bluetooth adapter. Plug one in", "daemon": "bluetoothd is not running. Install it",
    "bus": "There is no D-Bus system bus"}
POLICY = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><policy user="nobody"><deny send_destination="org.bluez"/></policy></busconfig>
"""


def unavailable():
    def says(what, **options):
        for words in (("scan", "--seconds", 1), ("pair", address(0)), ("run",)):
            said = hrgate(*words, "--store", "/tmp/none.sqlite", status=1, **options).stderr
            assert SENTENCES[what] in said and len(said.strip().splitlines()) == 1, said
        say(said.strip())
    pathlib.Path("/etc/dbus-1/system.d/nobody.conf").write_text(POLICY)
    guest("dbus-restart")
    os.chmod("/root", 0o755)                            # the paths of the interpreter and of the program may be below it
    says("permission", user="nobody")
    os.remove("/tmp/none.sqlite")
    guest("adapter-power", "off")
    says("off")
    guest("adapter-remove", 0)
    says("absent")
    guest("bluetoothd-stop")
    says("daemon")
    guest("dbus-stop")
    says("bus")


begin({"enrol-and-follow": enrol_and_follow, "identity": identity, "pairing": pairing, "unavailable": unavailable})
