"""Each part of the page: its contents, and its requests."""

import contextlib
import re

from harness import check, eventually, expect, go, settle, test, unchanged
from standin import DAY, HOUR, MINUTE, NEAR, STRAP, WATCH, StandIn, World, linked

PARTS = [
    "now",
    "heart-rate",
    "beats",
    "sessions",
    "sessions?view=calendar",
    "sleep",
    "summary",
    "data",
    "data?type=heartRate",
    "access",
    "monitors",
    "storage",
    "welcome",
    "you",
]


def posted(page, path):
    return [body for each, body in page.world.posted if each == path]


@test(anywhere=True, slow=True)
def test_each_part_opens_and_says_something(browser):
    """Works also with the real server and any store."""
    opened = browser.page if browser.address else lambda: browser.standin("now")
    with opened() as page:
        settle(page, "now")
        for part in PARTS:
            go(page, part)
            text = page.locator("#main").inner_text()
            check(len(text) > 20, f"{part} says nothing: {text!r}")
            check(not page.locator("#main .problem:visible").count(), f"{part} has a problem: {text}")


@test
def test_an_empty_store_has_a_sentence_for_each_part(browser):
    with browser.standin("now", is_empty=True) as page:
        settle(page, "now")
        sentences = {
            "now": "Nothing is stored yet",
            "heart-rate": "No heart rate is stored",
            "beats": "No beats are stored",
            "sessions": "No heart rate is stored yet",
            "sleep": "No sleep is stored yet",
            "summary": "Nothing is stored yet",
            "data": "Nothing is stored yet",
            "access": "No data yet",
            "monitors": "No monitor has been added",
            "storage": "Data stays on this computer",
            "you": "Maximum heart rate",
        }
        for part, sentence in sentences.items():
            go(page, part)
            expect(page.locator("#main")).to_contain_text(sentence)
            text = page.locator("#main").inner_text()
            check("undefined" not in text and "NaN" not in text, f"{part}: {text!r}")


@test
def test_without_javascript_there_is_one_sentence(browser):
    with browser.standin("now", java_script_enabled=False) as page:
        check(
            "JavaScript, which is switched off in this browser" in page.locator("body").inner_text(),
            page.content(),
        )
        # Without JavaScript nothing is loading, so the message about loading is hidden.
        expect(page.locator("#begin")).to_be_hidden()


@test
def test_a_missing_script_leaves_a_sentence_that_says_what_to_do(browser):
    with browser.page() as page, contextlib.closing(StandIn()) as server:
        for file in ("app.js", "format.js"):
            page.route(f"**/{file}", lambda route: route.fulfill(status=429, body="busy"))
            page.goto(server.address)
            expect(page.locator("#main")).to_contain_text("reload the page")
            expect(page.locator("#begin")).to_be_visible()
            page.unroute(f"**/{file}")
            page.reload()
            settle(page, "now")
            expect(page.locator("#begin")).to_have_count(0)


@test
def test_a_page_starts_when_the_server_responds(browser):
    with browser.page() as page, contextlib.closing(StandIn()) as server:
        server.world.failing = {"/api/session": "The store is locked."}
        page.goto(server.address)
        alert = page.get_by_role("alert")
        expect(alert).to_have_text("The store is locked. This page tries again automatically.")
        server.world.failing = {}
        page.route("**/api/session", lambda route: route.abort())
        expect(alert).to_contain_text("hrgate does not respond")
        page.unroute("**/api/session")
        settle(page, "now")


