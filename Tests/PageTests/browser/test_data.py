"""All data: descriptions of samples, and deletion."""

from harness import check, eventually, expect, go, settle, test
from standin import WATCH
from test_parts import posted

DAYS = "['2026-11-03', '2026-11-05'].map((day) => new Date(`${day}T00:00`).getTime())"

# A damaged hour, as the server names it.
DAMAGED = "the compressed samples of HKQuantityTypeIdentifierHeartRate of 2026-11-03T10:00:00Z cannot be read"


def listed(browser, kind, *samples):
    def world(world):
        world.listed = {kind: list(samples)}

    return browser.standin(f"data?type={kind}", world)


def values(page):
    settle(page, "data")
    return [each.inner_text() for each in page.locator("tbody > tr > td:nth-child(3)").all()]


@test
def test_a_category_is_shown_by_name(browser):
    samples = [{"value": 3, "valueName": "asleepCore"}, {"value": 77}]
    with listed(browser, "sleepAnalysis", *samples) as page:
        found = values(page)
        # A value without a known name is shown as its number.
        check(found == ["Core", "77"], str(found))


@test
def test_a_workout_is_shown_with_activity_and_totals(browser):
    workout = {
        "activityType": "running",
        "duration": 1930.5,
        "totalDistance": {"value": 5.21, "unit": "km"},
        "totalEnergyBurned": {"value": 320.4, "unit": "kcal"},
        "totalFlightsClimbed": {"value": 3, "unit": "count"},
        "events": [
            {"type": "pause", "start": "2026-11-03T10:00:00.000000Z", "end": "2026-11-03T10:01:30.000000Z"}
        ],
        "activities": [{"uuid": "x", "activityType": "cycling", "start": "2026-11-03T10:02:00.000000Z"}],
    }
    bare = {"activityType": "9999", "duration": 59}
    with listed(browser, "workout", workout, bare) as page:
        found = values(page)
        check(found == ["Running, 32 min, 5.2 km, 320 kcal, 3 flights", "9999, 59 s"], str(found))
        row = page.locator("tbody > tr").first
        row.get_by_text("Show").click()
        expect(row).to_contain_text("Pause, 11:00:00 – 11:01:30")
        expect(row).to_contain_text("Cycling, 11:02:00")


@test
def test_a_sample_of_a_far_year_is_listed_with_that_year(browser):
    times = [f"{year}-03-01T12:00:00.000001Z" for year in ("12000", "-0027", "2026")]
    with listed(browser, "bodyMass", *({"value": 70, "start": each, "end": each} for each in times)) as page:
        settle(page, "data")
        rows = page.locator("tbody > tr > td:nth-child(2)").all()
        found = [each.inner_text() for each in rows]
        check(len(found) == 3 and "12000" in found[0] and "28" in found[1] and ":00" in found[2], str(found))


@test
def test_a_correlation_is_shown_with_its_values(browser):
    name = "HKQuantityTypeIdentifierBloodPressure"
    members = [
        {"type": f"{name}Diastolic", "value": 80, "unit": "mmHg"},
        {"type": f"{name}Systolic", "value": 120.5, "unit": "mmHg"},
    ]
    others = [{"type": "HKQuantityTypeIdentifierDietaryWater", "value": 2, "unit": "L"}]
    with listed(browser, "bloodPressure", {"members": members}, {"members": others}) as page:
        found = values(page)
        check(found == ["120.5/80 mmHg", "Dietary water 2 L"], str(found))


@test
def test_a_deletion_names_type_and_days_and_deletes_exactly_those(browser):
    with browser.standin("data?type=heartRate", clocked=True) as page:
        settle(page, "data")
        danger = page.locator(".danger:visible")
        # The buttons for deleting appear only when a source is chosen.
        expect(danger).to_have_count(0)
        page.locator("select[aria-label=Source]").select_option(WATCH)
        expect(danger).to_have_count(2)
        expect(danger.nth(0)).to_contain_text("Delete heart rate of ")
        expect(danger.nth(1)).to_contain_text("Delete everything of ")
        after = page.world.now + 0.001

        def deleted(button, *words):
            before = len(posted(page, "/api/delete"))
            button.click()
            for each in words:
                expect(page.locator("dialog")).to_contain_text(each)
            page.get_by_role("button", name="Delete 3", exact=True).click()
            expect(page.locator("#undo")).to_contain_text("Deleting 3 samples.")
            page.clock.fast_forward(11_000)
            eventually(page, lambda: len(posted(page, "/api/delete")) > before, "there was no change")
            expect(page.locator("#notice")).to_have_text("3 samples deleted.")
            asked = posted(page, "/api/delete/count")[-1]
            body = posted(page, "/api/delete")[-1]
            # The request names the number of counted samples, and the time up to which they were counted.
            check(body == asked | {"total": 3, "to": after}, f"{body} after {asked}")
            return asked

        found = deleted(danger.nth(0), "3 samples of heart rate from ")
        check(found == {"type": "heartRate", "source": WATCH}, str(found))
        found = deleted(danger.nth(1), "3 samples of all types from ", "2 of heart rate, 1 of beats.")
        check(found == {"source": WATCH}, str(found))
        page.get_by_label("From", exact=True).fill("2026-11-03")
        expect(danger.nth(0)).to_contain_text("3 Nov on …")
        start, end = page.evaluate(DAYS)
        found = deleted(danger.nth(0), "3 Nov on")
        check(found == {"type": "heartRate", "source": WATCH, "from": start}, str(found))
        page.get_by_label("To", exact=True).fill("2026-11-04")
        expect(danger.nth(1)).to_contain_text("November")
        found = deleted(danger.nth(1), "of all types from ", "November 2026")
        check(found == {"source": WATCH, "from": start, "to": end}, str(found))
        page.get_by_label("From", exact=True).fill("")
        expect(danger.nth(1)).to_contain_text("until 4 Nov")


