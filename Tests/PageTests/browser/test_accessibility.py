"""Accessibility: screen readers, keyboards and reduced motion."""

import importlib.resources

from harness import PHONE, WIDE, check, expect, go, settle, test
from test_parts import PARTS


def axe():
    return importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text()


def findings(page):
    result = page.evaluate(
        "async () => (await axe.run(document, { resultTypes: ['violations'] })).violations"
    )
    return [f"{each['id']}: {each['help']} at {each['nodes'][0]['html'][:120]}" for each in result]


def audit(browser, **options):
    opened = (
        (lambda: browser.page(**options)) if browser.address else (lambda: browser.standin("now", **options))
    )
    with opened() as page:
        settle(page, "now")
        page.evaluate(axe())
        for part in PARTS:
            go(page, part)
            # Details are open, so that their contents are checked too.
            page.evaluate(
                "document.querySelectorAll('#main details').forEach((each) => { each.open = true; })"
            )
            settle(page)
            found = findings(page)
            check(not found, f"{part}: {found}")
            # Opens all details, including new ones, and checks again.
            opened = "each => each.forEach((details) => { details.open = true; })"
            page.locator("#main details").evaluate_all(opened)
            found = findings(page)
            check(not found, f"{part}, all open: {found}")


@test(anywhere=True, slow=True)
def test_no_part_has_a_finding_in_the_light(browser):
    audit(browser, size=WIDE)


@test(anywhere=True, slow=True)
def test_no_part_has_a_finding_in_the_dark_on_a_phone(browser):
    audit(browser, size=PHONE, theme="dark")


@test
def test_dialogs_have_no_finding(browser):
    with browser.shared("you") as page:
        settle(page, "you")
        page.evaluate(axe())
        page.get_by_role("button", name="Set the goal Active energy").click()
        check(not findings(page), f"{findings(page)}")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="End all").click()
        check(not findings(page), f"{findings(page)}")
        # The button that changes nothing has the focus.
        expect(page.get_by_role("button", name="Cancel")).to_be_focused()


@test(slow=True)
def test_pairing_and_forgetting_have_no_finding(browser):
    with browser.standin("monitors") as page:
        settle(page, "monitors")
        page.evaluate(axe())

        def sound(when):
            found = findings(page)
            check(not found, f"{when}: {found}")

        page.get_by_role("button", name="Look for monitors").click()
        near = page.locator(".enrolment li").get_by_role("button")
        expect(near).to_be_visible()
        sound("when monitors are heard")
        near.click()
        dialog = page.locator("dialog")
        expect(dialog.get_by_label("Whose it is")).to_be_visible()
        sound("before it is paired")
        dialog.get_by_role("button", name="Pair", exact=True).click()
        digits = page.get_by_label("The six digits that the monitor shows")
        expect(digits).to_be_focused()
        sound("when digits are asked for")
        digits.fill("543210")
        page.get_by_role("button", name="Continue").click()
        expect(page.locator(".enrolment").get_by_role("alert")).to_be_visible()
        sound("when it failed")
        page.get_by_text("More").first.click()
        page.get_by_role("button", name="Forget").first.click()
        expect(dialog.get_by_role("button", name="Keep")).to_be_visible()
        sound("before it is forgotten")


@test
def test_the_overlay_has_no_finding(browser):
    with browser.standin("overlay") as page:
        expect(page.locator(".overlay-rate")).to_have_text("71")
        page.evaluate(axe())
        check(not findings(page), f"{findings(page)}")


@test(slow=True)
def test_no_part_is_wider_than_a_phone(browser):
    with browser.standin("now", size=PHONE) as page:
        settle(page, "now")
        for part in PARTS:
            go(page, part)
            width = page.evaluate("document.documentElement.scrollWidth")
            check(width <= PHONE["width"], f"{part} is {width} pixels wide")


@test(slow=True)
def test_the_content_is_two_key_presses_away(browser):
    with browser.standin("sessions") as page:
        settle(page, "sessions")
        page.keyboard.press("Tab")
        expect(page.locator(".skip")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("#main")).to_be_focused()
        check("sessions" in page.url, "the jump changed the part")


@test(slow=True)
def test_another_part_is_announced(browser):
    with browser.standin("sessions") as page:
        settle(page, "sessions")
        heading = page.locator("h1")
        # Opening the page does not move the focus.
        expect(page.locator("body")).to_be_focused()
        for name in ("Summary", "Heart rate", "All data"):
            page.locator("#nav").get_by_role("link", name=name, exact=True).click()
            expect(heading).to_be_focused()
            expect(heading).to_have_text(name)
            ring = page.evaluate("getComputedStyle(document.querySelector('h1')).outlineStyle")
            check(ring == "none", f"a click shows a focus ring: {ring}")
        page.go_back()
        expect(heading).to_be_focused()
        expect(heading).to_have_text("Heart rate")
        # Another person or another range does not move the focus either.
        page.locator("#people").focus()
        page.locator("#people").select_option("anna")
        settle(page, "heart-rate")
        expect(page.locator("#people")).to_be_focused()
        page.get_by_role("button", name="Week", exact=True).click()
        settle(page)
        expect(page.get_by_role("button", name="Week", exact=True)).to_be_focused()


@test(slow=True)
def test_reduced_motion_has_no_animation(browser):
    with browser.standin("heart-rate", reduced_motion="reduce") as page:
        settle(page, "heart-rate")
        page.get_by_role("button", name="Week", exact=True).click()
        go(page, "now")
        expect(page.locator(".pulse .rate span").first).to_have_text("71")
        page.wait_for_timeout(700)
        running = page.evaluate("document.getAnimations().length")
        check(running == 0, f"{running} animations run")


def pictures(browser, **options):
    """Returns the number of frames of the trace that are drawn in three seconds of the test's clock."""
    with browser.standin("now", clocked=True, **options) as page:
        expect(page.locator(".pulse .rate span").first).to_have_text("71")
        page.clock.pause_at(page.evaluate("Date.now() / 1000 + 2"))
        page.evaluate("""() => {
          window.pictures = 0;
          const pen = CanvasRenderingContext2D.prototype, clear = pen.clearRect;
          pen.clearRect = function (...all) { window.pictures += 1; clear.apply(this, all); };
        }""")
        page.clock.run_for(3000)
        return page.evaluate("window.pictures")


@test(slow=True)
def test_reduced_motion_updates_the_trace_once_a_second(browser):
    # The expected numbers of frames are those of the traces of two straps, each drawn about once a
    # second.
    still, moving = pictures(browser, reduced_motion="reduce"), pictures(browser)
    check(2 <= still <= 8, f"{still} frames in three seconds")
    # In three seconds a trace moves about ten pixels, and is drawn for each half pixel.
    check(moving > 3 * still, f"{moving} frames in three seconds without reduced motion")