@test(anywhere=True, slow=True)
def test_the_figures_of_a_day_equal_the_statistics(browser):
    opened = browser.page if browser.address else lambda: browser.standin("now")
    with opened() as page:
        settle(page, "now")
        types = page.evaluate("async () => (await (await fetch('/api/types')).json()).types")
        rate = next((each for each in types if each["type"] == "heartRate"), None)
        if not rate:
            return
        # Finds the last complete day with data, because the current day changes during the test.
        past = page.evaluate(
            """async ({ first, last }) => {
              const today = new Date().setHours(0, 0, 0, 0);
              const from = Math.max(Date.parse(first), Date.parse(last) - 300 * 86400000);
              const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
              const query = new URLSearchParams(
                { type: "heartRate", every: "1d", zone: timeZone, from: new Date(from).toISOString(),
                  to: new Date(today).toISOString() });
              const { intervals } = await (await fetch(`/api/statistics?${query}`)).json();
              return intervals.map((each) => new Date(each.start).toLocaleDateString("sv"));
            }""",
            rate,
        )
        check(past, "there is no day but today")
        date = past[-1]
        go(page, f"heart-rate?range=day&at={date}")
        start = page.evaluate("date => new Date(`${date}T00:00`).getTime()", date)
        end = page.evaluate(
            "date => { const d = new Date(`${date}T00:00`); return d.setDate(d.getDate() + 1); }",
            date,
        )
        wanted = page.evaluate(
            """async (times) => {
              const [from, to] = times.map((time) => new Date(time).toISOString());
              return (await fetch(`/api/statistics?type=heartRate&from=${from}&to=${to}`)).json();
            }""",
            [start, end],
        )
        settle(page)
        shown = dict(
            page.evaluate("""() => [...document.querySelectorAll(".figures div")].map(
          (each) => [each.querySelector("dt").textContent,
              each.querySelector("dd").textContent])""")
        )
        check(wanted["count"], f"nothing was measured on {date}")

        def whole(value):
            return page.evaluate(
                "v => new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 }).format(v)", value
            )

        for name, value in (
            ("lowest", whole(wanted["min"])),
            ("highest", whole(wanted["max"])),
            ("average of all readings", whole(wanted["average"])),
        ):
            check(
                shown.get(name) == value,
                f"{name} is {shown.get(name)} on the page, {value} in the statistics",
            )


@test
def test_beats_are_shown_with_coverage_artifacts_and_withheld_figures(browser):
    with browser.shared("beats") as page:
        settle(page, "beats")
        main = page.locator("#main")
        for words in (
            "97% of the time covered",
            "2% artifacts",
            "42 ms",
            "the window is too short",
            "Zone 5",
        ):
            expect(main).to_contain_text(words)
        # The plot shows pairs of successive intervals. An interval beside an artifact is not part
        # of a pair.
        label = page.locator("canvas.square").get_attribute("aria-label")
        pairs = int(label.split(" pairs")[0].split()[-1])
        intervals = int(5 * 60 / 0.85)
        check(
            intervals * 0.85 < pairs < intervals - intervals // 50,
            f"{pairs} pairs of some {intervals} intervals",
        )
        page.get_by_role("button", name="Hour", exact=True).click()
        settle(page)
        expect(main).to_contain_text("Each 5 minutes")
        page.get_by_text("with coverage and artifacts").click()
        expect(main).to_contain_text("too few beats")
        # A window of variability is at most a day long.
        page.get_by_role("button", name="Week", exact=True).click()
        settle(page)
        expect(main).to_contain_text("day by day")
        check(not page.locator("#main .problem:visible").count(), main.inner_text())


@test
def test_heart_rates_without_beats_have_zones(browser):
    def world(world):
        world.beating = []

    with browser.standin("beats", world) as page:
        settle(page, "beats")
        main = page.locator("#main")
        expect(main).to_contain_text("No beats are stored")
        expect(main).to_contain_text("Zone 5")
        expect(page.get_by_role("button", name="Day", exact=True)).to_have_attribute("aria-pressed", "true")
        # Without beats, the figures that need them are not shown.
        expect(main).not_to_contain_text("Variability")
        expect(page.locator("canvas.square")).to_have_count(0)
        page.get_by_role("button", name="Hour", exact=True).click()

        def last():
            return [each for path, each in page.world.asked if path == "/api/zones"][-1]

        eventually(page, lambda: int(last()["to"]) - int(last()["from"]) == HOUR, "zones are of another time")
        check(abs(int(last()["to"]) - page.world.now) <= 2000, f"{last()}")
        paths = {path for path, _ in page.world.asked}
        check(not paths & {"/api/beats", "/api/variability"}, f"{paths}")
        page.get_by_role("button", name="Before").click()
        eventually(page, lambda: int(last()["to"]) < page.world.now - HOUR + MINUTE, "there is no way back")


