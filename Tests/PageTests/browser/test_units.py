"""Values in the chosen unit, with the digits that it needs."""

from harness import check, expect, go, settle, test
from standin import DAY, WATCH


def measured(kind, unit, values, style="discrete"):
    """Returns a function that changes a world, so that a type has the given values, one a day."""

    def world(world):
        plain = world.answer
        days = [world.now - (len(values) - k) * DAY for k in range(len(values))]

        def figures(part):
            return {
                "count": len(part),
                "min": min(part),
                "max": max(part),
                "average": sum(part) / len(part),
                "latest": {"value": part[-1], "time": days[-1], "source": WATCH, "name": "Watch"},
                "sources": [{"source": WATCH, "name": "Watch"}],
            }

        def answer(path, asked):
            if path == "/api/types":
                found = plain(path, asked)
                found["types"] = [each for each in found["types"] if each["type"] != kind]
                bounds = {"first": days[0], "last": days[-1], "count": len(values)}
                found["types"].append({"type": kind, "kind": "quantity", "unit": unit, "style": style} | bounds)
                return found
            if path == "/api/sources":
                found = plain(path, asked)
                found["sources"].append({"source": WATCH, "name": "Watch", "samples": {kind: len(values)}})
                return found
            if path == "/api/summary" and kind in asked["types"]:
                now, before = ({"value": each, "measured": 7} for each in (values[-1], values[0]))
                return {
                    "highlights": [
                        {"type": kind, "kind": "average", "unit": unit, "days": 7, "beforeDays": 60}
                        | {"now": now, "before": before | {"measured": 28}}
                        | {"normal": {"mean": values[-1], "low": values[0], "high": values[-1], "measured": 7}}
                    ]
                }
            if asked.get("type") != kind:
                return plain(path, asked)
            common = {"type": kind, "unit": unit}
            if path == "/api/series":
                return common | {
                    "form": "samples",
                    "sources": [{"source": WATCH, "name": "Watch"}],
                    "time": days,
                    "value": values,
                    "from": [0 for _ in days],
                }
            if path == "/api/samples":
                rows = [
                    {"uuid": str(k), "start": at, "end": at, "value": values[k], "metadata": {}}
                    | {"source": {"bundleIdentifier": WATCH, "name": "Watch"}}
                    | common
                    for k, at in enumerate(days)
                ]
                return {"samples": rows[::-1]}
            if path == "/api/statistics" and "every" in asked:
                return common | {
                    "intervals": [
                        {"start": at, "end": at + DAY} | figures([values[k]]) for k, at in enumerate(days)
                    ]
                }
            return common | figures(values) if path == "/api/statistics" else plain(path, asked)

        world.answer = answer

    return world


def pinned(page, kind):
    """Opens the summary with one pinned type, and returns its card."""
    page.evaluate(
        """kind => import("/settings.js").then(({ keepSetting }) => keepSetting("pinned", [kind], true))""", kind
    )
    go(page, "summary")
    return page.locator(".card")


def figures(page):
    return dict(
        page.evaluate("""() => [...document.querySelectorAll(".figures div")].map(
          (each) => [...each.children].map((part) => part.textContent))""")
    )


def check_figures(page, **wanted):
    expect(page.locator(".figures")).to_contain_text("average")
    found = figures(page)
    check({name: found.get(name) for name in wanted} == wanted, f"{found}, not {wanted}")


def trend(page, name):
    """Returns the trend of a type over three months: the text below the chart, and the rows of its table."""
    place = page.locator("div.stack", has=page.locator("h2", has_text=name)).last
    place.get_by_text("As a table").click()
    return place


@test(slow=True)
def test_trends_are_in_the_chosen_unit(browser):
    with browser.standin("beats", measured("restingHeartRate", "count/s", [0.98, 1.04])) as page:
        settle(page, "beats")
        place = trend(page, "Resting heart rate")
        expect(place.locator(".readout")).to_contain_text("in a second.")
        expect(place).not_to_contain_text("beats a minute")
        expect(place.locator("tbody td").nth(0)).to_have_text("0.98")
    kind = "heartRateVariabilitySDNN"
    with browser.standin("beats", measured(kind, "s", [0.0512, 0.0431])) as page:
        settle(page, "beats")
        place = trend(page, "Variability by day (SDNN)")
        expect(place.locator(".readout")).to_contain_text("in s.")
        expect(place.locator("tbody td").nth(0)).to_have_text("0.051")
        # For values from 0.043 to 0.051 s, the axis covers less than 0.05 s.
        scale = page.evaluate("""() => import("/charts/scale.js").then(({ roomFor, valueScale }) =>
          valueScale(0.043, 0.051, { room: roomFor("s", 20) }))""")
        check(0 <= scale["low"] and scale["high"] - scale["low"] < 0.05, f"{scale}")