@test(slow=True)
def test_a_deletion_of_minutes_names_no_whole_days(browser):
    ten, later = "new Date('2026-11-03T10:00').getTime()", "new Date('2026-11-03T10:30').getTime()"
    with browser.standin(f"data?type=heartRate&source={WATCH}") as page:
        settle(page, "data")
        danger = page.locator(".danger:visible").first
        for start, end, words in (
            (ten, later, "3 Nov, 10:00 – 10:30 …"),
            (ten, None, "from 3 Nov, 10:00 on …"),
            (None, later, "until 3 Nov, 10:30 …"),
        ):
            bounds = {
                name: page.evaluate(time) for name, time in (("from", start), ("to", end)) if time is not None
            }
            asked = "".join(f"&{name}={time}" for name, time in bounds.items())
            go(page, f"data?type=heartRate&source={WATCH}{asked}")
            expect(danger).to_contain_text(words)
            danger.click()
            expect(page.locator("dialog")).to_contain_text(words.removesuffix(" …"))
            page.keyboard.press("Escape")
            found = posted(page, "/api/delete/count")[-1]
            check(found == {"type": "heartRate", "source": WATCH} | bounds, str(found))


@test
def test_samples_of_the_previous_selection_are_not_listed(browser):
    with browser.standin("data?type=heartRate") as page:
        settle(page, "data")
        rows = page.locator("table.samples tbody > tr")
        expect(rows).to_have_count(100)
        held = []
        page.route("**/api/samples*", lambda route: held.append(route))
        chosen = page.locator("select[aria-label=Source]")
        for source in (WATCH, ""):
            chosen.select_option(source)
        eventually(page, lambda: len(held) == 2, "no samples are requested")
        for route in reversed(held):
            with page.expect_response("**/api/samples*"):
                route.continue_()
        page.unroute("**/api/samples*")
        # When this request is answered, the page has got the responses that were sent before it.
        page.evaluate("fetch('/api/session').then((answer) => answer.text())")
        expect(rows).to_have_count(100)
        expect(page.get_by_role("button", name="Show older samples")).to_be_enabled()
        page.get_by_role("button", name="Show older samples").click()
        expect(rows).to_have_count(200)


@test(slow=True)
def test_when_all_of_a_source_is_deleted_the_others_are_shown(browser):
    def world(world):
        plain = world.respond

        def respond(path, body):
            if path == "/api/delete":
                world.watch = (0, 0)
                world.sources = lambda asked: [("org.hrgate.monitor.C0:FF:EE:00:00:01", "H10", world.strap)]
            return plain(path, body)

        world.respond = respond

    with browser.standin(f"data?type=heartRate&source={WATCH}", world, clocked=True) as page:
        settle(page, "data")
        page.get_by_role("button", name="Delete heart rate of").click()
        page.get_by_role("button", name="Delete 3", exact=True).click()
        expect(page.locator("table.samples tbody > tr:visible")).to_have_count(0)
        page.clock.fast_forward(11_000)
        expect(page.locator("#main")).to_contain_text("12,000 samples")
        expect(page.locator("select[aria-label=Source]")).to_have_value("")

        def last():
            return [each for path, each in page.world.asked if path == "/api/samples"][-1]

        eventually(page, lambda: "source" not in last(), "samples of a source without any are requested")