@test
def test_intervals_are_offered_if_there_are_beats(browser):
    with browser.standin("you") as page:
        now = page.world.now
        intervals = page.get_by_role("link", name="RR intervals")
        go(page, f"heart-rate?from={now - 8 * HOUR}&to={now}")
        expect(intervals).to_be_visible()
        go(page, f"heart-rate?from={now - 9 * DAY}&to={now - 8 * DAY}")
        expect(intervals).to_be_hidden()
        # An earlier series reaches into this range, although none begins in it.
        go(page, f"heart-rate?from={now - 4 * MINUTE}&to={now - MINUTE}")
        expect(intervals).to_be_visible()
        go(page, f"heart-rate?from={now - 8 * HOUR}&to={now - HOUR}")
        expect(intervals).to_be_visible()
        # When the strap is hidden, the watch is the only visible source, and it has no beats.
        page.locator(".legend button").first.click()
        expect(intervals).to_be_hidden()


@test
def test_sessions_are_listed_and_compared(browser):
    def world(world):
        window = {"source": STRAP, "name": "x", "beats": 9, "coverage": 0.1, "artefacts": 0}
        world.session = {"variability": window | {"refused": "low-coverage"}}

    with browser.standin("sessions", world) as page:
        settle(page, "sessions")
        expect(page.locator(".session")).to_have_count(2)
        boxes = page.locator(".session input")
        boxes.nth(0).check()
        expect(page.locator("canvas.comparison")).to_have_count(0)
        boxes.nth(1).check()
        expect(page.locator("canvas.comparison")).to_have_attribute(
            "aria-label", "Heart rate of 2 sessions from their beginnings"
        )
        expect(page.get_by_role("region", name="The sessions compared").locator("tbody tr")).to_have_count(2)
        href = page.locator(".session").first.get_by_role("link", name="RR").get_attribute("href")
        check(linked(href)["from"] == page.world.now - HOUR and linked(href)["source"] == STRAP, href)
        # The link to the beats of a session selects the same strap.
        page.locator(".session").first.get_by_role("link", name="Open").click()
        settle(page, "session")
        page.world.asked.clear()
        page.locator("#main").get_by_role("link", name="Beats", exact=True).click()
        settle(page, "beats")
        # The zones are requested later than the variability, when the maximum heart rate is known.
        for route in ("/api/variability", "/api/zones"):
            eventually(page, lambda route=route: any(path == route for path, _ in page.world.asked), f"no {route}")
            asked = [each.get("source") for path, each in page.world.asked if path == route]
            check(asked and set(asked) == {STRAP}, f"{route}: {asked}")


@test(slow=True)
def test_one_of_two_straps_can_be_selected(browser):
    def world(world):
        world.beating.append((WATCH, "Other"))

    with browser.standin("beats", world) as page:
        settle(page, "beats")
        # The first range ends with the last measurement.
        to = page.evaluate("Number(new URLSearchParams(location.hash.split('?')[1]).get('to'))")
        check(abs(to - page.world.now) < MINUTE, f"{page.world.now - to} ms before the end")
        page.get_by_text("As a table").first.click()
        expect(page.get_by_role("region", name="Tachogram")).to_contain_text("artifact")
        page.get_by_role("button", name="Other").click()
        settle(page)
        check(f"source={WATCH}" in page.get_by_role("link", name="RR intervals").get_attribute("href"), "RR")
        # On a busy machine, these requests arrive after the chart was drawn.
        for path in ("/api/variability", "/api/zones"):
            eventually(
                page,
                lambda path=path: [each for name, each in page.world.asked if name == path][-1].get("source")
                == WATCH,
                f"{path} is of another source",
            )
        # The plot of pairs is shown for up to four hours.
        go(page, f"beats?from={page.world.now - 3 * HOUR}&to={page.world.now}&source={STRAP}")
        expect(page.locator("#main")).to_contain_text("pairs, in milliseconds")
        go(page, "now")
        go(page, f"beats?from={page.world.now - 5 * HOUR}&to={page.world.now}")
        expect(page.locator("#main")).to_contain_text("Zoom in to four hours or less")


@test
def test_samples_are_listed_with_their_details_page_by_page(browser):
    with browser.shared("data?type=heartRate") as page:
        settle(page, "data")
        expect(page.locator("#main")).to_contain_text("18,000 samples")
        rows = page.locator("tbody > tr")
        expect(rows).to_have_count(100)
        rows.first.get_by_text("Show").click()
        expect(rows.first).to_contain_text("00000000-0000-8000-8000-000000000000")
        expect(rows.first).to_contain_text("<i>value</i>")
        page.get_by_role("button", name="Show older samples").click()
        expect(rows).to_have_count(200)
        expect(rows.nth(100)).to_contain_text(
            page.evaluate(
                """time => new Date(time).toLocaleTimeString(
                  "en-GB", { hour: "numeric", minute: "2-digit", second: "2-digit" })""",
                page.world.now - 100_000,
            )
        )
        page.get_by_label("To", exact=True).fill("2026-11-03")
        midnight = page.evaluate("new Date('2026-11-04T00:00').getTime()")
        eventually(
            page,
            lambda: any(
                path == "/api/samples" and each.get("to") == midnight for path, each in page.world.asked
            ),
            "samples of all days were asked for",
        )
        link = page.get_by_role("link", name="CSV").get_attribute("href")
        check(linked(link)["to"] == midnight, link)


