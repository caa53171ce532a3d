"""Local days, including days on which the clocks change: the page shows the figures of the command line.

Tests/CommandTests/PageBrowserTests.swift creates the facts from a random store."""

import urllib.parse
from datetime import date, timedelta

from harness import check, expect, go, settle, test
from standin import SECOND

# The figures of a chart: the name on the page, the name in the statistics, and the number of decimal digits.
FIGURE_NAMES = (("lowest", "min"), ("highest", "max"), ("average of all readings", "average"))

FIGURES = """() => [...document.querySelectorAll(".figures div")].map(
  (each) => [each.querySelector("dt").textContent, each.querySelector("dd").textContent])"""

# JavaScript that returns the rows of the table of variability: the name and the value of each measure.
MEASURES = """() => [...document.querySelectorAll("#main tbody tr")].filter((row) => row.cells.length === 2).map(
  (row) => [row.cells[0].firstChild.textContent, row.cells[1].textContent.trim()])"""

MEASURED = (
    ("RMSSD", "rmssd", "ms", 0),
    ("SDNN", "sdnn", "ms", 0),
    ("ln RMSSD", "lnRMSSD", "", 2),
    ("pNN50", "pnn50", "%", 0),
    ("mean interval", "meanNN", "ms", 0),
    ("SD1", "sd1", "ms", 0),
    ("SD2", "sd2", "ms", 0),
    ("LF", "lf", "ms²", 0),
    ("HF", "hf", "ms²", 0),
    ("LF/HF", "lfhf", "", 2),
    ("DFA α1", "dfaAlpha1", "", 2),
)


def formatted(page, name, *arguments):
    """Returns a value in the format of the page."""
    return page.evaluate(
        "([name, given]) => import('/format.js').then((format) => format[name](...given))",
        [name, list(arguments)],
    )


def figures(page, type_name, day, stats):
    """Returns the figures of a local day by name. Such a day may have 23 or 25 hours."""
    go(page, f"heart-rate?type={type_name}&range=day&at={day['date']}")
    settle(page)
    expect(page.locator(".series p.quiet").first).to_contain_text(
        f"of {formatted(page, 'number', stats['count'])} values"
    )
    return dict(page.evaluate(FIGURES))


@test(served="days")
def test_days_have_the_figures_of_the_command_line(browser):
    with browser.page(browser.address + "#/now") as page:
        settle(page, "now")
        for day in browser.facts["days"]:
            stats = day["stats"]
            shown = figures(page, "heartRate", day, stats)
            for name, key in FIGURE_NAMES:
                wanted = formatted(page, "number", stats[key])
                check(shown.get(name) == wanted, f"{name} of {day['date']} is {shown}, not {wanted}")
            # The label contains the age of the value, so only its beginning is compared.
            latest = [value for name, value in shown.items() if name.startswith("latest, ")]
            wanted = [formatted(page, "number", day["latest"], 0, True)]
            check(latest == wanted, f"the latest of {day['date']} is {latest}, not {wanted}")


@test(served="days")
def test_days_have_the_sums_of_the_command_line(browser):
    with browser.page(browser.address + "#/now") as page:
        settle(page, "now")
        for day in browser.facts["days"]:
            energy = day["energy"]
            shown = figures(page, "activeEnergyBurned", day, energy)
            # The page shows energy in kilocalories, and 1 kcal is 4.184 kJ.
            wanted = formatted(page, "number", energy["sum"] / 4.184, 0, True)
            check(shown.get("in all") == f"{wanted} kcal", f"{day['date']} has {shown}, not {wanted} kcal")


@test(served="days")
def test_days_have_the_sessions_of_the_command_line(browser):
    with browser.page(browser.address + "#/now") as page:
        settle(page, "now")
        go(page, "sessions")
        rows = page.locator("li.session .numbers")
        # Sessions of two straps at the same time have one row, with the figures of one of them.
        settle(page, "sessions")
        also = page.locator("li.session .also")
        check(rows.count() + also.count() == len(browser.facts["sessions"]), "the number of sessions is another")
        wanted = []
        for stats in browser.facts["sessions"]:
            measures = (("average", "average"), ("max", "highest"), ("min", "lowest"))
            wanted.append([f"{formatted(page, 'number', stats[key])} {name}" for key, name in measures])
        for row in rows.all():
            shown = [each.inner_text() for each in row.locator("> span").all()]
            check(shown in wanted, f"{shown} of a session, not one of {wanted}")
            wanted.remove(shown)


@test(served="days")
def test_days_have_the_variability_and_the_zones_of_the_command_line(browser):
    with browser.page(browser.address + "#/now") as page:
        settle(page, "now")
        go(page, "you")
        page.get_by_role("spinbutton", name="Maximum heart rate").fill(str(browser.facts["maximum"]))
        page.keyboard.press("Tab")
        expect(page.locator("#notice")).to_be_visible()
        for worn in browser.facts["stretches"]:
            source = urllib.parse.quote(worn["source"], safe="")
            go(page, f"beats?from={worn['from']}&to={worn['to']}&source={source}")
            settle(page)
            hrv = worn["hrv"]
            intervals = f"{formatted(page, 'number', hrv['beats'])} intervals"
            expect(page.locator("#main")).to_contain_text(intervals)
            shown = dict(page.evaluate(MEASURES))
            wanted = {
                label: f"{formatted(page, 'number', hrv[key], digits, digits > 0)} {unit}".strip()
                for label, key, unit, digits in MEASURED
                if hrv.get(key) is not None
            }
            found = {label: shown.get(label) for label in wanted}
            check(found == wanted, f"{found} of {worn['from']}, not {wanted}")
            # A figure that the command line does not print has no digits on the page.
            others = {label: value for label, value in shown.items() if label not in wanted}
            check(not any(each[0].isdigit() for each in others.values()), f"{others} is not in the line")
            bars = page.locator(".bars > div")
            expect(bars).to_have_count(6)
            # If a zone has ten minutes or more, no zone has seconds.
            unit = "minutes" if any(each["seconds"] >= 600 for each in worn["zones"]) else "duration"
            for bar, zone in zip(bars.all(), reversed(worn["zones"])):
                wanted = formatted(page, unit, zone["seconds"] * 1000)
                shown = bar.locator("> span").last.inner_text()
                check(shown.startswith(f"{wanted} "), f"zone {zone['zone']} has {shown}, not {wanted}")


@test
def test_the_sum_of_today_has_the_goal_beside_it(browser):
    def world(world):
        plain = world.answer

        def answer(path, asked):
            if path == "/api/types":
                steps = next(each for each in plain(path, asked)["types"] if each["type"] == "stepCount")
                return {"types": [steps | {"type": "activeEnergyBurned", "unit": "kcal"}]}
            if path == "/api/statistics":
                return plain(path, asked | {"type": "stepCount"})
            if path == "/api/goals":
                goal = {"goal": "activeEnergyBurned", "unit": "kcal"}
                # The goal that begins in a week does not apply yet.
                changes = (-60, 400), (-10, 500), (-30, 450), (7, 600)
                return {"choices": [], "goals": [
                    goal | {"from": str(date.fromtimestamp(world.now / SECOND) + timedelta(days)), "value": value}
                    for days, value in changes]}
            return plain(path, asked)

        world.answer = answer

    with browser.standin("summary", world) as page:
        settle(page, "summary")
        expect(page.locator(".card", has_text="Active energy")).to_contain_text("today, goal 500 kcal")
