"""Calendar days under Beats, own ranges of days, and what a chart says of a time that is still to come."""

from harness import PHONE, check, eventually, expect, go, settle, test
from standin import DAY, HOUR, SECOND, STRAP, WATCH
from test_accessibility import axe, findings
from test_charts import LEFT, RIGHT
from test_parts import posted

MIDNIGHT = "days => { const date = new Date(); date.setHours(0, 0, 0, 0);" \
    " date.setDate(date.getDate() + days); return date.getTime(); }"


def view(page):
    return page.evaluate(
        "['from', 'to'].map((name) => Number(new URLSearchParams(location.hash.split('?')[1]).get(name)))")


def asked(page, route):
    return [each for path, each in page.world.asked if path == route]


def zones_of(page, start, end):
    return any((each["from"], each["to"]) == (start, end) for each in asked(page, "/api/zones"))


def turned(page, start, end, words):
    eventually(page, lambda: view(page) == [start, end], f"{words}: {view(page)} is not {[start, end]}")


@test
def test_the_day_before_is_one_of_the_calendar_under_beats(browser):
    with browser.standin("beats") as page:
        settle(page, "beats")
        today, yesterday, tomorrow = (page.evaluate(MIDNIGHT, days) for days in (0, -1, 1))
        page.get_by_role("button", name="Day", exact=True).click()
        turned(page, today, tomorrow, "Day")
        page.get_by_role("button", name="Before").click()
        turned(page, yesterday, today, "Before")
        expect(page.get_by_role("button", name="Day", exact=True)).to_have_attribute("aria-pressed", "true")
        day = page.evaluate("time => new Intl.DateTimeFormat('en-GB', { weekday: 'long' }).format(time)", yesterday)
        expect(page.locator(".turning h2")).to_contain_text(day)
        # The zones of yesterday are also shown.
        eventually(page, lambda: zones_of(page, yesterday, today), "the zones of yesterday are not asked for")
        expect(page.get_by_role("listitem").filter(has_text="Zone 4")).to_be_visible()
        page.get_by_role("button", name="Week", exact=True).click()
        eventually(page, lambda: view(page)[1] - view(page)[0] in (7 * DAY - HOUR, 7 * DAY, 7 * DAY + HOUR), "a week")
        monday = page.evaluate("time => new Date(time).getDay()", view(page)[0])
        check(monday == 1, f"the week begins on day {monday}")


@test
def test_zones_say_how_much_of_the_time_was_measured(browser):
    with browser.standin("heart-rate") as page:
        settle(page, "heart-rate")
        start, end = (page.evaluate(MIDNIGHT, days) for days in (-1, 0))
        go(page, f"heart-rate?from={start}&to={end}")
        # The link leads from the day of the heart rate to the zones of that day.
        page.get_by_role("link", name="Zones and beats").click()
        settle(page, "beats")
        eventually(page, lambda: zones_of(page, start, end), "the zones are those of another time")
        expect(page.get_by_text("every few seconds: 15 min of 24 h (1%)")).to_be_visible()


@test
def test_figures_of_today_are_of_the_time_until_now(browser):
    with browser.standin("beats") as page:
        settle(page, "beats")
        today = page.evaluate(MIDNIGHT, 0)
        page.get_by_role("button", name="Day", exact=True).click()

        def lengths():
            return [int(each["window"][:-1]) for each in asked(page, "/api/variability") if each["from"] == today
                    and each["window"].endswith("s")]

        eventually(page, lengths, "no figures are asked for")
        elapsed = (page.world.now - today) / SECOND
        check(all(each <= elapsed + 60 for each in lengths()), f"{lengths()} of {elapsed} seconds")


@test
def test_own_days_are_chosen_on_both_charts(browser):
    with browser.standin("you") as page:
        settle(page, "you")
        for part in ("heart-rate", "beats"):
            go(page, part)
            page.get_by_text("Dates", exact=True).click()
            start, last, end = (page.evaluate(MIDNIGHT, days) for days in (-12, -10, -9))
            date = "time => { const date = new Date(time); return `${date.getFullYear()}-" \
                "${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`; }"
            page.get_by_label("From", exact=True).fill(page.evaluate(date, start))
            page.get_by_label("To", exact=True).fill(page.evaluate(date, last))
            turned(page, start, end, part)
            settle(page)
            check(":" not in page.locator(".turning h2").inner_text(), "whole days have no times")
            page.evaluate(axe())
            check(not findings(page), f"{part}: {findings(page)}")
            # After a reload, the address still has the same range.
            page.reload()
            settle(page, part)
            turned(page, start, end, f"{part}, loaded again")