@test
def test_a_goal_is_entered_in_its_unit_even_if_it_is_the_first(browser):
    with browser.standin("you") as page:
        settle(page, "you")
        for goal, label in (
            ("Active energy", "Each day, in kJ"),
            ("Exercise time", "Each day, in min"),
            ("Stand hours", "Each day"),
        ):
            page.get_by_role("button", name=f"Set the goal {goal}").click()
            expect(page.locator("dialog label span")).to_have_text(label)
            page.keyboard.press("Escape")


@test
def test_a_value_is_added_by_hand(browser):
    with browser.standin("data") as page:
        settle(page, "data")
        page.get_by_role("button", name="Add data").click()
        dialog = page.locator("dialog")
        dialog.get_by_label("Value").fill("73.2")
        dialog.get_by_label("Unit").select_option("lb")
        dialog.get_by_label("Time").fill("2026-11-03T07:00")
        dialog.get_by_role("button", name="Add", exact=True).click()
        expect(page.locator("#notice")).to_have_text("Added.")
        at = page.evaluate("new Date('2026-11-03T07:00').getTime()")
        body = posted(page, "/api/samples")[0]
        wanted = {"type": "bodyMass", "value": "73.2", "unit": "lb", "start": at, "end": at}
        check(body == wanted, str(body))


@test
def test_the_fields_of_the_form_depend_on_the_type(browser):
    with browser.standin("data") as page:
        settle(page, "data")
        page.get_by_role("button", name="Add data").click()
        dialog = page.locator("dialog")
        dialog.get_by_label("Type").select_option("sleepAnalysis")
        dialog.get_by_label("Value").select_option("asleepCore")
        dialog.get_by_label("Start").fill("2026-11-03T01:00")
        dialog.get_by_label("End").fill("2026-11-03T02:00")
        dialog.get_by_role("button", name="Add", exact=True).click()
        expect(page.locator("#notice")).to_have_text("Added.")
        check(posted(page, "/api/samples")[0]["value"] == "asleepCore", str(posted(page, "/api/samples")))
        page.get_by_role("button", name="Add data").click()
        dialog.get_by_label("Type").select_option("bloodPressure")
        dialog.get_by_label("Systolic").fill("121")
        dialog.get_by_label("Diastolic").fill("79")
        dialog.get_by_role("button", name="Add", exact=True).click()
        eventually(page, lambda: len(posted(page, "/api/samples")) == 2, "the pressure was sent")
        check(posted(page, "/api/samples")[1]["value"] == "121/79", str(posted(page, "/api/samples")))


@test
def test_damaged_hours_are_listed_below_the_heading(browser):
    def world(world):
        world.damage = [DAMAGED, "a series of HKDataTypeIdentifierHeartbeatSeries of 2026-11-03T11:00:00Z"]

    with browser.standin("data", world) as page:
        settle(page, "data")
        alert = page.get_by_role("alert").filter(has_text="damaged")
        expect(alert).to_contain_text("samples of heart rate of 2026-11-03T10:00:00Z cannot be read")
        expect(alert).to_contain_text("a series of beats of 2026")
        # An error has the name of the type, too.
        page.world.failing["/api/export.csv"] = page.world.damage[0]
        go(page, "heart-rate")
        page.get_by_role("link", name="CSV").click()
        expect(page.locator("#notice")).to_contain_text("samples of heart rate of 2026-11-03T10:00:00Z")
        check("TypeIdentifier" not in page.locator("body").inner_text(), "an identifier of HealthKit is shown")


@test
def test_now_says_that_the_newest_hour_is_damaged(browser):
    def world(world):
        world.damage_of_events, world.met = [DAMAGED], 0
        plain = world.monitors
        world.monitors = lambda: plain() | {"monitors": []}

    with browser.standin("now", world) as page:
        settle(page, "now")
        expect(page.locator("#main")).to_contain_text("nothing was measured in the last hour")
        alert = page.get_by_role("alert").filter(has_text="damaged and not shown")
        expect(alert).to_contain_text("samples of heart rate of 2026-11-03T10:00:00Z")


@test(slow=True)
def test_later_damage_is_shown_and_disappears_after_a_repair(browser):
    with browser.standin("heart-rate?range=day") as page:
        settle(page, "heart-rate")
        alert = page.get_by_role("alert").filter(has_text="damaged")
        expect(alert).to_have_count(0)
        # The page stays on the same part, and requests another range.
        page.world.damage = [DAMAGED]
        page.get_by_role("button", name="Before", exact=True).click()
        expect(alert).to_contain_text("2026-11-03T10:00:00Z")
        # The server finds out about a repair when damage is requested, for example because the range was
        # changed.
        page.world.met, page.world.damage = 1, []
        page.evaluate("location.hash = '#/heart-rate?range=week'")
        expect(alert).to_have_count(0)
        check(page.locator("#main[data-part='heart-rate'] h1").count() == 1, "the part was opened again")
