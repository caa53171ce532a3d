"""Sleep: a night with its stages, the nights of two weeks, and sleep on the heart-rate chart."""

import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from harness import PHONE, check, eventually, expect, go, settle, test
from standin import HOUR, MINUTE
from test_accessibility import axe, findings

ZONE = ZoneInfo("Europe/Berlin")
STAGES = [("core", 0, 60), ("deep", 60, 130), ("rem", 130, 200), ("awake", 200, 210), ("core", 210, 400)]


def midnight(world, back):
    """Returns the start of a day in the browser's time zone, `back` days before today."""
    day = datetime.fromtimestamp(world.now / 1000, ZONE).date() - timedelta(days=back)
    return int(datetime(day.year, day.month, day.day, tzinfo=ZONE).timestamp() * 1000)


def night(world, back, naps=()):
    """Returns a night that begins at 23:00 in bed. Sleep begins 15 minutes later."""
    start = midnight(world, back + 1) + 23 * HOUR
    asleep = start + 15 * MINUTE
    stages = [
        {"stage": stage, "start": asleep + a * MINUTE, "end": asleep + b * MINUTE} for stage, a, b in STAGES
    ]
    seconds = {"inBed": 25_800.0, "core": 15_000.0, "deep": 4200.0, "rem": 4200.0, "awake": 600.0}
    return {
        "from": midnight(world, back),
        "start": start,
        "end": start + 430 * MINUTE,
        "asleep": {"start": asleep, "end": asleep + 400 * MINUTE},
        "source": "com.example.watch",
        "name": "Watch",
        "stages": stages,
        "inBed": [{"start": start, "end": start + 430 * MINUTE}],
        "seconds": seconds | {"asleep": 23_400.0},
        "naps": list(naps),
        "lowest": {"value": 47, "time": asleep + 90 * MINUTE},
    }


def sleeping(world):
    nap = {"start": midnight(world, 1) + 14 * HOUR, "end": midnight(world, 1) + 15 * HOUR, "asleep": 3600.0}
    # The latest night ended yesterday, and the fifth night before it is missing.
    world.nights = [night(world, back, [nap] if back == 1 else ()) for back in range(1, 30) if back != 6]


@test
def test_the_latest_night_is_shown_with_its_stages(browser):
    with browser.standin("sleep", sleeping) as page:
        settle(page, "sleep")
        main = page.locator("#main")
        figures = page.locator(".figures")
        for words in ("6 h 30 min", "23:00", "6:10", "7 h 10 min", "47"):
            expect(figures).to_contain_text(words)
        expect(main).to_contain_text("1 nap: 14:00 to 15:00.")
        expect(main).to_contain_text("Average of 13 nights: 6 h 30 min asleep, from 23:15 to 5:55.")
        bars = page.locator(".bars [role=listitem]")
        found = [each.inner_text().replace("\n", " ").strip() for each in bars.all()]
        check(found[0].startswith("Awake") and "10 min" in found[0] and "%" not in found[0], str(found))
        check("70 min" not in found[1] and "1 h 10 min" in found[1] and "18%" in found[1], str(found))
        check(len(found) == 4, str(found))
        asked = [each for path, each in page.world.asked if path == "/api/nights"]
        check(len(asked) == 1, f"the nights are asked for {len(asked)} times")


@test
def test_nights_long_before_the_last_sample_are_found(browser):
    """The last night can be long before the last sample: the days since can lack sleep, or the sample is in
    the future."""

    def late(world):
        world.nights = [night(world, back) for back in range(11, 30)]

    with browser.standin("sleep", late) as page:
        settle(page, "sleep")
        expect(page.locator("#main")).to_contain_text("Average of 14 nights")


@test
def test_a_night_with_time_in_bed_alone_says_so(browser):
    def lying(world):
        world.nights = [night(world, 1)]
        world.nights[0] |= {"stages": [], "naps": [], "seconds": {"inBed": 25_800.0}, "name": None}
        world.nights[0].pop("asleep")

    with browser.standin("sleep", lying) as page:
        settle(page, "sleep")
        expect(page.get_by_text("Only time in bed is stored for this night.")).to_be_visible()
        expect(page.get_by_label("Hypnogram: the stages of the night", exact=True)).to_be_hidden()
        expect(page.get_by_text("As a table")).to_have_count(2)
        expect(page.get_by_text("As a table").first).to_be_hidden()


