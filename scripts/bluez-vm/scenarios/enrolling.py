"""Scan, pair, forget: enrolling.py GROUP, in the guest."""
import time

from gateway import (Gateway, address, at_terminal, begin, hrgate, lines, say, strapctl, trace, until)

SECONDS = 60


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


def code_shown(shown):
    return shown.rsplit("Does the monitor show ", 1)[1][:6]


def pairing():
    refused = at_terminal("pair", address(0), answers=[("[y/N] ", lambda shown: "n")], status=0)
    assert "There is no bond: pairing was refused" in refused or "pairing failed" in refused, refused
    say("numeric comparison: a no is a no, and the strap is enrolled without a bond")
    shown = at_terminal("pair", address(0), answers=[("[y/N] ", lambda shown: "y")])
    assert "bonded" in shown and len(code_shown(shown)) == 6, shown
    say("numeric comparison: yes at the terminal")


begin({"enrol-and-follow": enrol_and_follow, "pairing": pairing})
