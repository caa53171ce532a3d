"""Charts: their pixels, and navigation."""

from urllib.parse import parse_qs, urlparse

from harness import PHONE, check, expect, go, settle, test
from standin import DAY, HOUR, MINUTE, SECOND, STRAP, linked

# JavaScript that returns, for each column of a canvas, the number of pixels of a color and the topmost row
# with one. The strip of gaps at the bottom is left out.
PIXELS = """([selector, colour]) => {
  const canvas = document.querySelector(selector), { width, height } = canvas;
  const data = canvas.getContext("2d").getImageData(0, 0, width, height).data;
  const is = {
    accent: (r, g, b, a) => a > 40 && r > g + 40 && r > b + 25,
    ink: (r, g, b, a) => a > 40 && r < 90 && Math.abs(r - g) < 12 && Math.abs(g - b) < 16,
    // The colour of the third source, too.
    hatch: (r, g, b, a) => a > 40 && r >= 90 && r < 130 && Math.abs(r - g) < 12 && Math.abs(g - b) < 16,
  }[colour];
  const found = [];
  for (let x = 0; x < width; x += 1) {
    let top = -1, count = 0;
    for (let y = 0; y < height - 40; y += 1) {
      const i = 4 * (y * width + x);
      if (!is(data[i], data[i + 1], data[i + 2], data[i + 3])) continue;
      if (top < 0) top = y;
      count += 1;
    }
    found.push({ top, count });
  }
  return found;
}"""
CLOCK = """time => new Date(time).toLocaleTimeString(
  "en-GB", { hour: "numeric", minute: "2-digit", second: "2-digit" })"""
LONG_DAY = """time => new Intl.DateTimeFormat(
  "en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric" }).format(time)"""
# JavaScript that returns the length of the visible range in milliseconds, from the address.
SPAN = """(() => {
  const query = new URLSearchParams(location.hash.split("?")[1]);
  return query.has("from") ? query.get("to") - query.get("from") : NaN;
})()"""
CANVAS = ".chart-frame canvas"
LEFT, RIGHT = 44, 10


def columns(page, colour):
    return page.evaluate(PIXELS, [CANVAS, colour])


def column(page, time, start, end):
    """Returns the column of a time in the chart."""
    width = page.evaluate(f"document.querySelector('{CANVAS}').clientWidth")
    return LEFT + (time - start) / (end - start) * (width - LEFT - RIGHT)


def shown(page):
    """Returns the bounds of the visible range in milliseconds, from the address."""
    return [
        int(each)
        for each in page.evaluate(
            "['from', 'to'].map((key) => new URLSearchParams(location.hash.split('?')[1]).get(key))"
        )
    ]


def show(page, start, end):
    go(page, f"heart-rate?from={start}&to={end}")


@test
def test_a_gap_is_drawn_with_its_cause(browser):
    with browser.shared("monitors") as page:
        start, end = page.world.now - 4 * HOUR, page.world.now - HOUR
        show(page, start, end)
        gap = [round(column(page, time, start, end)) for time in page.world.gap]
        inside = columns(page, "accent")[gap[0] + 8 : gap[1] - 8]
        check(
            inside and not any(each["count"] for each in inside),
            "something of the pulse is drawn where nothing was measured",
        )
        hatched = [each["count"] for each in columns(page, "hatch")]
        check(min(hatched[gap[0] + 8 : gap[1] - 8]) > 10, "the gap is not hatched")
        page.mouse.move(*at(page, (gap[0] + gap[1]) / 2))
        expect(page.locator(".readout")).to_contain_text("no measurement: link lost")
        page.get_by_text("1 gap, with the cause").click()
        expect(page.locator("#main")).to_contain_text("link lost")