@test(slow=True)
def test_percentages_are_shown_for_shares(browser):
    with browser.standin("you", measured("oxygenSaturation", "%", [0.94, 0.97])) as page:
        settle(page, "you")
        go(page, "heart-rate?type=oxygenSaturation&range=all")
        check_figures(page, lowest="94", highest="97", **{"average of all readings": "96"})
        page.locator(".chart-frame").focus()
        page.keyboard.press("End")
        expect(page.locator(".readout")).to_contain_text("97 %")
        card = pinned(page, "oxygenSaturation")
        expect(card.locator(".big")).to_have_text("97 %")
        expect(card).to_contain_text("97.0, average of the daily averages")
        expect(card).to_contain_text("Your normal range: 94.0 to 97.0. The last 7 days are within it.")
        expect(card.locator("tbody td").nth(0)).to_have_text("94")
        go(page, "data?type=oxygenSaturation")
        expect(page.locator("td.number").first).to_have_text("97 %")


@test(slow=True)
def test_an_unknown_unit_has_the_digits_of_the_command_line(browser):
    with browser.standin("you", measured("bloodGlucose", "mmol<180.15588000005408>/L", [4.9, 5.6])) as page:
        settle(page, "you")
        go(page, "heart-rate?type=bloodGlucose&range=all")
        check_figures(page, lowest="4.9", highest="5.6")
        card = pinned(page, "bloodGlucose")
        expect(card.locator(".big")).to_have_text("5.6 mmol/l")


# JavaScript that returns the highest and the lowest drawn row of a small chart, as shares of its height.
EXTENT = """() => {
  const canvas = document.querySelector(".card canvas"), { width, height } = canvas;
  const data = canvas.getContext("2d").getImageData(0, 0, width, height).data;
  const rows = [];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) if (data[4 * (y * width + x) + 3] > 60) rows[y] = true;
  }
  const drawn = Object.keys(rows).map(Number);
  return drawn.length ? [drawn[0] / height, drawn.at(-1) / height] : null;
}"""


def extent(page, kind, unit, values):
    with page.standin("you", measured(kind, unit, values)) as page:
        settle(page, "you")
        pinned(page, kind)
        found = page.wait_for_function(EXTENT).json_value()
        return found[1] - found[0]


@test(slow=True)
def test_a_small_chart_uses_its_height_in_any_unit(browser):
    beats = extent(browser, "restingHeartRate", "count/min", [60, 66, 54, 72])
    check(beats > 0.7, f"of beats a minute {beats} of the height are used")
    seconds = extent(browser, "restingHeartRate", "count/s", [1.0, 1.1, 0.9, 1.2])
    check(abs(seconds - beats) < 0.02, f"of beats in a second {seconds} of the height are used, not {beats}")
    # A small change of the values does not fill the height.
    still = extent(browser, "bodyMass", "kg", [70.0, 70.1, 70.0, 70.1])
    check(still < 0.2, f"a tenth of a kilogram has {still} of the height")


@test
def test_a_unit_menu_has_the_usual_units_in_their_usual_order(browser):
    def world(world):
        plain = world.answer
        masses = ["kg", "g", "mg", "mcg", "lb", "oz", "st"]
        lengths = ["km", "m", "cm", "mm", "mi", "yd", "ft", "in"]
        units = [("appleExerciseTime", "min", ["hr", "min", "s", "ms"]), ("stepCount", "count", ["count"]),
                 ("bodyMass", "g", masses), ("distanceCycling", "km", lengths)]
        answer = {"units": [{"type": kind, "unit": unit, "isChosen": False, "choices": choices}
                            for kind, unit, choices in units]}
        world.answer = lambda path, asked: answer if path == "/api/units" else plain(path, asked)

    with browser.standin("you", world) as page:
        settle(page, "you")
        fields = page.locator("section", has=page.get_by_role("heading", name="Units")).last.locator("label")
        # Steps have only one unit, so there is nothing to choose. The names are in alphabetical order.
        expect(fields.locator("> span")).to_have_text(["Distance cycling", "Exercise time", "Weight"])
        menus = [each.locator("option").all_text_contents()[1:] for each in fields.all()]
        # The unit in use stays, even if it is an unusual one.
        wanted = [["km", "mi", "m", "yd", "ft"], ["h", "min"], ["kg", "lb", "st", "g"]]
        check(menus == wanted, f"{menus}, not {wanted}")


@test
def test_a_sample_has_the_decimals_of_its_type(browser):
    with browser.shared("you") as page:
        said = page.evaluate("""() => import("/sample-texts.js").then((texts) => {
          const { valueText, whenText, workoutText } = texts;
          const value = (type, value, unit) => valueText({ type, value, unit });
          const start = new Date(2026, 10, 3, 12, 0, 7, 812).getTime();
          return [
            value("heartRateVariabilitySDNN", 58.736, "ms"), value("activeEnergyBurned", 0.96, "kcal"),
            value("bodyMass", 77.35, "kg"), value("stepCount", 12, "count"),
            workoutText({ activityType: "running", duration: 2700, totalDistance: { value: 9, unit: "km" } }),
            ...["bloodPressure", "heartRate"].map((type) => whenText({ type, start, end: start }).split(", ").at(-1)),
          ];
        })""")
        wanted = ["59 ms", "0.96 kcal", "77.35 kg", "12", "Running, 45 min, 9.0 km", "12:00:07", "12:00:07.812"]
        check(said == wanted, f"{said}, not {wanted}")
