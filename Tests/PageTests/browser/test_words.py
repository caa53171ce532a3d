"""Texts for missing, incomplete or ongoing data."""

from harness import check, eventually, expect, go, settle, test
from standin import DAY, HOUR, MINUTE, NEAR, SECOND, STRAP
from test_parts import posted


def answering(path, answer):
    """Returns a function that changes a world, so that a route has another response."""

    def world(world):
        plain = world.answer
        world.answer = lambda asked_path, asked: (
            answer(world, asked) if asked_path == path else plain(asked_path, asked)
        )

    return world


def gap(world, start, end, **rest):
    return {
        "monitor": "C0:FF:EE:00:00:01",
        "source": "org.hrgate.monitor.C0:FF:EE:00:00:01",
        "name": "Polar H10 00000001",
        "cause": "link-loss",
        "text": "link lost",
        "start": start,
        **({"end": end} if end else {}),
        **rest,
    }


@test(slow=True)
def test_an_ongoing_gap_has_the_day_of_its_start(browser):
    def answer(world, asked):
        return {"gaps": [gap(world, world.now - 3 * DAY, None)]}

    with browser.shared("heart-rate", answering("/api/gaps", answer)) as page:
        settle(page, "heart-rate")
        page.get_by_text("1 gap, with the cause").click()
        day = page.evaluate(
            "time => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' }).format(time)",
            page.world.now - 3 * DAY,
        )
        expect(page.get_by_role("region", name="Gaps")).to_contain_text(f"since {day}")
        go(page, "monitors")
        expect(page.get_by_role("region", name="Gaps of the last seven days")).to_contain_text(f"since {day}")


@test(slow=True)
def test_a_shortened_list_of_gaps_says_so(browser):
    def answer(world, asked):
        start = world.now - 23 * HOUR
        return {"gaps": [gap(world, start + k * MINUTE, start + k * MINUTE + 9 * SECOND) for k in range(250)]}

    with browser.shared("you", answering("/api/gaps", answer)) as page:
        go(page, f"heart-rate?from={page.world.now - DAY}&to={page.world.now}")
        page.get_by_text("250 gaps, with the cause").click()
        gaps = page.get_by_role("region", name="Gaps")
        expect(gaps).to_contain_text("The last 100 of 250; zoom in for the others")
        expect(gaps.locator("tbody tr")).to_have_count(100)
        # The start and the end are within a minute, so both times have seconds.
        when = gaps.locator("tbody td").first.text_content()
        check(when.count(":") == 4, f"{when!r} has no seconds")
        go(page, "monitors")
        expect(page.locator("#main")).to_contain_text("The last 200 of 250")


@test
def test_a_range_of_seconds_has_them_in_its_title(browser):
    with browser.shared("you") as page:
        start = page.world.now // MINUTE * MINUTE - HOUR + 10 * SECOND
        go(page, f"heart-rate?from={start}&to={start + 30 * SECOND}")
        for part in ("heart-rate", "beats"):
            go(page, f"{part}?from={start}&to={start + 30 * SECOND}")
            title = page.locator("#main h2").first.text_content()
            check(title.endswith(":40") and ":10 – " in title, f"{part}: {title!r}")


@test(slow=True)
def test_pending_requests_have_another_text_than_no_requests(browser):
    def world(world):
        world.permissions = []

    with browser.standin("access", world) as page:
        expect(page.locator("#main")).to_contain_text("No decisions yet")
        expect(page.locator("#main")).not_to_contain_text("No app has asked")
        page.get_by_role("button", name="Deny", exact=True).click()
        expect(page.locator("#main")).to_contain_text("No app has asked for access yet")


@test
def test_a_single_monitor_is_not_counted(browser):
    def world(world):
        world.forgotten = {"C0:FF:EE:00:00:02"}
        plain = world.monitors

        def monitors():
            answer = plain()
            answer["gateway"]["summary"] = "1 monitor: 1 following; the bus is not read: it is closed"
            return answer

        world.monitors = monitors

    with browser.standin("monitors", world) as page:
        said = page.locator("#main > section > p").first
        expect(said).to_have_text("The gateway is running; the bus is not read: it is closed.")
        expect(page.locator(".enrolment h2")).to_have_text("Add another monitor")
        expect(page.locator(".monitor")).to_contain_text("connected")


@test
def test_the_first_monitor_is_not_another_one(browser):
    with browser.standin("monitors", is_empty=True) as page:
        expect(page.locator(".enrolment h2")).to_have_text("Add a monitor")


@test
def test_a_monitor_that_was_just_paired_is_not_offered_as_new(browser):
    with browser.standin("monitors") as page:
        page.get_by_role("button", name="Look for monitors").click()
        near = page.locator(f'.enrolment li[data-address="{NEAR}"]')
        expect(near.get_by_role("button")).to_have_text("Pair")
        near.get_by_role("button").click()
        page.locator("dialog").get_by_role("button", name="Pair", exact=True).click()
        page.get_by_label("The six digits that the monitor shows").fill("012345")
        page.get_by_role("button", name="Continue").click()
        expect(near).to_contain_text("already added")
        expect(near.get_by_role("button")).to_have_text("Pair again")