@test
def test_the_line_of_averages_does_not_cross_a_gap_between_two_bars(browser):
    # The gap is shorter than a bar, so both bars beside it have values. The line between them must be
    # interrupted.
    def world(world):
        middle = (world.now // (10 * MINUTE)) * 10 * MINUTE - 5 * HOUR
        world.gap = (middle - 5 * MINUTE, middle + 5 * MINUTE)
        world.watch = (0, 0)

    with browser.shared("monitors", world) as page:
        start = page.world.gap[0] - 11 * HOUR
        end = start + 24 * HOUR
        show(page, start, end)
        edges = [column(page, time, start, end) for time in page.world.gap]
        # No bar covers the middle of the gap, so only the line could have pixels there.
        middle = round(sum(edges) / 2)
        check(not columns(page, "accent")[middle]["count"], "the line crosses the gap")


@test(slow=True)
def test_a_gap_of_one_source_is_not_a_gap_of_another(browser):
    def world(world):
        world.foreign_gap = (world.now - 30 * HOUR, world.now - 29 * HOUR - 10 * MINUTE)
        world.gap = world.watch = (world.now - 26 * HOUR, world.now - 25 * HOUR)

    with browser.shared("monitors", world) as page:
        start, end = page.world.now - 32 * HOUR, page.world.now - 24 * HOUR
        show(page, start, end)
        foreign = [round(column(page, time, start, end)) for time in page.world.foreign_gap]
        accent, hatched = columns(page, "accent"), columns(page, "hatch")
        inside = slice(foreign[0] + 4, foreign[1] - 4)
        check(all(each["count"] for each in accent[inside]), "the line ends at another monitor's gap")
        check(max(each["count"] for each in hatched[inside]) < 10, "hatched where the strap measured")
        # In the gap of the strap, only the watch has values.
        own = [round(column(page, time, start, end)) for time in page.world.gap]
        inside = slice(own[0] + 8, own[1] - 8)
        check(not any(each["count"] > 4 for each in accent[inside]), "the strap's line crosses its gap")
        check(max(each["count"] for each in hatched[inside]) < 10, "hatched where the watch measured")


@test(slow=True)
def test_a_strap_that_was_not_worn_is_not_an_error(browser):
    def world(world):
        world.gap = (world.now - 20 * HOUR, world.now - 4 * HOUR)
        world.watch = (0, 0)

    with browser.shared("monitors", world) as page:
        start, end = page.world.now - 24 * HOUR, page.world.now
        show(page, start, end)
        gap = [round(column(page, time, start, end)) for time in page.world.gap]
        hatched = columns(page, "hatch")[gap[0] + 8 : gap[1] - 8]
        check(max(each["count"] for each in hatched) < 10, "it is hatched as a fault")
        page.mouse.move(*at(page, sum(gap) / 2))
        expect(page.locator(".readout")).to_contain_text("not worn, or out of reach: link lost")


def at(page, x, y=120):
    box = page.locator(".chart-frame").first.bounding_box()
    return box["x"] + x, box["y"] + y


@test
def test_a_spike_of_one_second_is_visible_in_a_year(browser):
    with browser.shared("monitors") as page:
        start, end = page.world.spike - 200 * DAY, page.world.spike + 100 * DAY
        show(page, start, end)
        tops = [each["top"] for each in columns(page, "accent")]
        x = round(column(page, page.world.spike, start, end))
        near = [top for top in tops[x - 20 : x + 20] if top >= 0]
        usual = sorted(top for top in tops if top >= 0)[len([t for t in tops if t >= 0]) // 2]
        check(min(near) < usual - 60, f"the spike reaches {usual - min(near)} pixels above the usual")
        # The pointer is in the middle of the bar, because the spike may be at the edge of the week that the
        # bar covers.
        bar = [place for place in range(x - 20, x + 20) if tops[place] == min(near)]
        page.mouse.move(*at(page, bar[len(bar) // 2]))
        expect(page.locator(".readout")).to_contain_text("231")


@test
def test_two_overlapping_sources_are_both_visible(browser):
    with browser.shared("monitors") as page:
        start, end = page.world.watch[0] - HOUR, page.world.watch[1] + 30 * MINUTE
        show(page, start, end)
        expect(page.locator(".legend button")).to_have_count(2)
        settle(page)
        page.wait_for_function("() => document.querySelector('.legend')")
        both = [
            round(column(page, time, start, end))
            for time in (page.world.watch[0] + 5 * MINUTE, page.world.watch[1] - 5 * MINUTE)
        ]
        for colour in ("accent", "ink"):
            found = [each["count"] for each in columns(page, colour)[both[0] : both[1]]]
            check(sum(1 for each in found if each) > len(found) / 4, f"one source is not visible: {colour}")
        page.locator(".legend button").nth(1).click()
        page.wait_for_function(f"""() => {{
          const found = ({PIXELS})(["{CANVAS}", "ink"]).slice({both[0]}, {both[1]});
          return found.filter((each) => each.count > 20).length === 0; }}""")
        # A hidden source is left out of the shown numbers and of the exported file.
        expect(page.locator(".figures div").nth(1)).to_contain_text("80")
        settle(page)
        href = page.get_by_role("link", name="CSV").get_attribute("href")
        check(parse_qs(urlparse(href).query).get("source") == [STRAP], f"not of the strap alone: {href}")
        expect(page.locator(".legend button").first).to_have_attribute("aria-pressed", "true")
        # The last visible source stays visible.
        page.locator(".legend button").first.click()
        expect(page.locator(".legend button").first).to_have_attribute("aria-pressed", "true")


@test(slow=True)
def test_the_wheel_scrolls_a_part_with_several_charts_and_zooms_the_focused_one(browser):
    with browser.standin("beats") as page:
        settle(page, "beats")
        chart = page.locator(".chart-frame").first
        chart.scroll_into_view_if_needed()
        box = chart.bounding_box()
        page.mouse.move(box["x"] + 400, box["y"] + 100)
        before = page.evaluate("location.hash")
        page.mouse.wheel(0, 60)
        page.wait_for_function("() => scrollY > 30")
        page.wait_for_timeout(500)
        check(page.evaluate("location.hash") == before, "it zoomed unintentionally")
        page.mouse.wheel(0, -60)
        page.wait_for_function("() => scrollY === 0")
        page.keyboard.down("Control")
        page.mouse.wheel(0, -60)
        page.keyboard.up("Control")
        page.wait_for_function("before => location.hash !== before", arg=before)
        zoomed = page.evaluate("location.hash")
        page.mouse.click(box["x"] + 400, box["y"] + 100)
        page.mouse.wheel(0, -60)
        page.wait_for_function("before => location.hash !== before", arg=zoomed)
        check(page.evaluate("scrollY") == 0, "it scrolled, too")


@test
def test_the_wheel_zooms_to_single_values_at_the_pointer(browser):
    with browser.shared("monitors") as page:
        end = page.world.now - 10 * HOUR
        show(page, end - DAY, end)
        box = page.locator(".chart-frame").bounding_box()
        page.mouse.move(box["x"] + 400, box["y"] + 100)
        time = end - DAY + (400 - LEFT) / (box["width"] - LEFT - RIGHT) * DAY
        for _ in range(60):
            page.mouse.wheel(0, -200)
            if shown(page) and shown(page)[1] - shown(page)[0] < 40 * SECOND:
                break
            page.wait_for_timeout(20)
        page.wait_for_function(f"() => {SPAN} < 40000")
        settle(page)
        start, stop = shown(page)
        check(start <= time <= stop, "the time under the pointer moved")
        page.mouse.move(box["x"] + 401, box["y"] + 100)
        page.wait_for_function(
            "() => /\\d:\\d\\d:\\d\\d · \\d\\d beats a minute$/"
            ".test(document.querySelector('.readout').textContent)"
        )
        said = page.locator(".readout").text_content()
        # The readout must have the value of the second that it names.
        clock, value = said.split(" · ")
        second = next(
            second
            for second in range(start // SECOND, stop // SECOND + 1)
            if page.evaluate(CLOCK, second * SECOND) == clock.split(", ")[1]
        )
        check(
            int(value.split()[0]) == page.world.strap(second),
            f"{said}, and stored is {page.world.strap(second)}",
        )


@test
def test_dragging_moves_through_time(browser):
    with browser.shared("monitors") as page:
        end = page.world.now - 10 * HOUR
        show(page, end - 4 * HOUR, end)
        box = page.locator(".chart-frame").bounding_box()
        page.mouse.move(box["x"] + 300, box["y"] + 100)
        page.mouse.down()
        page.mouse.move(box["x"] + 500, box["y"] + 100, steps=5)
        page.mouse.up()
        moved = 200 / (box["width"] - LEFT - RIGHT) * 4 * HOUR
        page.wait_for_function(
            f"() => new URLSearchParams(location.hash.split('?')[1]).get('to') < {end} - {moved * 0.9}"
        )
        start, stop = shown(page)
        check(abs((stop - start) - 4 * HOUR) < MINUTE, "moving changed the scale")


@test
def test_two_fingers_zoom(browser):
    with browser.standin("monitors", size=PHONE) as page:
        end = page.world.now - 10 * HOUR
        show(page, end - 4 * HOUR, end)
        box = page.locator(".chart-frame").bounding_box()
        touch = page.context.new_cdp_session(page)

        def points(*xs):
            return [{"x": box["x"] + x, "y": box["y"] + 100, "id": i} for i, x in enumerate(xs)]

        touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": points(150, 200)})
        for by in range(0, 100, 10):
            touch.send(
                "Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": points(150 - by, 200 + by)}
            )
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        page.wait_for_function(f"() => {SPAN} < 2 * 3600000")


@test
def test_keys_move_between_values_zoom_and_change_the_range(browser):
    with browser.shared("monitors") as page:
        start = page.world.now - 10 * HOUR
        show(page, start, start + MINUTE)
        page.locator(".chart-frame").focus()
        page.keyboard.press("Home")
        first = page.locator(".readout").text_content()
        page.keyboard.press("ArrowRight")
        second = page.locator(".readout").text_content()
        check(first != second and "beats a minute" in second, f"{first!r} then {second!r}")
        check(page.locator(".readout").get_attribute("aria-live") == "polite", "it is not announced")
        page.keyboard.press("-")
        page.wait_for_function(f"() => {SPAN} > 110000")
        before = shown(page)[0]
        page.keyboard.press("PageUp")
        page.wait_for_function(
            f"() => new URLSearchParams(location.hash.split('?')[1]).get('from') < {before} - 60000"
        )
        page.keyboard.press("Escape")
        # If no time is selected, the readout describes the chart.
        expect(page.locator(".readout")).to_contain_text("In beats a minute, of")


@test
def test_the_table_of_a_chart_has_its_values(browser):
    with browser.shared("monitors") as page:
        start = (page.world.now // MINUTE) * MINUTE - 10 * HOUR
        show(page, start - 500, start + MINUTE - 500)
        page.get_by_text("As a table").click()
        rows = page.locator(".series details").last.locator("tbody tr")
        expect(rows).to_have_count(60)
        values = [int(each) for each in rows.locator("td.number").all_text_contents()]
        wanted = [page.world.strap(second) for second in range(start // SECOND, start // SECOND + 60)]
        check(values == wanted, f"{values[:5]} in the table, {wanted[:5]} stored")


@test(slow=True)
def test_ranges_follow_the_calendar_and_responses_are_small(browser):
    with browser.shared("heart-rate") as page:
        settle(page, "heart-rate")
        for name in ("Week", "Month", "6 months", "Year", "All", "Day"):
            sizes = []

            def record(response):
                if "/api/" in response.url and "events" not in response.url:
                    sizes.append(len(response.body()))

            page.on("response", record)
            page.get_by_role("button", name=name, exact=True).click()
            expect(page.get_by_role("button", name=name, exact=True)).to_have_attribute(
                "aria-pressed", "true"
            )
            settle(page)
            page.wait_for_timeout(300)
            page.remove_listener("response", record)
            check(sizes and sum(sizes) < 60_000, f"{name} took {sum(sizes)} bytes")
        start = page.evaluate("new Date().setHours(0, 0, 0, 0)")
        expect(page.locator("#main h2").first).to_have_text(
            page.evaluate(
                LONG_DAY,
                start,
            )
        )


@test
def test_sums_are_per_day_and_rare_values_are_dots_with_a_line(browser):
    with browser.shared("heart-rate?type=stepCount&range=week") as page:
        settle(page, "heart-rate")
        # The chart is under "All data" in the navigation, and the title has the type's name.
        expect(page.locator("#nav [aria-current]")).to_have_text("All data")
        expect(page).to_have_title("Steps · Health")
        page.get_by_text("As a table").click()
        rows = page.locator(".series tbody tr")
        expect(rows).to_have_count(7)
        expect(rows.first.locator("td.number")).to_have_text("1,000")
        page.get_by_role("button", name="Year", exact=True).click()
        # A bar for a week shows the average of its days.
        expect(page.locator("#main")).to_contain_text("their daily average")
        expect(rows.first.locator("td.number")).to_have_text("1,000")
        expect(page.locator(".figures")).to_contain_text("a day on average")
        page.get_by_label("What is shown").select_option("restingHeartRate")
        expect(page).to_have_title("Resting heart rate · Health")
        page.get_by_role("button", name="Month", exact=True).click()
        page.get_by_role("button", name="Before").click()
        for _ in range(int(page.timeout / 100)):
            drawn = [each["count"] for each in columns(page, "accent")][LEFT:-RIGHT]
            joined = sum(1 for each in drawn if each) / len(drawn)
            dots = [x for x, each in enumerate(drawn[1:], 1) if each >= 5 > drawn[x - 1]]
            if joined > 0.9 and 25 < len(dots) < 40:
                break
            page.wait_for_timeout(100)
        check(joined > 0.9, f"{joined:.0%} of the columns have anything")
        check(25 < len(dots) < 40, f"{len(dots)} dots in a month")


@test(slow=True)
def test_a_range_selected_while_the_chart_moves_stays_selected(browser):
    with browser.shared("heart-rate") as page:
        settle(page, "heart-rate")
        for pause in range(50, 400, 50):
            page.get_by_role("button", name="Month", exact=True).click()
            page.wait_for_timeout(pause)
            page.get_by_role("button", name="Week", exact=True).click()
            page.wait_for_timeout(450)
            settle(page)
            pressed = page.locator('.choice [aria-pressed="true"]').all_text_contents()
            check(pressed == ["Week"], f"{pressed}, {pause} ms after Month")


@test(slow=True)
def test_at_most_two_values_a_pixel_are_requested(browser):
    with browser.shared("heart-rate") as page:
        settle(page, "heart-rate")
        width = page.evaluate(f"document.querySelector('{CANVAS}').clientWidth")
        for name in ("Year", "Week", "Day"):
            page.get_by_role("button", name=name, exact=True).click()
            settle(page)
        asked = [each for path, each in page.world.asked if path == "/api/series"]
        # A chart also loads half of its width on either side, so the requested width is at most twice the
        # visible one.
        check(
            asked and all(int(each["pixels"]) <= 2 * width for each in asked), f"{width} pixels wide: {asked}"
        )


@test
def test_the_visible_range_can_be_saved(browser):
    with browser.shared("monitors") as page:
        start, end = page.world.now - 10 * HOUR, page.world.now - 9 * HOUR
        show(page, start, end)
        page.wait_for_function("() => document.querySelector('a[href*=\"export.csv\"]')")
        for name, route in (("CSV", "/api/export.csv"), ("RR intervals", "/api/export.rr")):
            href = page.get_by_role("link", name=name).get_attribute("href")
            fields = linked(href)
            check(route in href and fields["from"] == start and fields["to"] == end, href)


@test
def test_the_daily_average_of_a_month_is_right_when_the_clocks_change(browser):
    with browser.standin("you") as page:
        settle(page, "you")
        page.clock.set_fixed_time("2026-11-03T12:00:00+01:00")
        go(page, "heart-rate?type=stepCount&range=month")
        page.get_by_role("button", name="Before", exact=True).click()
        expect(page.locator("#main h2").first).to_have_text("October 2026")
        # The average is a sum divided by 31 days. The additional hour of October is not counted as a part of
        # a day.
        expect(page.locator(".figures")).to_contain_text("a day on average1,001")
