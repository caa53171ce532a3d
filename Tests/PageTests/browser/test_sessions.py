"""One session, and the calendar of sessions."""

import re
import time

from harness import PHONE, check, expect, go, settle, test
from standin import DAY, HOUR, MINUTE, STRAP, WATCH
from test_accessibility import axe, findings
from test_parts import posted

WORKOUT = {
    "type": "HKWorkoutTypeIdentifier",
    "activityType": "running",
    "duration": 1930.5,
    "totalDistance": {"value": 5.21, "unit": "km"},
    "source": {"name": "Watch", "bundleIdentifier": "com.example.watch"},
    "events": [{"type": "lap", "start": "2026-11-03T10:00:00.000000Z", "end": "2026-11-03T10:05:00.000000Z"}],
}


def opened(page):
    start = page.world.wearings[0][0]
    go(page, f"session?source={STRAP}&start={start}")


@test
def test_a_session_opens_from_the_list_and_goes_back(browser):
    with browser.standin("sessions") as page:
        settle(page, "sessions")
        page.locator(".session .links").first.get_by_text("Open").click()
        settle(page, "session")
        expect(page.locator("h1")).to_have_text("Session")
        expect(page.locator('#nav [aria-current="page"]')).to_have_text("Sessions")
        figures = page.locator(".figures")
        for words in ("60", "70", "80", "55"):
            expect(figures).to_contain_text(words)
        expect(page.locator("#main")).to_contain_text("59 min")
        # After a reload, the address still shows the session.
        page.reload()
        settle(page, "session")
        # The most important figures come first, and an average has the decimals of its values.
        shown = figures.evaluate("each => each.innerText.replaceAll('\\n', ' ')")
        check(re.fullmatch(r"duration 59 min average of all readings 70 highest, .* 80 lowest, .* 60 load .* 55", shown), shown)
        page.go_back()
        settle(page, "sessions")


@test
def test_rows_of_sessions_have_names(browser):
    def world(world):
        world.activity = "hiking"

    with browser.standin("sessions", world) as page:
        settle(page, "sessions")
        row = page.locator(".session").first
        expect(row.locator(".title strong")).to_have_text("Hiking")
        expect(row.locator(".title .quiet")).to_contain_text(" to ")
        expect(row.locator(".title .quiet")).to_contain_text("59 min")
        # The name that the user has given comes first.
        row.get_by_role("button").click()
        page.locator("dialog input").fill("Along the river")
        page.locator("dialog").get_by_role("button", name="Save").click()
        expect(row.locator(".title strong")).to_have_text("Along the river")
        page.world.activity = None
        page.reload()
        settle(page, "sessions")
        expect(row.locator(".title strong")).to_contain_text(" to ")


@test
def test_an_ongoing_session_is_marked_in_the_list(browser):
    def world(world):
        now = time.time() * 1000
        world.wearings = [(now - 40 * MINUTE, now - 2 * MINUTE), (now - 5 * HOUR, now - 4 * HOUR)]
        # A workout that has just been entered is over.
        world.other_sessions = [workout(now - 31 * MINUTE)]
        world.is_quiet = True

    with browser.standin("sessions", world, clocked=True) as page:
        settle(page, "sessions")
        rows = page.locator(".session")
        expect(rows).to_have_count(3)
        expect(rows.filter(has_text="ongoing")).to_have_count(1)
        expect(rows.filter(has_text="38 min, ongoing")).to_have_count(1)
        # It is over five minutes after its last heart rate, also without another commit.
        page.clock.fast_forward(4 * MINUTE)
        expect(rows.filter(has_text="ongoing")).to_have_count(0)
        expect(rows.filter(has_text="38 min")).to_have_count(1)