@test
def test_a_request_is_granted_what_is_switched_on(browser):
    with browser.standin("access") as page:
        request = page.locator(".request")
        expect(request).to_contain_text("asks for access")
        expect(page.locator('#nav a[data-part="access"]')).to_contain_text("1")
        request.get_by_role("switch", name="Heart rate", exact=True).check()
        # The gateway's events arrive four times a second, and do not reset the switch.
        page.wait_for_timeout(600)
        request.get_by_role("button", name="Allow selected").click()
        expect(request).to_have_count(0)
        body = posted(page, "/api/permissions/answer")
        check(body == [{"id": 17, "read": ["heartRate"], "share": []}], str(body))
        expect(page.locator('#nav a[data-part="access"] .badge')).to_have_count(0)


@test(slow=True)
def test_requested_single_samples_are_chosen_one_by_one(browser):
    def world(world):
        objects = [
            {"uuid": f"0{k}", "type": "heartRate", "start": world.now - k * DAY, "name": "Eye"}
            for k in (1, 2)
        ]
        world.pending[0] |= {"read": [], "share": [], "objects": objects, "moreObjects": 3}

    with browser.standin("access", world) as page:
        request = page.locator(".request")
        expect(request).to_contain_text("And 3 more")
        request.get_by_role("switch").nth(1).check()
        request.get_by_role("button", name="Allow selected").click()
        expect(request).to_have_count(0)
        body = posted(page, "/api/permissions/answer")
        check(body == [{"id": 17, "read": [], "share": [], "objects": ["02"]}], str(body))


@test(slow=True)
def test_a_denied_request_gets_nothing(browser):
    with browser.standin("access") as page:
        page.locator(".request").get_by_role("switch").first.check()
        page.get_by_role("button", name="Deny", exact=True).click()
        expect(page.locator(".request")).to_have_count(0)
        check(
            posted(page, "/api/permissions/answer") == [{"id": 17, "read": [], "share": []}], "it got something"
        )


@test
def test_access_can_be_changed(browser):
    with browser.shared("access", unchanged) as page:
        reads = page.get_by_role("switch", name="Coach reads heart rate", exact=True)
        expect(reads).to_be_checked()
        expect(page.get_by_role("switch", name="Coach reads steps (not decided)")).to_have_count(1)
        reads.uncheck()
        eventually(page, lambda: posted(page, "/api/permissions"), "there was no change")
        check(
            posted(page, "/api/permissions")
            == [{"application": "org.example.coach", "types": ["heartRate"], "read": False}],
            str(posted(page, "/api/permissions")),
        )
        page.world.failing = {"/api/permissions": "The store is locked."}
        saves = page.get_by_role("switch", name="Coach saves heart rate", exact=True)
        saves.click()
        expect(page.get_by_role("alert").filter(has_text="locked")).to_have_count(1)
        expect(saves).not_to_be_checked()


@test
def test_an_app_that_has_not_asked_is_allowed_to_read(browser):
    with browser.standin("access") as page:
        settle(page, "access")
        page.get_by_text("Allow an app that has not asked").click()
        button = page.get_by_role("button", name="Allow reading")
        # Without an identifier, nothing is sent.
        button.click()
        check(not posted(page, "/api/permissions"), "it was sent without an app")
        page.get_by_label("Identifier of the app").fill(" net.example.runner ")
        page.get_by_label("It may read").select_option("restingHeartRate")
        page.world.failing["/api/permissions"] = "This is no identifier of an application."
        button.click()
        expect(page.locator("details.grant [role=alert]")).to_have_text("This is no identifier of an application.")
        page.world.failing.clear()
        page.world.permissions.append({"application": "net.example.runner", "name": "net.example.runner",
                                       "type": "restingHeartRate", "read": True, "objects": 0})
        button.click()
        expect(page.locator("#notice")).to_have_text("net.example.runner may read resting heart rate.")
        expect(page.get_by_role("switch", name="net.example.runner reads resting heart rate")).to_be_checked()
        wanted = {"application": "net.example.runner", "types": ["restingHeartRate"], "read": True}
        check(posted(page, "/api/permissions")[-1] == wanted, str(posted(page, "/api/permissions")))


