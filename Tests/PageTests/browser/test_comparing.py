"""The time before behind a chart, a second type on it, and the figures of a selected time."""

from harness import PHONE, check, eventually, expect, go, settle, test
from standin import DAY, HOUR, linked
from test_accessibility import axe, findings
from test_calendar import MIDNIGHT

# JavaScript that returns the number of pixels of a color in the chart, from a share of its width on.
COUNT = """([name, left]) => {
  const place = document.body.appendChild(document.createElement('i'));
  place.style.color = `var(--${name})`;
  const [r, g, b] = getComputedStyle(place).color.match(/\\d+/g).map(Number);
  place.remove();
  const canvas = document.querySelector('.chart-frame canvas');
  const start = Math.round(canvas.width * left);
  const data = canvas.getContext('2d').getImageData(start, 0, canvas.width - start, canvas.height).data;
  let count = 0;
  for (let i = 0; i < data.length; i += 4) {
    const near = Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 40;
    if (data[i + 3] > 200 && near) count += 1;
  }
  return count;
}"""


def asked(page, path, **fields):
    return [each for route, each in page.world.asked if route == path
            and all(each.get(key) == value for key, value in fields.items())]


def slower_before(page):
    """Makes all values before today lower by ten beats a minute."""
    strap, today = page.world.strap, page.evaluate(MIDNIGHT, 0)
    page.world.strap = lambda second: (
        (value - 10 if second * 1000 < today else value) if (value := strap(second)) is not None else None)


@test
def test_the_day_before_is_behind_a_day(browser):
    with browser.standin("you") as page:
        settle(page, "you")
        slower_before(page)
        go(page, "heart-rate?range=day")
        drawn = page.evaluate(COUNT, ["quiet", 0])
        page.get_by_label("Day before").check()
        settle(page)
        page.wait_for_timeout(100)
        check(page.evaluate(COUNT, ["quiet", 0]) > drawn + 100, "no line is drawn")
        # Today is not over, so the average of yesterday ends at the same time of day.
        today, yesterday = (page.evaluate(MIDNIGHT, days) for days in (0, -1))
        expect(page.locator(".figures")).to_contain_text("average of all readings, day before60")
        before = asked(page, "/api/statistics", **{"from": yesterday})[-1]
        check(abs(before["to"] - (page.evaluate("Date.now()") - (today - yesterday))) < HOUR, f"{before}")
        # The readout has the values of both days at the same time of day.
        frame = page.locator(".chart-frame").first
        frame.focus()
        page.keyboard.press("Home")
        expect(page.locator(".readout").first).to_contain_text("average 70 beats a minute")
        expect(page.locator(".readout").first).to_contain_text("· day before 60 beats a minute")
        # On the day before, the chart compares with the day before that one. The address keeps the choice.
        page.get_by_role("button", name="Before", exact=True).click()
        settle(page)
        expect(page.locator(".figures")).to_contain_text("average of all readings, day before60")
        check("before=yes" in page.url, page.url)
        page.reload()
        settle(page, "heart-rate")
        expect(page.get_by_label("Day before")).to_be_checked()
        # A week is compared with the week before, and all data is not compared.
        page.get_by_role("button", name="Week", exact=True).click()
        settle(page)
        expect(page.get_by_label("Week before")).to_be_checked()
        monday = linked(page.url.split("#")[1].replace("/heart-rate", ""))["at"]
        start = page.evaluate("text => new Date(`${text}T00:00`).getTime()", monday)
        earlier = page.evaluate("time => { const date = new Date(time); return date.setDate(date.getDate() - 7); }",
                                start)
        eventually(page, lambda: asked(page, "/api/statistics", **{"from": earlier}), "another week is asked for")
        page.get_by_role("button", name="All", exact=True).click()
        settle(page)
        expect(page.get_by_label("Week before")).to_be_hidden()
        expect(page.locator(".figures")).not_to_contain_text("before")