@test
def test_a_workout_of_two_sources_is_one_row(browser):
    def world(world):
        start, end = world.wearings[1]
        watch = {"source": WATCH, "name": "Watch with a long name", "count": 5}
        watch |= {"min": 60, "max": 80, "average": 70.0}
        # One session is at the time of the strap's, and another overlaps it by half.
        world.other_sessions = [
            watch | {"start": start - MINUTE, "end": end},
            watch | {"source": "other", "name": "Belt", "start": (start + end) / 2, "end": end},
        ]

    with browser.standin("sessions", world) as page:
        settle(page, "sessions")
        rows = page.locator(".session")
        expect(rows).to_have_count(3)
        row = rows.filter(has_text="also Watch")
        expect(row.locator(".source")).to_contain_text("Polar H10")
        # Both can be compared, and both can be opened.
        for box in row.get_by_role("checkbox").all():
            box.check()
        expect(page.locator("canvas.comparison")).to_have_attribute(
            "aria-label", "Heart rate of 2 sessions from their beginnings")
        links = row.get_by_role("link", name="Open").evaluate_all("each => each.map(({ href }) => href)")
        check(sum("watch" in each for each in links) == 1 and len(links) == 2, str(links))
        # The name of the second source is not cut off.
        place, name = (each.bounding_box() for each in (row.locator(".source"), row.locator(".also a")))
        check(name["x"] + name["width"] <= place["x"] + place["width"], f"{name} is not within {place}")
        check(name["y"] + name["height"] <= place["y"] + place["height"] + 1, f"{name} is not within {place}")


@test
def test_a_workout_of_two_sources_counts_once_in_the_calendar(browser):
    def world(world):
        noon = world.now - world.now % DAY + 10 * HOUR - 3 * DAY
        world.wearings = [(noon, noon + 30 * MINUTE)]
        watch = {"source": WATCH, "name": "Watch", "count": 5, "min": 60, "max": 80, "average": 70.0}
        world.other_sessions = [watch | {"start": noon - MINUTE, "end": noon + 30 * MINUTE, "load": 500}]

    with browser.standin("sessions?view=calendar", world) as page:
        settle(page, "sessions")
        month = page.evaluate("time => new Date(time).getMonth() !== new Date().getMonth()",
                              page.world.wearings[0][0])
        if month:
            page.get_by_role("button", name="Month before").click()
            settle(page)
        expect(page.locator(".calendar td a")).to_have_count(1)
        expect(page.locator(".calendar")).to_contain_text("1 session, 30 min")
        expect(page.locator(".calendar td strong")).to_have_text("30")


@test
def test_the_chart_of_a_session_has_the_colors_of_zones(browser):
    count = """color => {
      const canvas = document.querySelector('.chart-frame canvas');
      const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      const [r, g, b] = color;
      let count = 0;
      for (let i = 0; i < data.length; i += 4) {
        const near = Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 40;
        if (data[i + 3] > 200 && near) count += 1;
      }
      return count;
    }"""
    with browser.standin("sessions") as page:
        settle(page, "sessions")
        opened(page)
        page.wait_for_timeout(300)
        # Zone 2 begins at 60, and zone 3 at 70. The heart rate is 60 to 80, so no pixel has the color of zone
        # 5.
        found = [page.evaluate(count, color) for color in ([42, 107, 109], [160, 138, 46], [91, 26, 78])]
        check(found[0] > 20 and found[1] > 20 and found[2] == 0, str(found))
        frame = page.locator(".chart-frame").first
        frame.focus()
        page.keyboard.press("Home")
        expect(page.locator(".readout").first).to_contain_text("beats a minute")
        page.locator("summary").first.click()
        expect(page.locator("#main details table tbody tr").nth(10)).to_be_visible()


@test
def test_a_session_has_its_workout_and_a_name(browser):
    def world(world):
        start = world.wearings[0][0]
        world.session = {"workouts": [WORKOUT | {"start": start, "end": start + 40 * MINUTE}]}

    with browser.standin("sessions", world) as page:
        settle(page, "sessions")
        opened(page)
        expect(page.locator("h1")).to_have_text("Running")
        expect(page.locator("#main")).to_contain_text("Workout: Running, 32 min, 5.2 km")
        expect(page.locator("#main")).to_contain_text("Lap, 11:00:00")
        page.get_by_role("button", name="Rename").click()
        page.get_by_label("Name", exact=True).fill("Along the river")
        page.get_by_role("button", name="Save").click()
        expect(page.locator("h1")).to_have_text("Along the river")
        body = posted(page, "/api/worn/title")[-1]
        check(body["title"] == "Along the river" and body["source"] == STRAP, str(body))
        check(page.title().startswith("Along the river"), page.title())