@test
def test_the_access_of_an_app_says_when_it_last_read(browser):
    def world(world):
        nameless = {"application": "org.example.nameless", "name": "org.example.nameless"}
        world.permissions.append(nameless | {"type": "heartRate", "read": True})

    with browser.shared("access", world) as page:
        coach = page.locator(".application").filter(has_text="Coach")
        expect(coach).to_contain_text(re.compile(r"Last read: 2\d min ago\."))
        nameless = page.locator(".application").filter(has_text="nameless")
        expect(nameless).to_contain_text("No read is recorded.")


@test
def test_the_order_of_sources_is_changed_by_key_and_by_dragging(browser):
    with browser.shared("access", unchanged) as page:
        names = page.locator(".order .name")
        expect(names).to_have_count(2)
        page.locator(".order .grip").first.focus()
        page.keyboard.press("ArrowDown")
        expect(names.last).to_contain_text("Polar")
        eventually(page, lambda: posted(page, "/api/order"), "there was no change")
        check(
            posted(page, "/api/order")[0] == {"type": "heartRate", "sources": [WATCH, STRAP]},
            str(posted(page, "/api/order")),
        )
        check(page.evaluate("document.activeElement.className") == "grip", "the focus was lost")
        page.locator(".order").scroll_into_view_if_needed()
        grip, first = (
            page.locator(".order .grip").last.bounding_box(),
            page.locator(".order li").first.bounding_box(),
        )
        page.mouse.move(grip["x"] + 5, grip["y"] + 5)
        page.mouse.down()
        page.mouse.move(first["x"] + 20, first["y"] + 3, steps=6)
        page.mouse.up()
        eventually(page, lambda: len(posted(page, "/api/order")) == 2, "dragging sent no request")
        check(posted(page, "/api/order")[1]["sources"] == [STRAP, WATCH], str(posted(page, "/api/order")))


@test
def test_monitors_have_state_advice_and_gaps(browser):
    with browser.shared("monitors") as page:
        main = page.locator("#main")
        for words in (
            "1 of 2 monitors is connected",
            "must be paired again",
            "Pair the monitor again",
            "link lost",
            "1 h",
        ):
            expect(main).to_contain_text(words)
        page.get_by_text("More").first.click()
        expect(main).to_contain_text("C0:FF:EE:00:00:01")
        # The gateway's events arrive four times a second, and do not close open details.
        page.wait_for_timeout(700)
        check(page.locator(".monitor details[open]").count() == 1, "open details were closed")


@test
def test_a_monitor_is_paired_with_the_digits_that_it_shows(browser):
    with browser.standin("monitors") as page:
        page.get_by_role("button", name="Look for monitors").click()
        near = page.locator(f'.enrolment li[data-address="{NEAR}"]')
        expect(near).to_contain_text("-61 dBm")
        expect(near).to_contain_text("<img src=x")
        page.get_by_label("Without a bond").check()
        near.get_by_role("button").click()
        dialog = page.locator("dialog")
        dialog.get_by_label("Whose it is").select_option("anna")
        dialog.get_by_role("button", name="Pair", exact=True).click()
        digits = page.get_by_label("The six digits that the monitor shows")
        expect(digits).to_be_focused()
        expect(page.locator(".enrolment")).to_contain_text("pairing …")
        # The page polls the state of pairing in the meantime, and does not replace the input.
        digits.fill("0123")
        page.wait_for_timeout(1500)
        expect(digits).to_have_value("0123")
        digits.fill("012345")
        page.get_by_role("button", name="Continue").click()
        expect(page.locator("#notice")).to_have_text("Near is paired.")
        # The next monitor gets a bond, unless the user chooses again.
        expect(page.get_by_label("Without a bond")).not_to_be_checked()
        expect(page.locator(".monitor").filter(has_text="Near")).to_have_count(1)
        check(
            posted(page, "/api/radio/enrol") == [{"monitor": NEAR, "bonds": False}],
            str(posted(page, "/api/radio/enrol")),
        )
        check(
            posted(page, "/api/radio/answer") == [{"question": 5, "passkey": "012345"}],
            str(posted(page, "/api/radio/answer")),
        )
        check(page.world.persons == ["anna"], f"it is enrolled for {page.world.persons}")


