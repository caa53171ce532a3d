"""Limits of zones that the reader enters."""

from harness import check, eventually, expect, go, settle, test, unchanged
from standin import STRAP
from test_calendar import asked
from test_live import STRAP as CARD
from test_ongoing import running
from test_parts import posted
from test_sleep import sleeping

# The parts with zones, and the route from which they get them.
PARTS = (("heart-rate", "zones"), ("beats", "zones"), ("now", "worn/ongoing"))


@test
def test_limits_of_zones_are_entered_and_used_in_every_part(browser):
    limits = [60, 70, 140, 160, 180]
    with browser.standin("you", running) as page:
        settle(page, "you")
        section = page.locator("section", has=page.get_by_role("heading", name="Zones of effort")).last
        # Shares of 175.
        expect(section).to_contain_text("88, 105, 123, 140, 158 beats a minute")
        page.get_by_role("button", name="Change the limits of zones").click()
        fields = page.locator("dialog input")
        expect(fields.first).to_have_value("88")
        for field, limit in zip(fields.all(), [60, 70, 70, 160, 180]):
            field.fill(str(limit))
        page.locator("dialog button[type=submit]").click()
        expect(page.locator("dialog .problem")).to_have_text("Zone 3 must begin above zone 2.")
        expect(fields.nth(2)).to_be_focused()
        check(not posted(page, "/api/zones/limits"), "limits that do not ascend were sent")
        fields.nth(2).fill("140")
        page.locator("dialog button[type=submit]").click()
        expect(section).to_contain_text("60, 70, 140, 160, 180 beats a minute, entered by you")
        check(posted(page, "/api/zones/limits") == [{"limits": limits}], "the limits are not sent")
        for part, route in PARTS:
            page.world.asked.clear()
            go(page, part)
            eventually(
                page, lambda route=route: asked(page, f"/api/{route}"), f"{part} does not request {route}"
            )
            named = {each.get("bounds") for each in asked(page, f"/api/{route}")}
            check(named == {"60,70,140,160,180"}, f"{part} has other zones: {named}")
        # Its heart rate of 71 is below zone 1 of a maximum of 175.
        go(page, "now")
        expect(page.locator(CARD)).to_contain_text("zone 2, light")
        page.world.asked.clear()
        go(page, f"session?source={STRAP}&start={page.world.wearings[0][0]}")
        named = {each.get("bounds") for each in asked(page, "/api/worn/session")}
        check(named == {"60,70,140,160,180"}, f"the session has other zones: {named}")
        go(page, "heart-rate")
        expect(page.locator("#main")).to_contain_text("The limits are those that you entered.")
        go(page, "you")
        page.get_by_role("button", name="Use percentages").click()
        expect(section).to_contain_text("88, 105, 123, 140, 158 beats a minute")
        check(posted(page, "/api/zones/limits")[-1] == {"limits": None}, "the limits are not removed")


@test
def test_the_source_with_the_most_time_in_zones_comes_first(browser):
    def world(world):
        world.zoned = [("a", "Armband", 120), ("s", "Strap", 7380), ("w", "Watch", 59)]

    for part in ("heart-rate", "beats"):
        with browser.shared(part, world) as page:
            zones = page.locator(".zones")
            expect(zones.locator("h3:visible")).to_have_text("Strap")
            expect(zones.locator(".bars:visible")).to_have_count(1)
            expect(zones).to_contain_text("Zones count only times with a reading every few seconds: 2 h 3 min")
            expect(zones).to_contain_text("In percent of your maximum heart rate: 175, estimated from your age.")
            zones.get_by_text("Other sources").click()
            expect(zones.locator("h3:visible")).to_have_text(["Strap", "Armband"])


@test
def test_bars_are_as_long_as_the_percentages_beside_them(browser):
    shares = """each => each.map((row) => [
      row.querySelector(".track i").offsetWidth / row.querySelector(".track").offsetWidth,
      row.textContent.includes("%") ? row.textContent.match(/(\\d+)%/)[1] / 100 : null])"""

    for part, world in (("beats", unchanged), ("sleep", sleeping)):
        with browser.standin(part, world) as page:
            settle(page, part)
            found = page.locator(".bars > div").evaluate_all(shares)
            check(len(found) > 1, f"{part} has no bars")
            for length, share in found:
                # The time awake is no share of the sleep.
                if share is None:
                    continue
                check(abs(length - share) < 0.02, f"{part}: a bar of {length:.2f} for {share:.2f}")


@test
def test_no_zone_has_seconds_if_one_has_ten_minutes(browser):
    with browser.shared("you") as page:
        texts = """(seconds) => import("/beat-views.js").then(({ zonesView }) => {
          const zones = seconds.map((each, zone) => ({ zone, seconds: each, lower: 100, upper: 110 }));
          const view = zonesView({ name: "Strap", zones, known: seconds.reduce((a, b) => a + b) }, false, 0);
          return [...view.querySelectorAll(".bars > div")].map((row) => row.lastChild.firstChild.data).reverse();
        })"""
        for seconds, wanted in (([750, 580, 45], ["12 min", "9 min", "45 s"]),
                                ([580, 120, 45], ["9 min 40 s", "2 min", "45 s"])):
            found = page.evaluate(texts, seconds)
            check(found == wanted, f"{found}, not {wanted}")