def workout(start, minutes=30, **more):
    """The session of a workout that was entered by hand."""
    facts = {"uuid": "A0", "activityType": "cycling", "duration": 60 * minutes,
             "totalDistance": {"value": 12.4, "unit": "km"}, "totalEnergyBurned": {"value": 310, "unit": "kcal"}}
    return {"source": "org.hrgate.page", "name": "Entered", "start": start, "end": start + minutes * MINUTE,
            "count": 0, "activity": "cycling", "workout": facts} | more


@test
def test_a_workout_without_heart_rates_is_a_session(browser):
    def world(world):
        start = world.wearings[0][0] - DAY
        # Two workouts of a source may have the same start.
        world.other_sessions = [workout(start), workout(start)]
        world.other_sessions[1]["workout"]["uuid"] = "B1"
        details = world.other_sessions[0]
        world.workouts = {"A0": {"unit": "count/min", "session": details, "laps": [], "workouts": [
            WORKOUT | {"activityType": "cycling", "start": details["start"], "end": details["end"]}]}}

    with browser.standin("sessions", world) as page:
        settle(page, "sessions")
        rows = page.locator(".session").filter(has_text="Cycling")
        expect(rows).to_have_count(2)
        row = rows.first
        expect(row.locator(".title")).to_contain_text("30 min, 12.4 km, 310 kcal")
        expect(row).to_contain_text("No heart rate was measured.")
        # It cannot be compared, and has no beats.
        expect(row.get_by_role("checkbox")).to_have_count(0)
        expect(row.get_by_role("link", name="RR")).to_have_count(0)
        row.get_by_role("link", name="Open").click()
        settle(page, "session")
        expect(page.locator("h1")).to_have_text("Cycling")
        main = page.locator("#main")
        expect(main).to_contain_text("Workout: Cycling, 32 min, 5.2 km")
        expect(main).to_contain_text("No heart rate was measured during this workout.")
        for hidden in (".figures", "canvas", "form"):
            expect(main.locator(hidden).locator("visible=true")).to_have_count(0)
        expect(main.get_by_role("heading", name="Time in zones")).to_be_hidden()
        asked = [each for path, each in page.world.asked if path == "/api/worn/session"][-1]
        check(asked["workout"] == "A0", str(asked))
        # It can have a name, as each session.
        page.get_by_role("button", name="Rename").click()
        page.get_by_label("Name", exact=True).fill("To the lake")
        page.get_by_role("button", name="Save").click()
        expect(page.locator("h1")).to_have_text("To the lake")
        go(page, "sessions?view=calendar")
        link = page.locator(".calendar td a").filter(has_text="Cycling").first
        if not link.count():
            page.get_by_role("button", name="Month before").click()
            settle(page)
        expect(link).to_have_text("Cycling 30 min")


@test
def test_a_workout_has_the_heart_rates_of_another_source(browser):
    def world(world):
        start = world.wearings[0][0]
        found = workout(start, count=9, min=61, max=99, average=80.5, measuredBy=WATCH)
        world.wearings, world.other_sessions = [], [found]
        world.workouts = {"A0": {"unit": "count/min", "session": found, "laps": [], "workouts": [],
                                 "lowest": {"value": 61, "time": start}}}

    with browser.standin("sessions", world) as page:
        settle(page, "sessions")
        row = page.locator(".session")
        expect(row).to_contain_text("81 average")
        expect(row.get_by_role("checkbox")).to_have_count(1)
        row.get_by_role("link", name="Open").click()
        settle(page, "session")
        main = page.locator("#main")
        expect(main.locator(".figures")).to_contain_text("81")
        expect(main).to_contain_text("during less than half of the workout")
        asked = [each for path, each in page.world.asked if path == "/api/series"][-1]
        check(asked["source"] == WATCH, str(asked))