@test
def test_keys_go_through_stages_and_nights(browser):
    with browser.standin("sleep", sleeping) as page:
        settle(page, "sleep")
        stages = page.get_by_label("Hypnogram: the stages of the night", exact=True)
        readout = page.locator("figure.chart .readout")
        stages.focus()
        page.keyboard.press("Home")
        expect(readout.nth(0)).to_have_text("23:15 to 0:15 · Core · 1 h")
        page.keyboard.press("ArrowRight")
        expect(readout.nth(0)).to_have_text("0:15 to 1:25 · Deep · 1 h 10 min")
        page.keyboard.press("End")
        page.keyboard.press("ArrowRight")
        expect(readout.nth(0)).to_contain_text("2:45 to 5:55 · Core")
        nights = page.get_by_label("Bedtimes and stages of 14 nights", exact=True)
        nights.focus()
        page.keyboard.press("ArrowLeft")
        expect(readout.nth(1)).to_contain_text("23:00 to 6:10 · 6 h 30 min asleep")
        page.keyboard.press("ArrowLeft")
        latest = page.locator("h2").first.inner_text()
        page.keyboard.press("Enter")
        settle(page, "sleep")
        expect(page.locator("h2").first).not_to_have_text(latest)
        check("night=20" in page.url, page.url)
        first = page.locator("h2").first.inner_text()
        page.get_by_role("button", name="Night before").click()
        settle(page)
        expect(page.locator("h2").first).not_to_have_text(first)
        page.go_back()
        expect(page.locator("h2").first).to_have_text(first)


@test
def test_a_night_without_sleep_is_said_and_tables_have_all(browser):
    with browser.standin("sleep", sleeping) as page:
        settle(page, "sleep")
        page.locator("details summary").nth(0).click()
        expect(page.locator("tbody").nth(0).locator("tr")).to_have_count(len(STAGES))
        page.locator("details summary").nth(1).click()
        rows = page.locator("tbody").nth(1).locator("tr")
        expect(rows).to_have_count(13)
        expect(rows.last).to_contain_text("47 at 0:45")
        day = datetime.fromtimestamp(midnight(page.world, 6) / 1000, ZONE).date().isoformat()
        go(page, f"sleep?night={day}")
        expect(page.get_by_text("No sleep is stored for this night.")).to_be_visible()
        expect(page.get_by_label("Hypnogram: the stages of the night", exact=True)).to_be_hidden()


@test
def test_the_lowest_heart_rate_leads_to_its_moment_on_the_chart(browser):
    with browser.standin("sleep", sleeping) as page:
        settle(page, "sleep")
        page.get_by_label("Chart of the lowest heart rate at 0:45").click()
        settle(page, "heart-rate")
        expect(page.locator(".readout").first).to_contain_text("0:45:00")
        page.go_back()
        settle(page, "sleep")


@test
def test_the_night_range_is_from_twenty_to_ten(browser):
    with browser.standin("heart-rate", sleeping) as page:
        settle(page, "heart-rate")
        page.get_by_role("button", name="Night", exact=True).click()
        settle(page)

        def bounds():
            asked = [each for path, each in page.world.asked if path == "/api/statistics"][-1]
            return [datetime.fromtimestamp(asked[name] / 1000, ZONE) for name in ("from", "to")]

        start, end = bounds()
        check((start.hour, end.hour) == (20, 10) and end.date() - start.date() == timedelta(days=1),
              f"{start} {end}")
        check(re.search(f"range=night&at={end.date().isoformat()}", page.url), page.url)
        page.get_by_role("button", name="Before", exact=True).click()
        settle(page)
        before, until = bounds()
        check(start.date() - before.date() == timedelta(days=1) and until.hour == 10, f"{before} {until}")
        page.get_by_role("button", name="After", exact=True).click()
        settle(page)
        check(bounds() == [start, end], f"{bounds()}")
        # After a reload, the address still has the same night.
        page.reload()
        settle(page, "heart-rate")
        check(bounds() == [start, end], f"{bounds()}")
        # The coming night is the last one, so no night follows it.
        go(page, "heart-rate?range=night")
        expect(page.get_by_role("button", name="After", exact=True)).to_be_disabled()
        expect(page.get_by_role("button", name="Today", exact=True)).to_be_hidden()
        # In this night the clocks go back, so 20:00 to 10:00 takes 15 hours.
        go(page, "heart-rate?range=night&at=2026-10-25")
        start, end = bounds()
        check((start.day, start.hour, end.day, end.hour) == (24, 20, 25, 10), f"{start} {end}")
        check(end.timestamp() - start.timestamp() == 15 * 3600, f"{start} {end}")


