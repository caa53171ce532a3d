"""Live updates: the heart rate, and one connection for all tabs."""

from harness import check, eventually, expect, is_quiet, settle, test
from test_charts import PIXELS

STRAP = '.pulse[data-source*="00:00:01"]'
RATE = f"{STRAP} .rate span"


@test
def test_a_heart_rate_is_shown_with_its_details(browser):
    with browser.shared("now") as page:
        expect(page.locator(RATE)).to_have_text("71")
        card = page.locator(STRAP)
        # The maximum heart rate is estimated as 208 − 0.7 × age, which is 175 at 47 years. 71 is less than
        # half of it.
        for words in (
            "Polar H10 00000001",
            "below zone 1",
            "just now",
            "skin contact",
            "connected",
            "battery 12%",
        ):
            expect(card).to_contain_text(words)
        lost = page.locator(".pulse.stale")
        expect(lost).to_contain_text("must be paired again")
        expect(lost).to_contain_text("hrgate pair C0:FF:EE:00:00:02")
        expect(lost.locator(".rate span")).to_have_text("64")


@test
def test_an_old_value_never_looks_live(browser):
    def world(world):
        world.pulse_age = 11

    with browser.standin("now", world) as page:
        expect(page.locator(f"{STRAP}.stale .rate span")).to_have_text("71")
        expect(page.locator(STRAP)).not_to_contain_text("just now")
        # The skin contact is reported with a heart rate, so an old one is not shown either.
        facts = page.locator(f"{STRAP} .facts span").all_text_contents()
        check("skin contact" not in facts and "connected" in facts, f"{facts}")


@test
def test_a_value_of_some_seconds_has_its_age_and_looks_different(browser):
    def world(world):
        world.pulse_age = 6

    with browser.standin("now", world) as page:
        expect(page.locator(RATE)).to_have_text("71")
        card = page.locator(STRAP)
        expect(card).to_contain_text("6 s ago")
        expect(card).not_to_contain_text("just now")
        quiet, ink = (
            page.evaluate("each => getComputedStyle(document.querySelector(each)).color", each)
            for each in (f"{STRAP} .rate", "h1")
        )
        check(quiet != ink, "it looks like a current value")
        page.world.pulse_age = 0
        expect(card).to_contain_text("just now")
        page.wait_for_function(
            "([a, b]) => getComputedStyle(document.querySelector(a)).color"
            " === getComputedStyle(document.querySelector(b)).color",
            arg=[f"{STRAP} .rate", "h1"],
        )


@test
def test_a_value_becomes_old_without_an_event(browser):
    with browser.standin("now", clocked=True) as page:
        expect(page.locator(RATE)).to_have_text("71")
        page.server.close()
        page.clock.fast_forward(20_000)
        expect(page.locator(f"{STRAP}.stale .rate span")).to_have_text("71")
        expect(page.locator("#link")).to_contain_text("Waiting for hrgate")
        # Without a connection, the state of the monitor is unknown.
        page.clock.run_for(1000)
        facts = page.locator(f"{STRAP} .facts").text_content()
        check(not any(each in facts for each in ("skin contact", "connected", "battery")), facts)
        page.troubles.clear()


@test
def test_a_strap_without_skin_contact_has_no_heart_rate(browser):
    def world(world):
        monitors = world.monitors

        def without_contact():
            answer = monitors()
            answer["monitors"][0]["contact"] = False
            return answer

        world.monitors = without_contact

    with browser.standin("now", world) as page:
        expect(page.locator(STRAP)).to_contain_text("no contact with the skin")
        expect(page.locator(RATE)).to_have_text("–")


def traced(page, colour):
    """Returns the row of the line of the heart rate or of the beats in each column; -1 without a line."""
    return [each["top"] for each in page.evaluate(PIXELS, [".strip canvas", colour])]


@test
def test_the_trace_moves(browser):
    with browser.standin("now") as page:
        expect(page.locator(RATE)).to_have_text("71")
        page.wait_for_function(
            f"() => ({PIXELS})(['.strip canvas', 'accent']).filter((each) => each.count)" ".length > 300"
        )
        # Measures how far the trace has moved by the position of a crest on the canvas. The crests are one
        # minute apart.

        def crest():
            tops = traced(page, "accent")
            return next(x for x in range(200, 500) if tops[x] >= 0 > max(tops[x - 4 : x]))

        minute = round(page.evaluate("document.querySelector('.strip canvas').clientWidth") / 5)
        before = crest()
        for _ in range(int(page.timeout / 100)):
            page.wait_for_timeout(100)
            # If the first crest has left the canvas, the next one is measured.
            moved = (before - crest()) % minute
            if moved:
                break
        check(0 < moved < 20, f"it moved by {moved} pixels")