@test
def test_a_session_has_a_note_of_several_lines(browser):
    with browser.standin("sessions") as page:
        settle(page, "sessions")
        opened(page)
        shown = page.locator("#main .note")
        expect(shown).to_be_hidden()
        page.get_by_role("button", name="Add a note").click()
        field = page.get_by_label("Note", exact=True)
        expect(field).to_have_attribute("maxlength", "2000")
        field.fill("First <b>line</b>\nSecond line\u202e\n")
        page.get_by_role("button", name="Save").click()
        # It is text, not markup, on two lines.
        expect(shown).to_contain_text("Second line")
        check(shown.inner_text() == "First <b>line</b>\nSecond line", repr(shown.inner_text()))
        body = posted(page, "/api/worn/note")[-1]
        check(body["note"] == "First <b>line</b>\nSecond line\u202e" and body["source"] == STRAP, str(body))
        page.reload()
        settle(page, "session")
        expect(shown).to_contain_text("Second line")
        page.get_by_role("button", name="Change the note").click()
        field.fill("")
        page.get_by_role("button", name="Save").click()
        expect(shown).to_be_hidden()
        check(posted(page, "/api/worn/note")[-1]["note"] is None, "the note was not removed")
        # An error of the server stays beside the field.
        page.world.failing["/api/worn/note"] = "A note has at most 2000 characters."
        page.get_by_role("button", name="Add a note").click()
        field.fill("x")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("dialog").get_by_role("alert")).to_have_text("A note has at most 2000 characters.")


@test
def test_recovery_is_of_the_end_that_is_named(browser):
    with browser.standin("sessions") as page:
        settle(page, "sessions")
        opened(page)
        expect(page.locator("#main")).to_contain_text("Enter when the exercise ended")
        field = page.get_by_label("The exercise ended at")
        field.fill(field.input_value()[:16] + ":07")
        page.get_by_role("button", name="Show recovery").click()
        expect(page.locator("#main")).to_contain_text("18")
        expect(page.locator("#main")).to_contain_text("Fall of the heart rate in the minute after the end.")
        expect(page.locator(".definitions dl", has_text="Peak less afterOneMinute, in beats.")).to_have_count(1)
        asked = [each for path, each in page.world.asked if path == "/api/worn/session"][-1]
        check(asked["end"] % MINUTE == 7000, str(asked))
        check(abs(asked["end"] - page.world.wearings[0][1]) < 3 * MINUTE, str(asked))


@test
def test_a_session_that_is_not_there_is_said(browser):
    with browser.standin("sessions") as page:
        settle(page, "sessions")
        page.world.failing["/api/worn/session"] = "There is no session at this time."
        page.evaluate("location.hash = '#/session?source=x&start=1'")
        expect(page.get_by_role("alert")).to_have_text("There is no session at this time.")


@test
def test_a_calendar_has_sessions_with_the_load_of_their_weeks(browser):
    def world(world):
        # Both sessions are on the same day, so they are in one week.
        noon = world.now - world.now % DAY + 10 * HOUR - 3 * DAY
        world.wearings = [(noon + k * HOUR, noon + k * HOUR + 30 * MINUTE) for k in range(2)]

    with browser.standin("sessions", world) as page:
        settle(page, "sessions")
        page.get_by_role("button", name="Calendar", exact=True).click()
        settle(page, "sessions")
        month = page.evaluate("time => new Date(time).getMonth() !== new Date().getMonth()",
                              page.world.wearings[0][0])
        if month:
            page.get_by_role("button", name="Month before").click()
            settle(page)
        links = page.locator(".calendar td a")
        expect(links).to_have_count(2)
        expect(links.first).to_have_text("Running 30 min")
        expect(page.locator(".calendar")).to_contain_text("61")
        expect(page.locator(".calendar")).to_contain_text("2 sessions, 1 h")
        page.go_back()
        settle(page, "sessions")
        expect(page.locator(".session")).to_have_count(2)
        page.go_forward()
        settle(page, "sessions")
        if month:
            page.get_by_role("button", name="Month before").click()
            settle(page)
        links.first.click()
        settle(page, "session")


@test(slow=True)
def test_a_session_and_the_calendar_have_no_finding(browser):
    for options in ({}, {"size": PHONE, "theme": "dark"}):
        with browser.standin("sessions", **options) as page:
            settle(page, "sessions")
            page.evaluate(axe())
            start = page.world.wearings[0][0]
            for part in (f"session?source={STRAP}&start={start}", "sessions?view=calendar"):
                go(page, part)
                opened = "each => each.forEach((details) => { details.open = true; })"
                page.locator("#main details").evaluate_all(opened)
                settle(page)
                check(not findings(page), f"{part}: {findings(page)}")
                wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                check(wide <= 0, f"{part}: {wide} pixels too wide")