@test
def test_sleep_is_shaded_behind_the_heart_rate(browser):
    pixels = """() => {
      const canvas = document.querySelector('.chart-frame canvas'), ratio = devicePixelRatio;
      const pen = canvas.getContext('2d'), y = 40 * ratio;
      const data = pen.getImageData(60 * ratio, y, canvas.width - 80 * ratio, 1).data;
      let count = 0;
      for (let i = 0; i < data.length; i += 4) {
        if (data[i + 3] > 20 && data[i + 2] > data[i] + 40) count += 1;
      }
      return count;
    }"""
    shaded = "Shaded: asleep."
    with browser.standin("heart-rate", sleeping) as page:
        settle(page, "heart-rate")
        day = datetime.fromtimestamp(midnight(page.world, 2) / 1000, ZONE).date().isoformat()
        go(page, f"heart-rate?range=night&at={day}")
        expect(page.get_by_text(shaded)).to_be_visible()
        page.wait_for_timeout(200)
        check(page.evaluate(pixels) > 100, f"{page.evaluate(pixels)} pixels are shaded")
        page.get_by_role("button", name="Year", exact=True).click()
        settle(page)
        expect(page.get_by_text(shaded)).to_be_hidden()
    with browser.standin(f"heart-rate?range=night&at={day}") as page:
        settle(page, "heart-rate")
        check(page.evaluate(pixels) == 0, "something is shaded without sleep")
        check(not [path for path, _ in page.world.asked if path == "/api/nights"], "nights are asked for")


@test
def test_the_shade_of_sleep_stays_while_the_reader_zooms(browser):
    with browser.standin("heart-rate", sleeping) as page:
        settle(page, "heart-rate")
        held, asleep = [], midnight(page.world, 2)
        page.route("**/api/nights*", lambda route: held.append(route))
        # Both ranges contain the same nights, so one request is enough. The chart loads the second range
        # before that request is answered.
        for hours in (5, 9):
            page.world.asked.clear()
            go(page, f"heart-rate?from={asleep - HOUR}&to={asleep + hours * HOUR}")
            eventually(page, lambda: "/api/series" in dict(page.world.asked), "the chart loads nothing")
        eventually(page, lambda: held, "no nights are asked for")
        check(len(held) == 1, f"{len(held)} requests for the same nights")
        held[0].continue_()
        expect(page.get_by_text("Shaded: asleep.")).to_be_visible()
        page.unroute_all()


@test(slow=True)
def test_sleep_has_no_finding_in_the_light_and_on_a_dark_phone(browser):
    for options in ({}, {"size": PHONE, "theme": "dark"}):
        with browser.standin("sleep", sleeping, **options) as page:
            settle(page, "sleep")
            page.evaluate(axe())
            check(not findings(page), f"{findings(page)}")
            opened = "each => each.forEach((details) => { details.open = true; })"
            page.locator("#main details").evaluate_all(opened)
            check(not findings(page), f"{findings(page)}")
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            check(wide <= 0, f"{wide} pixels too wide")


# How colors are seen with protanopia, deuteranopia and tritanopia: matrices for linear light (Machado,
# Oliveira and Fernandes 2009).
BLIND = {
    "none": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                   [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                     [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                   [0.004733, 0.691367, 0.303900]],
}


def linear(color):
    """Converts a color such as rgb(74, 143, 231) to the three parts of linear light."""
    parts = [int(each) / 255 for each in re.findall(r"\d+", color)[:3]]
    return [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts]


def oklab(light):
    first = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
             [0.0883024619, 0.2817188376, 0.6299787005]]
    second = [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
              [0.0259040371, 0.7827717662, -0.8086757660]]
    roots = [sum(a * b for a, b in zip(row, light)) ** (1 / 3) for row in first]
    return [sum(a * b for a, b in zip(row, roots)) for row in second]


