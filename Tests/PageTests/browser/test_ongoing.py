"""A live session: what is known since its start, laps, and many straps as tiles."""

import re
import time

from harness import PHONE, check, eventually, expect, go, settle, test
from standin import MINUTE, SECOND, STRAP
from test_accessibility import axe, findings
from test_live import STRAP as CARD
from test_parts import posted


def lap(start, end, average):
    return {"start": start, "end": end, "count": 9, "min": average - 5, "max": average + 9, "average": average}


def running(world):
    start = world.now - 62 * MINUTE
    zones = [{"zone": k, "seconds": 60.0 * k, **({"lower": 80 + 10 * k} if k else {}),
              **({"upper": 90 + 10 * k} if k < 5 else {})} for k in range(6)]
    world.ongoing = {
        "session": {"start": start, "end": world.now, "count": 3700, "min": 58, "max": 171, "average": 132.4},
        "zones": {"source": STRAP, "start": start, "end": world.now, "known": 900, "zones": zones},
    }


def figures(page):
    return dict(page.locator(f"{CARD} .since .figures > div:visible").evaluate_all(
        "each => each.map((div) => [div.querySelector('dt').textContent, div.querySelector('dd').textContent])"))


@test
def test_a_live_session_has_its_time_figures_and_zones_since_the_start(browser):
    with browser.standin("now", running) as page:
        settle(page, "now")
        since = page.locator(f"{CARD} .since")
        expect(since).to_be_visible()
        shown = figures(page)
        wanted = {"lowest": "58", "average of all readings": "132", "highest": "171"}
        check(wanted.items() <= shown.items(), f"{shown}")
        first = shown["elapsed"]
        check(re.fullmatch(r"1:0[2-9]:\d\d", first), f"{first} have elapsed")
        eventually(page, lambda: figures(page)["elapsed"] != first, "the time stands still")
        expect(since).to_contain_text("Zone 4, hard: 4 min")
        expect(since).not_to_contain_text("Below:")
        check(page.locator(f"{CARD} .zoneline i").count() == 5, "zone 0 was never measured")
        asked = [each for path, each in page.world.asked if path == "/api/worn/ongoing"]
        check([each["source"] for each in asked] == [STRAP] and asked[0]["maximum"] == "175", f"{asked}")
        # A strap that does not measure shows no session.
        expect(page.locator(".pulse.stale .since")).to_be_hidden()
        # When the session has ended, its figures are hidden.
        page.world.ongoing = {}
        page.world.commits += 1
        expect(since).to_be_hidden()


@test
def test_a_lap_ends_with_the_button(browser):
    with browser.standin("now", running) as page:
        settle(page, "now")
        expect(page.locator(f"{CARD} .since")).to_be_visible()
        check("lap 1" not in figures(page), "there is a lap")
        tell = page.world.respond

        def laps(path, body):
            session = page.world.ongoing["session"]
            if path == "/api/worn/lap":
                page.world.ongoing["laps"] = [lap(session["start"], body["time"], 120.0),
                                              lap(body["time"], session["end"], 151.0)]
            return tell(path, body)

        page.world.respond = laps
        before = time.time() * SECOND
        page.get_by_role("button", name="Lap", exact=True).click()
        expect(page.locator(f"{CARD} .since")).to_contain_text("2 laps")
        body = posted(page, "/api/worn/lap")[0]
        check(body["source"] == STRAP and abs(body["time"] - before) < 30 * SECOND, f"{body}")
        # The time of the second lap begins at zero.
        check(re.fullmatch(r"0:[0-3]\d", figures(page)["lap 2"]), f"{figures(page)}")
        page.locator(f"{CARD} .since summary").click()
        rows = page.get_by_role("region", name="Laps").locator("tbody tr")
        expect(rows.first).to_contain_text("120")
        expect(rows.nth(1)).to_contain_text("151")
        # A failure is shown, and the button can be used again.
        page.world.failing["/api/worn/lap"] = "A session has at most 500 laps."
        page.get_by_role("button", name="Lap", exact=True).click()
        expect(page.locator("#notice")).to_have_text("A session has at most 500 laps.")
        expect(page.get_by_role("button", name="Lap", exact=True)).to_be_enabled()


@test
def test_laps_are_on_the_page_of_the_session_and_are_joined(browser):
    def world(world):
        start, end = world.wearings[0]
        world.session = {"laps": [lap(start, start + 10 * MINUTE, 120.0), lap(start + 10 * MINUTE, end, 151.0)]}

    with browser.standin("you", world) as page:
        settle(page, "you")
        start = page.world.wearings[0][0]
        go(page, f"session?source={STRAP}&start={start}")
        rows = page.get_by_role("region", name="Laps").locator("tbody tr")
        expect(rows).to_have_count(2)
        expect(rows.first).to_contain_text("10:00")
        page.world.session = {}
        page.get_by_role("button", name="Join lap 1 with the next one").click()
        expect(rows).to_have_count(0)
        body = posted(page, "/api/worn/lap")[0]
        check(body == {"source": STRAP, "time": start + 10 * MINUTE, "isRemoved": True}, f"{body}")


def twenty(world):
    """Makes the stand-in report twenty straps with heart rates in each zone. The last strap has no
    contact."""
    plain = world.monitors

    def monitors():
        answer = plain()
        now = time.time() * SECOND
        answer["monitors"] = [
            {"address": f"C0:FF:EE:00:01:{k:02}", "source": f"org.hrgate.monitor.C0:FF:EE:00:01:{k:02}",
             "name": f"Strap {k:02}", "state": "following", "bonded": True, "enrolled": world.first, "lastSeen": now,
             "contact": k < 19, "heartRate": 80 + 5 * k, "time": now, "age": 0, "measurements": 9}
            for k in range(20)
        ]
        return answer

    world.monitors = monitors


@test
def test_twenty_straps_are_tiles_and_each_leads_to_its_own_view(browser):
    for options in ({}, {"size": PHONE, "theme": "dark"}):
        with browser.standin("now", twenty, **options) as page:
            settle(page, "now")
            tiles = page.locator(".tile")
            expect(tiles).to_have_count(20)
            expect(page.locator("#main canvas")).to_have_count(0)
            # The maximum is 175, so 105 is in zone 2, and 150 in zone 4.
            expect(tiles.nth(5)).to_contain_text("zone 2, light")
            expect(tiles.nth(5)).to_have_attribute("data-zone", "2")
            expect(tiles.nth(14)).to_have_attribute("data-zone", "4")
            expect(tiles.nth(19)).to_contain_text("no contact with the skin")
            height = page.evaluate("document.documentElement.scrollHeight")
            check(height < (1000 if options == {} else 1900), f"they are {height} pixels high")
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            check(wide <= 0, f"{wide} pixels too wide")
            page.evaluate(axe())
            check(not findings(page), f"{findings(page)}")
            tiles.nth(5).click()
            settle(page, "now")
            expect(page.locator(".pulse")).to_have_count(1)
            expect(page.locator(".pulse .rate span")).to_have_text("105")
            page.get_by_role("link", name="All monitors").click()
            expect(tiles).to_have_count(20)
            # Three straps are shown as cards again, not as tiles.
            page.world.monitors = lambda plain=page.world.monitors: (
                plain() | {"monitors": plain()["monitors"][:3]})
            expect(page.locator(".pulse")).to_have_count(3)
            expect(tiles).to_have_count(0)