@test(slow=True)
def test_the_result_of_a_pairing_is_shown_in_another_window(browser):
    with browser.standin("monitors") as page:
        page.get_by_role("button", name="Look for monitors").click()
        page.locator(".enrolment li button").click()
        page.locator("dialog").get_by_role("button", name="Pair", exact=True).click()
        expect(page.get_by_label("The six digits that the monitor shows")).to_be_focused()
        other = page.context.new_page()
        other.goto(page.url)
        expect(other.get_by_label("The six digits that the monitor shows")).to_be_visible()
        other.get_by_role("button", name="Do not pair").click()
        for each in (page, other):
            expect(each.locator(".enrolment").get_by_role("alert")).to_have_text(
                "Pairing failed: the passkey is another."
            )
        check(posted(page, "/api/radio/answer") == [{"question": 5}], str(posted(page, "/api/radio/answer")))
        check(page.locator("#notice").is_hidden(), "a finished pairing is announced")


@test(slow=True)
def test_a_monitor_is_forgotten_after_confirmation(browser):
    def world(world):
        world.is_quiet = True

    with browser.standin("monitors", world) as page:
        monitors = page.locator(".monitor")
        expect(monitors).to_have_count(2)
        page.get_by_text("More").first.click()
        forget = page.get_by_role("button", name="Forget Polar H10 00000001")
        forget.click()
        page.locator("dialog").get_by_role("button", name="Keep").click()
        check(not posted(page, "/api/monitors/forget"), "it was forgotten although the user declined")
        forget.click()
        page.locator("dialog").get_by_role("button", name="Forget", exact=True).click()
        expect(monitors).to_have_count(1)
        body = posted(page, "/api/monitors/forget")
        check(body == [{"monitor": "C0:FF:EE:00:00:01"}], str(body))


@test(slow=True)
def test_an_error_of_a_scan_is_shown(browser):
    def world(world):
        world.failing = {"/api/radio/hear": "A monitor is being paired: wait until that is over."}

    with browser.standin("monitors", world) as page:
        page.get_by_role("button", name="Look for monitors").click()
        expect(page.locator(".enrolment").get_by_role("alert")).to_have_text(
            "A monitor is being paired: wait until that is over."
        )


@test
def test_characteristics_units_and_goals_can_be_set_and_removed(browser):
    with browser.shared("you", unchanged) as page:
        page.get_by_label("Sex").select_option("female")
        eventually(page, lambda: posted(page, "/api/characteristics"), "there was no change")
        page.get_by_label("Date of birth").fill("")
        eventually(page, lambda: len(posted(page, "/api/characteristics")) == 2, "there was no change")
        check(
            posted(page, "/api/characteristics")
            == [{"name": "biologicalSex", "value": "female"}, {"name": "dateOfBirth", "value": None}],
            str(posted(page, "/api/characteristics")),
        )
        page.get_by_label("Weight").select_option("lb")
        eventually(page, lambda: posted(page, "/api/units"), "there was no change")
        check(posted(page, "/api/units") == [{"type": "bodyMass", "unit": "lb"}], str(posted(page, "/api/units")))
        page.get_by_role("button", name="Set the goal Active energy").click()
        page.locator("dialog input").fill("2500")
        page.get_by_role("button", name="Save", exact=True).click()
        eventually(page, lambda: posted(page, "/api/goals"), "there was no change")
        today = page.evaluate("new Date().toLocaleDateString('sv')")
        check(
            posted(page, "/api/goals") == [{"goal": "activeEnergyBurned", "value": 2500, "from": today}],
            str(posted(page, "/api/goals")),
        )


@test(slow=True)
def test_a_theme_is_saved_and_sessions_of_browsers_are_ended(browser):
    with browser.standin("you") as page:
        page.get_by_role("button", name="Dark", exact=True).click()
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
        check(dark == "rgb(17, 19, 21)", dark)
        page.reload()
        expect(page.get_by_role("button", name="Dark", exact=True)).to_have_attribute("aria-pressed", "true")
        check(page.evaluate("getComputedStyle(document.body).backgroundColor") == dark, "it was forgotten")
        page.get_by_role("button", name="End the one").click()
        eventually(page, lambda: posted(page, "/api/sessions/end"), "there was no change")
        check(posted(page, "/api/sessions/end") == [{"id": "b"}], str(posted(page, "/api/sessions/end")))