# JavaScript that returns the color of a name in the style sheet.
COLOR = """name => {
  const place = document.body.appendChild(document.createElement('i'));
  place.style.color = `var(--${name})`;
  const color = getComputedStyle(place).color;
  place.remove();
  return color;
}"""


@test
def test_the_colors_of_sources_are_told_apart_and_none_looks_disabled(browser):
    for theme in ("light", "dark"):
        with browser.standin("you", theme=theme) as page:
            settle(page, "you")
            names = page.evaluate(
                "import('/charts/looks.js').then(({ looks }) => [...new Set(looks.map(({ ink }) => ink))])")
            check(len(names) == 3 and "quiet" not in names, f"{names}")
            # Lines of the time before and of a second type are on the same chart.
            lights = {each: linear(page.evaluate(COLOR, each)) for each in [*names, "quiet", "step-1"]}
            for name, matrix in BLIND.items():
                seen = {each: oklab([min(1, max(0, sum(a * b for a, b in zip(row, light)))) for row in matrix])
                        for each, light in lights.items()}
                third = seen.pop(names[2])
                for other, color in seen.items():
                    distance = sum((a - b) ** 2 for a, b in zip(third, color)) ** 0.5
                    check(distance > 0.1, f"{theme}, {name}: {names[2]} is like {other}, {distance:.3f}")


@test
def test_the_five_colors_are_told_apart_by_everybody(browser):
    for theme in ("light", "dark"):
        with browser.standin("you", theme=theme) as page:
            settle(page, "you")
            steps = [linear(page.evaluate(COLOR, f"step-{k}")) for k in range(1, 6)]
            paper = linear(page.evaluate(COLOR, "paper"))

            def lightness(light):
                return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2] + 0.05

            for step in steps:
                bounds = sorted((lightness(step), lightness(paper)))
                check(bounds[1] / bounds[0] >= 3, f"{theme}: {step} has too little contrast")
            for name, matrix in BLIND.items():
                seen = [
                    oklab([min(1, max(0, sum(a * b for a, b in zip(row, step)))) for row in matrix])
                    for step in steps
                ]
                for k, one in enumerate(seen):
                    for other in seen[:k]:
                        distance = sum((a - b) ** 2 for a, b in zip(one, other)) ** 0.5
                        check(distance > 0.1, f"{theme}, {name}: {k + 1} is like another, {distance:.3f}")


@test
def test_the_lowest_and_highest_value_of_a_day_link_to_their_moments(browser):
    def world(world):
        at = midnight(world, 1) + 3 * HOUR
        world.extremes = {"lowest": {"value": 60, "time": at}, "highest": {"value": 80, "time": at + HOUR}}

    with browser.standin("heart-rate", world) as page:
        settle(page, "heart-rate")
        page.get_by_role("button", name="Before", exact=True).click()
        settle(page)
        figures = page.locator(".figures")
        expect(figures).to_contain_text("lowest603:00")
        expect(figures).to_contain_text("highest804:00")
        asked = [each for path, each in page.world.asked if path == "/api/extremes"][-1]
        counted = [each for path, each in page.world.asked if path == "/api/statistics"][-1]
        check([asked["from"], asked["to"]] == [counted["from"], counted["to"]], f"{asked} {counted}")
        figures.get_by_role("link", name="highest").click()
        expect(page.locator(".readout").first).to_contain_text("4:00:00")
        page.go_back()
        # The extremes of a year are computed without times, so they are not links.
        page.get_by_role("button", name="Year", exact=True).click()
        settle(page)
        expect(figures).to_contain_text("highest")
        expect(figures.get_by_role("link")).to_have_count(0)


@test
def test_figures_are_not_broken_on_a_phone(browser):
    with browser.standin("sleep", sleeping, size=PHONE) as page:
        settle(page, "sleep")
        found = page.locator(".figures dd").evaluate_all("""each => each.map((one) => {
          const range = document.createRange();
          range.selectNodeContents(one);
          const tops = [...range.getClientRects()].map(({ top }) => Math.round(top));
          return [one.textContent, new Set(tops).size];
        })""")
        check(len(found) == 5 and all(lines == 1 for _, lines in found), f"{found}")
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        check(wide <= 0, f"{wide} pixels too wide")
        # The labels of the stages are in one line, beside bars of a visible width.
        widths = page.locator(".bars .track").evaluate_all("each => each.map((one) => one.offsetWidth)")
        check(min(widths) >= 64, f"{widths}")