@test(slow=True)
def test_what_is_still_to_come_is_not_missing(browser):
    with browser.standin("heart-rate") as page:
        settle(page, "heart-rate")
        start, end = (page.evaluate(MIDNIGHT, days) for days in (0, 2))
        go(page, f"heart-rate?from={start}&to={end}")
        box = page.locator(".chart-frame").bounding_box()
        page.mouse.move(box["x"] + 0.9 * box["width"], box["y"] + box["height"] / 2)
        expect(page.locator(".readout")).to_contain_text("still to come")


def says(page, time, words, never):
    """Moves the pointer to a time of the chart, and checks what the chart says of it."""
    start, end = view(page)
    box = page.locator(".chart-frame canvas").first.bounding_box()
    x = LEFT + (time - start) / (end - start) * (box["width"] - LEFT - RIGHT)
    page.mouse.move(box["x"] + x, box["y"] + box["height"] / 2)
    readout = page.locator(".readout").first
    expect(readout).to_contain_text(words)
    expect(readout).not_to_contain_text(never)


@test
def test_only_what_comes_after_the_current_time_is_still_to_come(browser):
    """Also if the current time is within the chart, and if Bluetooth is off and its end is unknown."""

    def world(world):
        plain, off = world.answer, world.now - 2 * HOUR
        world.first, world.gap = world.now - 3 * HOUR, (off, world.now + DAY)
        gap = {"monitor": "C0:FF:EE:00:00:01", "source": STRAP, "name": "Strap", "start": off}
        gap |= {"cause": "adapter-off", "text": "Bluetooth was off"}
        world.answer = lambda path, asked: {"gaps": [gap]} if path == "/api/gaps" else plain(path, asked)
        world.sources = lambda asked: [(STRAP, "Strap", world.strap)]
        world.beating = []

    # The chart begins and ends hours from now, so the time of day does not matter.
    with browser.standin("heart-rate", world) as page:
        settle(page, "heart-rate")
        now = page.world.now
        go(page, f"heart-rate?from={now - 6 * HOUR}&to={now + 6 * HOUR}")
        settle(page)
        for hours in (1, 2, 5.5):
            says(page, now + hours * HOUR, "still to come", "measure")
        says(page, now - 5 * HOUR, "nothing was measured", "to come")
        says(page, now - HOUR, "Bluetooth was off", "to come")


@test
def test_a_source_has_the_same_look_in_each_part_and_keeps_it(browser):
    other = "com.example.ring"

    def world(world):
        world.beating.append((WATCH, "Watch"))

    look = """source => import("/source-looks.js").then(({ lookOfSource }) => lookOfSource(source))"""
    with browser.standin("beats", world) as page:
        settle(page, "beats")
        marks = "[...document.querySelectorAll('.legend button:has(.look)')].map((each) =>" \
            " [each.textContent, each.querySelector('.look').className])"
        of_beats = dict(page.evaluate(marks))
        check(len(set(of_beats.values())) == len(of_beats) == 2, str(of_beats))
        # The new source has more samples than the watch, and is before it in the list.
        page.world.rates[other] = 9000
        page.world.others = [(other, "A ring", page.world.strap)]
        go(page, f"heart-rate?from={page.world.now - 6 * HOUR}&to={page.world.now}")
        expect(page.locator(".legend button")).to_have_count(3)
        of_rates = dict(page.evaluate(marks))
        check(len(set(of_rates.values())) == 3, str(of_rates))
        strap = "Polar H10 00000001"
        check(of_beats[strap] == of_rates[strap], f"{of_beats} and {of_rates}")
        # The ring got its look last, although it is before the watch in this list.
        ring = [look for name, look in of_rates.items() if name.startswith("A ring")]
        check(ring and ring[0] not in of_beats.values(), f"{of_beats} and {of_rates}")
        before = [page.evaluate(look, each) for each in (STRAP, WATCH, other)]
        page.reload()
        settle(page, "heart-rate")
        check([page.evaluate(look, each) for each in (STRAP, WATCH, other)] == before, "the looks have moved")