@test
def test_without_a_gateway_now_says_so_beside_old_values_too(browser):
    def world(world):
        plain = world.monitors

        def monitors():
            answer = plain()
            answer["gateway"] = {"isRunning": False, "onBus": False}
            return answer

        world.monitors, world.pulse_age = monitors, 400

    with browser.standin("now", world) as page:
        expect(page.locator('.pulse.stale[data-source*="00:00:01"] .rate span')).to_have_text("71")
        expect(page.locator("#main")).to_contain_text("No gateway is running")


@test
def test_summary_cards_say_why_there_is_no_comparison(browser):
    def world(world):
        plain = world.answer

        def answer(path, asked):
            if path == "/api/summary":
                return {"highlights": []}
            found = plain(path, asked)
            if path == "/api/types":
                for each in found["types"]:
                    # The heart rate has been measured since today, and the other type for 400 days.
                    each["first"] = world.now - SECOND if each["type"] == "heartRate" else world.first
            return found

        world.answer = answer

    with browser.shared("summary", world) as page:
        settle(page, "summary")
        cards = page.locator(".card")
        expect(cards.nth(0)).to_contain_text("Measured since today")
        expect(cards.nth(1)).to_contain_text("Nothing measured in the last 7 days.")


@test
def test_small_charts_and_the_plot_have_tables_for_screen_readers(browser):
    with browser.shared("summary") as page:
        settle(page, "summary")
        table = page.locator(".card").first.get_by_role("table")
        expect(table.locator("th[scope=col]")).to_have_text(
            ["Day", "Lowest", "Highest", "Average of all readings"]
        )
        expect(table.locator("tbody tr")).to_have_count(28)
        expect(table.locator("tbody tr").first.locator("td")).to_have_text(["60", "80", "70"])
        go(page, "beats")
        plot = page.locator("figure", has=page.locator("canvas.square")).locator("xpath=..")
        plot.get_by_text("As a table").click()
        rows = plot.get_by_role("region", name="Pairs of intervals, as a table").locator("tbody tr")
        pairs = int(page.locator("canvas.square").get_attribute("aria-label").split(" pairs")[0].split()[-1])
        expect(rows).to_have_count(min(pairs, 500))
        first, second = (row.locator("td").all_text_contents() for row in rows.all()[:2])
        check(first[1] == second[0], f"{first} and then {second}")


@test
def test_averages_have_the_digits_of_their_values_except_to_compare_them(browser):
    def world(world):
        plain = world.answer

        def answer(path, asked):
            found = plain(path, asked)
            if path == "/api/summary":
                found["highlights"][0]["now"]["value"] = 68.0
                found["highlights"][0]["before"]["value"] = 66.94
            return found

        world.answer = answer

    with browser.shared("summary", world) as page:
        expect(page.locator(".card").first).to_contain_text("Last 7 days: 68.0, average of the daily averages.")
        expect(page.locator(".card").first).to_contain_text("measurements): 66.9.")
        go(page, "sessions")
        expect(page.locator(".session .numbers").first).to_contain_text("70 average")


# JavaScript that returns the texts of the visible part that name an average and stand alone: names of figures,
# and headings of columns.
AVERAGES = """() => [...document.querySelectorAll("#main dt, #main th")].map((each) => each.textContent)
  .filter((text) => /average|mean/i.test(text))"""


@test
def test_each_average_says_of_what_it_is(browser):
    """Charts and sessions have the average of all readings. Summary has that of the daily averages."""
    readings = "average of all readings"
    with browser.standin("you") as page:
        settle(page, "you")
        now, (start, end) = page.world.now, page.world.watch
        session = f"session?source={STRAP}&start={page.world.wearings[0][0]}"
        # The first range has one source, and the second one has two.
        for part in (f"heart-rate?from={now - HOUR}&to={now}", f"heart-rate?from={start}&to={end}", session):
            go(page, part)
            settle(page)
            expect(page.locator(".figures")).to_contain_text(readings)
            check(page.evaluate(AVERAGES) == [readings], f"{part}: {page.evaluate(AVERAGES)}")
        go(page, "sessions")
        expect(page.locator("#main")).to_contain_text("The average of a session is of all its readings.")
        for box in page.locator(".session input").all():
            box.check()
        expect(page.locator("canvas.comparison")).to_be_visible()
        check(page.evaluate(AVERAGES) == ["Average of all readings"], str(page.evaluate(AVERAGES)))
        go(page, "summary")
        card = page.locator(".card").first
        expect(card).to_contain_text("71.3, average of the daily averages.")
        expect(page.locator("#main")).to_contain_text("Each day counts the same")


@test(slow=True)
def test_browser_sessions_can_be_distinguished(browser):
    def answer(world, asked):
        opened = world.now - HOUR
        return {
            "sessions": [
                {"id": name, "opened": opened + k * SECOND, "lastUsed": world.now, "isThis": k == 0}
                for k, name in enumerate(("aa11", "bb22", "cc33"))
            ]
        }

    with browser.shared("you", answering("/api/sessions", answer)) as page:
        settle(page, "you")
        rows = page.locator("section", has_text="Browsers with a session").last.locator("li")
        texts = rows.all_text_contents()
        check(len(set(each.split("last used")[0] for each in texts)) == 3, f"{texts}")
        # The text contains the session's name, as `hrgate page sessions` prints it.
        check("cc33" in texts[2], texts[2])
        rows.nth(2).get_by_role("button").click()
        eventually(page, lambda: posted(page, "/api/sessions/end"), "there was no change")
        check(posted(page, "/api/sessions/end") == [{"id": "cc33"}], str(posted(page, "/api/sessions/end")))