@test(slow=True)
def test_a_trace_is_drawn_no_more_often_than_it_moves(browser):
    """A trace is drawn when it has moved by half a pixel. Twenty frames a second for three straps took a
    quarter of a processor core."""
    with browser.standin("now") as page:
        settle(page, "now")
        expect(page.locator(RATE)).to_have_text("71")
        count = """async seconds => {
          performance.clearMeasures("trace-frame");
          const wide = [...document.querySelectorAll(".pulse canvas")].map((each) => each.clientWidth);
          await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
          // A picture for each half pixel, and one for each value and each beat.
          const most = wide.reduce((sum, each) => sum + seconds * (each / 150 + 4), 0);
          return { drawn: performance.getEntriesByName("trace-frame").length, most };
        }"""
        found = page.evaluate(count, 4)
        check(0 < found["drawn"] <= found["most"], str(found))


# JavaScript that records the work on live canvases: for each canvas, the times at which something is drawn on
# it. Calls of one task have the same time, because the test stops the clock.
WATCH_CANVASES = """
window.drawn = new Map();
for (const name of ["clearRect", "fillRect", "stroke", "fill", "drawImage", "putImageData", "fillText"]) {
  const draw = CanvasRenderingContext2D.prototype[name];
  CanvasRenderingContext2D.prototype[name] = function (...rest) {
    if (!window.drawn.has(this.canvas)) window.drawn.set(this.canvas, new Set());
    window.drawn.get(this.canvas).add(Date.now());
    return draw.apply(this, rest);
  };
}
window.changes = 0;
new MutationObserver((found) => { window.changes += found.length; }).observe(
  document.getElementById("main"), { subtree: true, childList: true, attributes: true, characterData: true });
"""


@test
def test_three_live_traces_are_drawn_when_they_have_moved_and_not_with_each_frame(browser):
    """The test moves the clock itself, so that the counts do not depend on the load of the machine. The server
    sends nothing meanwhile: all that is drawn is drawn because time passes."""

    def world(world):
        plain = world.monitors

        def monitors():
            answer = plain()
            first = answer["monitors"][0]
            straps = [
                first | {"address": f"{k}", "source": f"org.hrgate.monitor.{k}", "name": f"Strap {k}"}
                for k in range(3)
            ]
            return answer | {"monitors": straps}

        world.monitors, world.is_quiet = monitors, True
        # The values stay live, however long the test takes.
        world.pulse_age = -3600

    with browser.standin("now", world, clocked=True) as page:
        settle(page, "now")
        expect(page.locator(".pulse:not(.stale) .rate span")).to_have_text(["71", "71", "71"])
        page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 1)
        # Late responses and resized canvases may still cause a drawing.
        page.clock.run_for(1000)
        eventually(page, lambda: is_quiet(page), "the page still sends requests")
        page.evaluate(WATCH_CANVASES)
        seconds = 4
        page.clock.run_for(seconds * 1000)
        counts, widths, changes = page.evaluate("""[
          [...window.drawn.values()].map((each) => each.size),
          [...document.querySelectorAll(".pulse .strip canvas")].map((each) => each.clientWidth),
          window.changes,
        ]""")
        check(len(counts) == len(widths) == 3 and min(widths) > 300, f"{counts} drawings on {widths}")
        for drawn, width in zip(counts, widths):
            # A trace of five minutes moves by this number of pixels.
            moved = seconds * width / 300
            # It is drawn at most once for half a pixel, and at least once for each pixel.
            check(moved - 1 <= drawn <= 2 * moved + 1, f"{drawn} drawings for {moved:.1f} pixels")
        # The texts beside a trace are updated twice a second, which changes a few elements.
        check(changes <= 3 * seconds * 10, f"{changes} changes of elements in {seconds} seconds")


@test(slow=True)
def test_the_trace_has_beats_beside_the_heart_rate(browser):
    with browser.standin("now") as page:
        expect(page.locator(RATE)).to_have_text("71")
        page.wait_for_function(
            f"() => ({PIXELS})(['.strip canvas', 'ink']).filter((each) => each.count)" ".length > 300"
        )

    def world(world):
        world.beating = []

    with browser.standin("now", world) as page:
        expect(page.locator(RATE)).to_have_text("71")
        page.wait_for_function(
            f"() => ({PIXELS})(['.strip canvas', 'accent']).filter((each) => each.count)" ".length > 300"
        )
        page.wait_for_timeout(300)
        # The line of beats is thin and dark. The grey labels at the edges are left out.
        beats = [each for each in traced(page, "ink")[50:-50] if each >= 0]
        check(len(beats) < 20, f"{len(beats)} columns have beats, but there are none")


def seen(page):
    """Returns the visible texts of the full-screen view, without its heading, which only screen readers
    read."""
    heading = page.locator("#main h1")
    box = heading.bounding_box()
    check(box["width"] <= 1 and box["height"] <= 1, f"the heading is visible: {box}")
    words = page.locator("body").inner_text().split()
    return [each for each in words if each != heading.inner_text()]