@test
def test_low_coverage_says_how_much_is_needed(browser):
    def world(world):
        plain = world.answer

        def answer(path, asked):
            found = plain(path, asked)
            if path == "/api/variability":
                for each in found["windows"]:
                    each |= {"coverage": 0.3, "refused": "low-coverage"}
            return found

        world.answer = answer

    with browser.standin("beats", world) as page:
        settle(page, "beats")
        expect(page.get_by_text("No figures: beats cover 30% of this time, and 50% are needed.")).to_be_visible()


@test
def test_a_type_that_is_seldom_measured_has_a_line_in_the_summary(browser):
    """With a value every other day, the small chart needs a line: single dashes were invisible."""

    def world(world):
        plain = world.answer

        def answer(path, asked):
            if path == "/api/statistics" and asked.get("type") == "restingHeartRate" and "every" in asked:
                start, days = float(asked["from"]), range(0, 28, 2)
                return {"intervals": [
                    {"start": start + k * DAY, "end": start + (k + 1) * DAY, "count": 1, "min": 50 + k, "max": 50 + k,
                     "average": 50 + k} for k in days]}
            return plain(path, asked)

        world.answer = answer

    with browser.standin("summary", world) as page:
        settle(page, "summary")
        expect(page.locator(".card", has_text="Resting heart rate")).to_contain_text("4 weeks, lowest 50, highest 76")
        card = page.locator(".card", has_text="Resting heart rate").locator("canvas")
        # Counts the columns that are painted. All between the first and the last value must be.
        painted = """canvas => {
          const pen = canvas.getContext("2d"), { width, height } = canvas;
          const { data } = pen.getImageData(0, 0, width, height);
          let columns = 0;
          for (let x = 0; x < width; x += 1) {
            for (let y = 0; y < height; y += 1) if (data[4 * (y * width + x) + 3] > 60) { columns += 1; break; }
          }
          return columns / width;
        }"""
        eventually(page, lambda: card.evaluate(painted) > 0.85, "there is no line")