@test(slow=True)
def test_the_maximum_heart_rate_changes_the_zones(browser):
    with browser.standin("you") as page:
        page.get_by_role("spinbutton", name="Maximum heart rate").fill("120")
        page.keyboard.press("Tab")
        go(page, "now")
        # 71 is 59 percent of the maximum heart rate (120).
        expect(page.locator(".pulse").first).to_contain_text("zone 1, very light")
        go(page, "beats")
        eventually(
            page,
            lambda: any(path == "/api/zones" and each["maximum"] == "120" for path, each in page.world.asked),
            "zones were reckoned from something else",
        )


def keep(page, types):
    """Pins types for the person whose data is shown."""
    page.evaluate(
        "types => import('/settings.js').then(({ keepSetting }) => keepSetting('pinned', types, true))", types
    )


def kept(page, part="summary"):
    go(page, part)
    return page.evaluate("import('/settings.js').then(({ setting }) => setting('pinned', null, true))")


@test
def test_settings_belong_to_the_displayed_person(browser):
    """The settings of a person are the same, whether the page was started for the person or the person was
    selected."""
    with browser.standin("summary") as page:
        settle(page, "summary")
        keep(page, ["heartRate"])
        check(kept(page, "summary?person=anna") is None, "anna has what the owner keeps")
        keep(page, ["stepCount"])
        # If the owner is selected by name, the owner's settings are used.
        page.locator("#people").select_option("me")
        check(kept(page, "summary?person=me") == ["heartRate"], "the owner has lost it")
        # Starts a page for anna on the same port.
        page.world.person = "anna"
        page.goto(page.server.address + "#/summary")
        page.reload()
        settle(page, "summary")
        check(kept(page) == ["stepCount"], "anna has lost it")
        check(kept(page, "summary?person=me") == ["heartRate"], "the owner has another one")


@test(slow=True)
def test_settings_of_another_store_are_not_the_owners(browser):
    with browser.standin("summary") as page:
        settle(page, "summary")
        keep(page, ["heartRate"])
        page.world.people = []
        page.reload()
        settle(page, "summary")
        check(kept(page) is None, "a file has what the owner keeps")


@test
def test_the_maximum_heart_rate_is_in_the_store(browser):
    with browser.standin("you") as page:
        settle(page, "you")
        box = page.get_by_role("spinbutton", name="Maximum heart rate")
        expect(box).to_have_attribute("placeholder", "175")
        box.fill("190")
        page.keyboard.press("Tab")
        eventually(page, lambda: posted(page, "/api/maximum") == [{"maximum": 190}], "it is not sent")
        # The maximum is in the store, so another browser shows it too.
        with browser.page(page.server.address + "#/you") as other:
            settle(other, "you")
            expect(other.get_by_role("spinbutton", name="Maximum heart rate")).to_have_value("190")
        box.fill("")
        page.keyboard.press("Tab")
        eventually(page, lambda: posted(page, "/api/maximum")[-1] == {"maximum": None}, "it is not taken back")


@test(slow=True)
def test_a_maximum_heart_rate_that_a_browser_has_kept_goes_into_the_store(browser):
    with browser.standin("you") as page:
        settle(page, "you")
        page.evaluate("import('/settings.js').then(({ keepSetting }) => keepSetting('maximum', 188, true))")
        go(page, "beats")
        eventually(page, lambda: posted(page, "/api/maximum") == [{"maximum": 188}], "it is not sent")
        go(page, "you")
        expect(page.get_by_role("spinbutton", name="Maximum heart rate")).to_have_value("188")
        # The maximum heart rate that an older page kept in the browser is sent only once, and not again after
        # it was removed from the store.
        page.world.maximum = None
        go(page, "beats")
        go(page, "you")
        expect(page.get_by_role("spinbutton", name="Maximum heart rate")).to_have_value("")