@test
def test_the_overlay_has_only_the_heart_rate(browser):
    with browser.standin("overlay") as page:
        expect(page.locator(".overlay-rate")).to_have_text("71")
        visible = seen(page)
        check(visible == ["71"], f"there is more than the pulse: {visible}")
        page.keyboard.press("Escape")
        settle(page, "now")
        # The link of a strap opens its own full-screen view, and a tap on the view leads back.
        page.locator("#main").get_by_role("link", name="Polar H10 00000001").click()
        expect(page.locator(".overlay-rate")).to_have_text("71")
        check("source=org.hrgate.monitor" in page.url, page.url)
        page.locator(".overlay-rate").click()
        settle(page, "now")


@test
def test_all_tabs_share_one_connection(browser):
    with browser.standin("now") as page:
        expect(page.locator(RATE)).to_have_text("71")
        others = [page.context.new_page() for _ in range(4)]
        for other in others:
            other.goto(page.server.address + "#/now")
        for other in others:
            expect(other.locator(RATE)).to_have_text("71")
        check(page.world.streams == 1, f"{page.world.streams} streams for five tabs")
        asked = sum(1 for path, _ in page.world.asked if path == "/api/events")
        check(asked == 1, f"{asked} streams were opened")
        # The tab that has the event stream is closed, so another tab opens one.
        keeper = page.context.new_page()
        keeper.timeout = page.timeout
        page.close()
        keeper.goto(page.server.address + "#/now")
        expect(keeper.locator(RATE)).to_have_text("71")
        eventually(
            keeper,
            lambda: sum(1 for path, _ in page.world.asked if path == "/api/events") == 2,
            "no other tab took over the stream",
        )


@test(slow=True)
def test_a_hidden_tab_holds_no_connection(browser):
    with browser.standin("now") as page:
        expect(page.locator(RATE)).to_have_text("71")
        hide = """hidden => {
          Object.defineProperty(document, "hidden", { get: () => hidden, configurable: true });
          document.dispatchEvent(new Event("visibilitychange"));
        }"""
        page.evaluate(hide, True)
        eventually(page, lambda: page.world.streams == 0, "the hidden tab still has a stream")
        page.evaluate(hide, False)
        eventually(page, lambda: page.world.streams == 1, "the tab has no stream again")


@test
def test_an_ended_session_is_reported_and_ends_all_requests(browser):
    with browser.standin("now") as page:
        expect(page.locator(RATE)).to_have_text("71")
        page.world.session_over = True
        page.evaluate("location.hash = '#/sessions'")
        expect(page.locator("#main")).to_have_text(
            "This session has ended. Run hrgate page for a new address."
        )
        eventually(page, lambda: page.world.streams == 0, "the stream is still held")
        # On a busy machine, requests that the page sent before the session ended arrive late.
        eventually(page, lambda: is_quiet(page), "it still sends requests")
        asked = len(page.world.asked)
        page.evaluate("location.hash = '#/data'")
        page.wait_for_timeout(500)
        check(len(page.world.asked) == asked, "it still sends requests")


@test
def test_with_too_many_cookies_the_page_shows_what_to_do(browser):
    """A server on another port can set cookies until a request is too large, before or after the page is
    opened."""
    sentence = "The browser sends too many cookies: delete those of 127.0.0.1 and localhost."

    def refuse(route):
        route.fulfill(status=431, json={"error": "head-too-large", "message": sentence})

    with browser.standin("now") as page:
        settle(page, "now")
        page.route("**/api/*", refuse)
        page.evaluate("location.hash = '#/sessions'")
        expect(page.locator("#main")).to_contain_text(sentence)
        page.reload()
        expect(page.locator("#main")).to_have_text(sentence)
        # The same window works when the cookies are deleted.
        page.unroute("**/api/*")
        page.reload()
        settle(page, "sessions")
        expect(page.locator("#main")).not_to_contain_text("cookies")


@test(slow=True)
def test_an_ended_session_is_noticed_without_input(browser):
    with browser.standin("you") as page:
        settle(page, "you")
        eventually(page, lambda: page.world.streams == 1, "there is no event stream")
        page.world.session_over = True
        expect(page.locator("#main")).to_have_text(
            "This session has ended. Run hrgate page for a new address."
        )


@test
def test_an_error_of_the_store_is_shown_with_the_servers_message(browser):
    sentence = "The store is locked by another program; end it, and try again."

    def world(world):
        world.failing = {"/api/series": sentence, "/api/statistics": sentence}

    with browser.standin("heart-rate", world) as page:
        expect(page.locator(".chart-status")).to_have_text(sentence)
        expect(page.locator(".figures")).to_contain_text(sentence)
        page.world.failing = {}
        page.get_by_role("button", name="Week", exact=True).click()
        expect(page.locator(".figures")).to_contain_text("average")
        settle(page)
        expect(page.locator(".chart-status")).to_have_text("")