@test
def test_a_phone_shows_the_chart_and_the_button_of_each_type(browser):
    with browser.standin("data", size=PHONE) as page:
        settle(page, "data")
        for each in (page.get_by_role("link", name="Chart of steps"), page.get_by_role("button", name="Add steps")):
            box = each.bounding_box()
            check(box and box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"], f"it is at {box}")
        region = page.get_by_role("region", name="Types")
        check(region.evaluate("each => each.scrollWidth <= each.clientWidth"), "the table scrolls")


@test(slow=True)
def test_a_long_name_takes_two_lines(browser):
    long = "x" * 4000

    def world(world):
        world.listed = {"bodyMass": [{"value": 70, "source": {"bundleIdentifier": WATCH, "name": long}}]}
        world.sources = lambda asked: [(STRAP, long, world.strap), (WATCH, "\u202egnp", world.worn)]

    for part in ("data?type=bodyMass", "heart-rate"):
        with browser.standin(part, world) as page:
            settle(page, part.split("?")[0])
            name = page.locator("#main .named", has_text="xxxx").first
            box = name.bounding_box()
            check(box["height"] < 60 and box["width"] < 600, f"{part}: {box}")
            check(name.get_attribute("title") == long, "its whole name is nowhere")
            # Characters that change the direction of text are not shown anywhere.
            check("\u202e" not in page.locator("#main").inner_text(), part)


@test
def test_an_application_without_a_name_is_said_once(browser):
    def world(world):
        world.pending = [world.pending[0] | {"application": "org.example.coach", "name": "org.example.coach"}]
        world.permissions = [
            {"application": "org.example.coach", "name": "org.example.coach", "type": "heartRate", "objects": 0}]

    with browser.standin("access", world) as page:
        settle(page, "access")
        text = page.locator(".application h3").inner_text()
        check(text.strip() == "org.example.coach", text)
        request = page.locator(".request").inner_text()
        check(request.count("org.example.coach") == 1 + request.count("says:"), request)


@test
def test_an_empty_store_without_a_gateway_says_how_to_begin(browser):
    def world(world):
        plain = world.monitors
        world.monitors = lambda: plain() | {"gateway": {"isRunning": False, "onBus": False}, "monitors": []}

    with browser.standin("now", world, is_empty=True) as page:
        settle(page, "now")
        expect(page.locator("#main")).to_contain_text("Put a strap on")
        expect(page.locator("#main")).not_to_contain_text("What was stored is under")


@test
def test_intervals_are_saved_for_a_program_that_is_named(browser):
    with browser.standin("beats") as page:
        settle(page, "beats")
        link = page.get_by_role("link", name="RR intervals")
        choice = page.get_by_label("Program that reads the intervals")
        check(choice.locator("option").first.inner_text() == "for Kubios", "Kubios is not named")
        check("for=kubios" in link.get_attribute("href"), link.get_attribute("href"))
        choice.select_option("pyhrv")
        check("for=pyhrv" in link.get_attribute("href"), link.get_attribute("href"))


@test
def test_beats_that_come_in_are_not_said_to_be_missing(browser):
    """Beats are stored in series of five minutes, so received beats may not be stored yet."""

    def world(world):
        world.beating = []

    with browser.standin("beats", world) as page:
        settle(page, "beats")
        expect(page.get_by_text("No beats are stored")).to_be_visible()
        page.world.live_beats = {"count": 2, "time": page.world.now, "rr": [812.5, 900]}
        expect(page.get_by_text("Beats are coming in.")).to_be_visible()


@test
def test_all_that_an_application_asks_for_is_allowed_with_one_click(browser):
    with browser.standin("access") as page:
        settle(page, "access")
        page.get_by_role("button", name="Allow all").click()
        eventually(page, lambda: posted(page, "/api/permissions/answer"), "nothing was sent")
        body = posted(page, "/api/permissions/answer")[0]
        check(body["read"] == ["heartRate", "restingHeartRate"] and body["share"] == ["sleepAnalysis"], str(body))


@test
def test_times_of_a_language_from_right_to_left_are_english_as_the_words_are(browser):
    with browser.standin("sessions") as english:
        settle(english, "sessions")
        context = browser.chromium.new_context(locale="ar-EG", timezone_id="Europe/Berlin")
        page = context.new_page()
        page.add_init_script("""window.drawn = [];
          const draw = CanvasRenderingContext2D.prototype.fillText;
          CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
            window.drawn.push(text);
            return draw.call(this, text, ...rest);
          };""")
        page.goto(english.server.address + "#/sessions")
        settle(page, "sessions")
        said = []
        # These parts of the page contain the weekdays of the calendar, sizes of files, and the axes
        # of charts.
        for part, words in (("sessions", "to"), ("sessions?view=calendar", "session"), ("storage", "83 MB"),
                            ("heart-rate?range=week", "average")):
            go(page, part)
            expect(page.locator("#main")).to_contain_text(words)
            said.append(page.locator("#main").inner_text())
        drawn = page.evaluate("window.drawn")
        context.close()
        check(any(each.isdigit() for each in said[0]) and drawn, f"{said} {drawn}")
        for text in (*said, *drawn):
            check(not any("\u0600" <= each <= "\u06ff" for each in text), text)


@test
def test_a_time_without_beats_has_one_sentence_and_no_empty_grid(browser):
    def world(world):
        plain = world.answer

        def answer(path, asked):
            found = plain(path, asked)
            is_early = "to" in asked and asked["to"] < world.first
            empty = {"/api/beats": {"recordings": []}, "/api/variability": {"windows": []}}
            return empty.get(path, found) if is_early else found

        world.answer = answer

    with browser.standin("beats", world) as page:
        settle(page, "beats")
        expect(page.get_by_role("heading", name="Variability", exact=True)).to_be_visible()
        start = page.world.first - 10 * DAY
        go(page, f"beats?from={start}&to={start + HOUR}")
        settle(page, "beats")
        expect(page.get_by_text("No beats in this time.").locator("visible=true")).to_have_count(1)
        expect(page.locator(".chart canvas").first).to_be_hidden()
        expect(page.get_by_role("heading", name="Poincaré plot")).to_be_hidden()
        expect(page.get_by_role("button", name="PNG")).to_be_hidden()
        # With beats, all of it comes back.
        go(page, "beats")
        settle(page, "beats")
        expect(page.locator(".chart canvas").first).to_be_visible()
        expect(page.get_by_role("heading", name="Poincaré plot")).to_be_visible()
