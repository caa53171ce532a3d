"""The age of displayed values, which is updated without requests and independent of the browser's clock."""

import contextlib
import time

from harness import check, eventually, expect, go, settle, test
from standin import HOUR, SECOND, StandIn
from test_live import RATE, seen
from test_live import STRAP as CARD
from test_words import answering, gap

COLOUR = "each => getComputedStyle(document.querySelector(each)).color"
ROW = '[data-monitor="C0:FF:EE:00:00:01"]'


def aged(seconds):
    def world(world):
        world.pulse_age = seconds

    return world


def is_quiet(page, place):
    """Returns whether the color of a value differs from that of a current value."""
    return page.evaluate(COLOUR, place) != page.evaluate(COLOUR, "body")


@test
def test_the_overlay_is_grey_with_its_age_from_the_third_second_on(browser):
    with browser.standin("overlay", aged(0)) as page:
        expect(page.locator(".overlay-rate")).to_have_text("71")
        check(not is_quiet(page, ".overlay-rate"), "a current value is grey")
        check(seen(page) == ["71"], "there is more than the heart rate")
        page.world.pulse_age = 8
        expect(page.locator(".overlay-age")).to_contain_text("s ago")
        expect(page.locator(".overlay-rate")).to_have_text("71")
        check(is_quiet(page, ".overlay-rate"), "it looks like a current value")
        page.world.pulse_age = 0
        expect(page.locator(".overlay-age")).to_have_text("")
        page.world.pulse_age = 20
        expect(page.locator(".overlay-rate")).to_have_text("–")


@test
def test_a_monitors_heart_rate_is_grey_with_its_age_from_the_third_second_on(browser):
    with browser.standin("monitors", aged(0)) as page:
        live = f"{ROW} .live"
        expect(page.locator(live)).to_have_text("71")
        expect(page.locator(f"{ROW} .aged")).to_have_text("")
        check(not is_quiet(page, live), "a current value is grey")
        page.world.pulse_age = 8
        expect(page.locator(f"{ROW} .aged")).to_contain_text("s ago")
        expect(page.locator(live)).to_have_text("71")
        check(is_quiet(page, live), "it looks like a current value")
        page.world.pulse_age = 20
        expect(page.locator(live)).to_have_text("–")


@test
def test_the_age_of_the_latest_value_advances(browser):
    with browser.page() as page:
        page.clock.install()
        server = StandIn()
        server.world.is_quiet = True
        page.goto(server.address + "#/heart-rate")
        for part, place in (("heart-rate", ".figures"), ("summary", ".card")):
            go(page, part)
            latest = page.locator(place).first
            expect(latest).to_contain_text(" ago")
            page.clock.fast_forward(300_000)
            expect(latest).to_contain_text("5 min ago" if part == "heart-rate" else "10 min ago")
        server.close()


@test(slow=True)
def test_the_age_does_not_advance_in_a_hidden_tab(browser):
    hide = """hidden => {
      Object.defineProperty(document, "hidden", { get: () => hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }"""
    with browser.standin("you") as page:
        settle(page, "you")
        # Records which timers are running, in `going`.
        page.evaluate("""() => {
          const [set, clear] = [setInterval, clearInterval];
          window.going = new Set();
          window.setInterval = (...given) => { const id = set(...given); going.add(id); return id; };
          window.clearInterval = (id) => { going.delete(id); clear(id); };
        }""")
        for part in ("heart-rate", "summary"):
            go(page, part)
            expect(page.locator("#main")).to_contain_text(" ago")
            check(page.evaluate("going.size") == 1, f"{part} has {page.evaluate('going.size')} timers")
            page.evaluate(hide, True)
            check(page.evaluate("going.size") == 0, f"{part} is updated in a hidden tab")
            page.evaluate(hide, False)
            check(page.evaluate("going.size") == 1, f"{part} is not updated")
            go(page, "you")
            check(page.evaluate("going.size") == 0, f"{part} is still updated after it was closed")


@contextlib.contextmanager
def with_gap_that_lasts(browser):
    """Opens a page with a monitor that is away. Yields the page, its list of gaps, and a state that the test
    changes to end the gap."""
    state = {"state": "away", "end": None}

    def world(world):
        plain = world.monitors

        def monitors():
            answer = plain()
            answer["monitors"][0]["state"] = state["state"]
            return answer

        world.monitors = monitors
        answering("/api/gaps", lambda world, _: {"gaps": [gap(world, world.now - HOUR, state["end"])]})(world)

    with browser.standin("monitors", world) as page:
        gaps = page.get_by_role("region", name="Gaps of the last seven days")
        expect(gaps).to_contain_text("ongoing")
        yield page, gaps, state


@test(slow=True)
def test_an_ongoing_gap_ends_when_the_monitor_is_back(browser):
    with with_gap_that_lasts(browser) as (page, gaps, state):
        state["end"] = page.world.now - 5 * SECOND
        state["state"] = "following"
        expect(gaps).not_to_contain_text("ongoing")
        expect(gaps.locator("tbody tr")).to_have_count(1)
        # If the gap has not changed, the gateway's events cause no request.
        page.world.asked.clear()
        page.wait_for_timeout(1500)
        asked = [path for path, _ in page.world.asked if path == "/api/gaps"]
        check(not asked, f"gaps were requested {len(asked)} times")


@test
def test_a_gap_whose_end_is_stored_late_ends_with_the_commit(browser):
    with with_gap_that_lasts(browser) as (page, gaps, state):
        page.world.asked.clear()
        state["state"] = "following"
        eventually(
            page, lambda: any(path == "/api/gaps" for path, _ in page.world.asked), "it was not requested"
        )
        state["end"] = page.world.now - 5 * SECOND
        page.world.commits += 1
        expect(gaps).not_to_contain_text("ongoing")


@contextlib.contextmanager
def with_clock(browser, ahead, part, world):
    """Opens a page in a browser whose clock is ahead of the server's by a number of seconds."""
    with browser.page() as page:
        page.clock.install(time=time.time() + ahead)
        server = StandIn()
        page.world = server.world
        world(server.world)
        page.goto(server.address + f"#/{part}")
        try:
            yield page
        finally:
            server.close()


@test
def test_a_browser_whose_clock_is_ahead_shows_a_live_heart_rate(browser):
    with with_clock(browser, 11, "now", aged(0)) as page:
        card = page.locator(CARD)
        expect(page.locator(RATE)).to_have_text("71")
        expect(card).to_contain_text("just now")
        expect(page.locator(f"{CARD}.waiting")).to_have_count(0)
        go(page, "overlay")
        expect(page.locator(".overlay-rate")).to_have_text("71")
        check(not is_quiet(page, ".overlay-rate"), "it looks like an old value")
        go(page, "monitors")
        expect(page.locator(f"{ROW} .live")).to_have_text("71")
        expect(page.locator(f"{ROW} .seen")).to_have_text("seen now")


@test
def test_a_browser_whose_clock_is_behind_shows_an_old_heart_rate_as_old(browser):
    with with_clock(browser, -60, "now", aged(30)) as page:
        expect(page.locator(f"{CARD}.stale .rate span")).to_have_text("71")
        expect(page.locator(CARD)).to_contain_text("30 s ago")
    with with_clock(browser, -60, "now", aged(6)) as page:
        expect(page.locator(f"{CARD}.waiting")).to_contain_text("6 s ago")