@test
def test_a_second_type_has_an_axis_on_the_right(browser):
    with browser.standin("heart-rate?range=week") as page:
        settle(page, "heart-rate")
        page.wait_for_timeout(100)
        check(page.evaluate(COUNT, ["step-1", 0.94]) == 0, "there is an axis on the right")
        page.get_by_label("Also show").select_option("stepCount")
        settle(page)
        page.wait_for_timeout(100)
        check(page.evaluate(COUNT, ["step-1", 0.94]) > 100, "there is no axis on the right")
        check(page.evaluate(COUNT, ["step-1", 0]) > 100, "no line is drawn")
        page.locator(".chart-frame").first.focus()
        page.keyboard.press("Home")
        expect(page.locator(".readout").first).to_contain_text("(296 values) · steps 1,000")
        check("with=stepCount" in page.url, page.url)
        page.reload()
        settle(page, "heart-rate")
        expect(page.get_by_label("Also show")).to_have_value("stepCount")
        # If the second type cannot be read, the chart still shows the heart rate.
        page.world.failing["/api/statistics"] = "The block of steps is damaged."
        page.get_by_role("button", name="6 months", exact=True).click()
        expect(page.locator(".companions .problem")).to_have_text("The block of steps is damaged.")
        page.world.failing.clear()
        page.get_by_label("Also show").select_option("nothing")
        settle(page)
        check("with=" not in page.url, page.url)


@test
def test_a_selected_time_has_its_figures(browser):
    with browser.standin("heart-rate") as page:
        settle(page, "heart-rate")
        go(page, f"heart-rate?from={page.world.now - DAY}&to={page.world.now}")
        frame, said = page.locator(".chart-frame").first, page.locator(".selected [role=status]")

        def drag(first, last):
            frame.scroll_into_view_if_needed()
            box = frame.bounding_box()
            page.mouse.move(box["x"] + first * box["width"], box["y"] + 90)
            page.mouse.down()
            page.mouse.move(box["x"] + last * box["width"], box["y"] + 95, steps=4)
            page.mouse.up()

        address = page.url
        page.get_by_role("button", name="Select a time").click()
        drag(0.3, 0.5)
        expect(said).to_contain_text("lowest 60, highest 80, average of all readings 70 beats a minute, of")
        check(page.url == address, "the chart has moved")
        bounds = asked(page, "/api/statistics")[-1]
        check(4 * HOUR < bounds["to"] - bounds["from"] < 6 * HOUR, f"{bounds}")
        # A new selection replaces the first one, and may be drawn from right to left. A click removes it.
        drag(0.2, 0.1)
        expect(said).to_contain_text("of")
        eventually(page, lambda: asked(page, "/api/statistics")[-1]["from"] < bounds["from"], "it is the first one")
        drag(0.2, 0.2)
        expect(said).to_be_hidden()
        page.get_by_role("button", name="Select a time").click()
        # While Shift is held, dragging selects without the button.
        page.keyboard.down("Shift")
        drag(0.6, 0.7)
        page.keyboard.up("Shift")
        expect(said).to_contain_text("highest 80")
        selected = asked(page, "/api/statistics")[-1]
        page.get_by_role("button", name="Zoom in").click()
        settle(page)
        eventually(page, lambda: f"from={selected['from']:.0f}" in page.url, f"{selected}: {page.url}")
        expect(said).to_be_hidden()
        # A time can also be selected with the keyboard.
        frame.focus()
        for key in ("Home", "Space", "ArrowRight", "ArrowRight", "ArrowRight", "Space"):
            page.keyboard.press(key)
        expect(said).to_contain_text("average")
        page.keyboard.press("Escape")
        expect(said).to_be_hidden()


@test(slow=True)
def test_comparing_has_no_finding(browser):
    for options in ({}, {"size": PHONE, "theme": "dark"}):
        with browser.standin("heart-rate?range=week&before=yes&with=stepCount", **options) as page:
            settle(page, "heart-rate")
            page.locator(".chart-frame").first.focus()
            for key in ("Home", "Space", "ArrowRight", "Space"):
                page.keyboard.press(key)
            expect(page.locator(".selected [role=status]")).to_contain_text("average")
            page.evaluate(axe())
            check(not findings(page), f"{findings(page)}")
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            check(wide <= 0, f"{wide} pixels too wide")