@test
def test_the_summary_describes_its_comparison_and_saves_pinned_types(browser):
    with browser.standin("summary") as page:
        expect(page.locator(".card")).to_have_count(2)
        expect(page.locator(".card").first).to_contain_text(
            "Last 7 days: 71.3, average of the daily averages. 60 days before (20 with measurements): 73.0."
            " Your normal range: 71.4 to 74.7. The last 7 days are below it."
        )
        page.get_by_text("Pinned types").click()
        page.get_by_role("checkbox", name="Resting heart rate").uncheck()
        expect(page.locator(".card")).to_have_count(1)
        page.reload()
        expect(page.locator(".card")).to_have_count(1)


@test
def test_an_error_in_the_summary_differs_from_missing_data(browser):
    def world(world):
        world.failing = {"/api/statistics": "The store is locked."}

    with browser.standin("summary", world) as page:
        card = page.locator(".card").first
        expect(card.locator(".problem")).to_have_text("The store is locked.")
        # A failure of the request for daily statistics (`every=`) is shown in the same way.
        page.world.failing = {}
        page.route("**/api/statistics*every=*", lambda route: route.fulfill(
            status=503, json={"error": "store", "message": "The days are locked."}))
        page.reload()
        expect(card.locator(".problem")).to_have_text("The days are locked.")
        # If the comparison with the days before fails when a type is newly pinned, the page reports
        # it.
        page.unroute("**/api/statistics*every=*")
        page.route("**/api/types", lambda route: route.fulfill(json={"types": [
            {"type": kind, "kind": "quantity", "unit": "count", "style": "cumulative", "count": 9}
            | {"first": page.world.first, "last": page.world.now}
            for kind in ("stepCount", "flightsClimbed")]}))
        page.reload()
        page.get_by_text("Pinned types").click()
        page.world.failing = {"/api/summary": "Nothing can be compared."}
        page.get_by_role("checkbox", name="Flights climbed").check()
        expect(page.get_by_role("alert")).to_have_text("Nothing can be compared.")
        page.world.failing = {}
        page.get_by_role("checkbox", name="Steps").check()
        expect(page.locator("#main .problem:visible")).to_have_count(0)


@test
def test_days_begin_at_midnight_before_a_change_of_the_clocks_too(browser):
    with browser.standin("you") as page:
        settle(page, "you")
        # This time is nine days after the end of daylight saving time.
        page.clock.set_fixed_time("2026-11-03T12:00:00+01:00")
        for part, path, first in (
            ("summary", "/api/statistics", "2026-10-07T00:00:00+0200"),
            ("sessions", "/api/worn", "2026-10-05T00:00:00+0200"),
        ):
            page.world.asked.clear()
            go(page, part)
            bounds = {"from": first, "to": "2026-11-04T00:00:00+0100"}
            wanted = {name: page.evaluate("Date.parse", text) for name, text in bounds.items()}

            def asked():
                return [
                    {name: float(each[name]) for name in wanted}
                    for each_path, each in page.world.asked
                    if each_path == path
                ]

            eventually(page, lambda: wanted in asked(), f"{part} requests {asked()}, not {wanted}")


@test
def test_the_chart_of_another_person_uses_their_store(browser):
    def world(world):
        world.annas = World()
        world.annas.faster, world.annas.watch = 50, (0, 0)

    with browser.standin("heart-rate", world) as page:
        settle(page, "heart-rate")
        expect(page.locator(".figures div").nth(0)).to_contain_text("60")
        page.locator("#people").select_option("anna")
        expect(page.locator(".figures div").nth(0)).to_contain_text("110")
        settle(page, "heart-rate")
        page.locator(".chart-frame").focus()
        page.keyboard.press("End")
        # The last bar may cover only a few seconds, so the one before it is selected.
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".readout")).to_contain_text("110 to 130")


@test(slow=True)
def test_another_person_has_another_store(browser):
    with browser.standin("data") as page:
        settle(page, "data")
        page.locator("#people").select_option("anna")
        eventually(
            page,
            lambda: any(
                path == "/api/types" and each.get("person") == "anna" for path, each in page.world.asked
            ),
            "nothing of anna's was asked for",
        )
        page.get_by_role("link", name="Sessions").click()
        settle(page, "sessions")
        later = [each for path, each in page.world.asked if path == "/api/worn"]
        check(
            later and all(each.get("person") == "anna" for each in later), f"wrong person: {later}"
        )
        eventually(
            page,
            lambda: any(
                path == "/api/events" and each.get("person") == "anna" for path, each in page.world.asked
            ),
            "the events are still those of another person",
        )
