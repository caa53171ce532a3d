"""Several sources in one chart: bars beside single values, and six sources at once."""

from harness import check, expect, go, settle, test
from standin import DAY, HOUR, MINUTE, SECOND, Sparse
from test_charts import CANVAS, at, column, columns, show

BELT, RING, SPOT, PHONE = ("com.example." + each for each in ("belt", "ring", "spot", "phone"))
# JavaScript that returns the number of columns with a strip for a gap. The strips are just above the axis.
STRIPS = """selector => {
  const canvas = document.querySelector(selector), { width, height } = canvas;
  const data = canvas.getContext("2d").getImageData(46, height - 26 - 24, width - 58, 24).data;
  let found = 0;
  for (let x = 0; x < width - 58; x += 1) {
    // A strip is three pixels high; a line of the grid, which crosses all columns, is one.
    let high = 0;
    for (let y = 0; y < 24; y += 1) if (data[4 * (y * (width - 58) + x) + 3] > 200) high += 1;
    if (high >= 3) found += 1;
  }
  return found;
}"""


def hour_of(world, ago=40):
    return world.now // HOUR * HOUR - ago * HOUR


def belt_at(world, start):
    """Returns a source with twenty seconds of values in the middle of an hour."""
    first = (start + 37 * MINUTE) // SECOND
    return BELT, "Belt", Sparse({first + k: 120 + k for k in range(20)})


def six(world):
    start = hour_of(world, 60) // SECOND
    night = {start + 300 * k: 50 + k % 7 for k in range(90)}
    rare = {start + 900 * k: 66 + k % 5 for k in range(100)}
    world.watch = (hour_of(world, 58), hour_of(world, 57))
    world.others = [
        belt_at(world, hour_of(world)),
        (RING, "Ring", Sparse(night)),
        (SPOT, "Spot", Sparse({start + 86_400 * k + 7200: 60 + k for k in range(3)})),
        (PHONE, "Phone", Sparse(rare)),
    ]


@test
def test_a_readout_of_an_hour_has_values_of_that_hour(browser):
    def world(world):
        world.others = [belt_at(world, hour_of(world))]
        world.watch = (0, 0)

    with browser.shared("you", world) as page:
        hour = hour_of(page.world)
        start, end = hour - 4 * DAY, hour + 36 * HOUR
        show(page, start, end)
        readout = page.locator(".readout")
        page.mouse.move(*at(page, column(page, hour + 30 * MINUTE, start, end)))
        expect(readout).to_contain_text("Belt: 120 to 139, average 130")
        expect(readout).to_contain_text("Polar H10 00000001: 60 to 80")
        # The time, which both values share, is in the readout only once.
        said = readout.text_content()
        check(said.count(" – ") == 1, said)
        for hours in (-2, -1, 1, 2):
            page.mouse.move(*at(page, column(page, hour + (hours + 0.5) * HOUR, start, end)))
            expect(readout).to_contain_text("Polar")
            said = readout.text_content()
            check("Belt" not in said, f"{hours} hours away from the only ones: {said}")


@test
def test_single_values_beside_a_bar_are_within_its_time_and_have_their_own_time(browser):
    with browser.shared("you") as page:
        said = page.evaluate(
            """() => import("/charts/chart-words.js").then(({ describe, rowsOf, rowText }) => {
          const noon = new Date(2026, 10, 3, 12).getTime(), minute = 60_000;
          const bars = {
            form: "buckets", start: [noon, noon + 10 * minute], end: [noon + 10 * minute, noon + 20 * minute],
            low: [60, 61], high: [70, 71], average: [65, 66], count: [600, 600],
          };
          const values = (time, value) => ({
            form: "values", time, end: time, value, from: time.map(() => 0), sources: [{ name: "V" }],
          });
          const chart = (...layers) => ({
            layers, gaps: [], view: { from: noon, to: noon + 20 * minute }, shownLayers: () => layers,
            options: { digits: 0, unit: "beats a minute", holds: 10_000 },
            // A minute is four pixels: fourteen of them reach into the bars beside.
            x: (time) => ((time - noon) / minute) * 4,
          });
          const layer = (name, data) => ({ source: name, name, data });
          const mixed = chart(layer("A", bars), layer("B", values([noon + 9 * minute], [99])));
          const single = chart(layer("B", values([noon + 9 * minute], [99])),
            layer("C", values([noon + 10 * minute + 5000], [98])));
          const { rows, isRange } = rowsOf(mixed);
          return {
            inside: describe(mixed, noon + 8 * minute), beyond: describe(mixed, noon + 11 * minute),
            both: describe(single, noon + 9.5 * minute),
            rows: rows.map((row) => rowText(mixed, row, isRange)),
          };
        })"""
        )
        check("A: 60 to 70, average 65" in said["inside"], said["inside"])
        check("3 Nov, 12:09:00 · B: 99 beats a minute" in said["inside"], said["inside"])
        check("B" not in said["beyond"] and "12:10 – 12:20" in said["beyond"], said["beyond"])
        both = "3 Nov, 12:09:00 · B: 99; 3 Nov, 12:10:05 · C: 98 beats a minute"
        check(said["both"] == both, said["both"])
        columns = [[row[key] for key in ("low", "high", "average", "count")] for row in said["rows"]]
        check(
            columns == [["60", "70", "65", "600"], ["99", "99", "99", "1"], ["61", "71", "66", "600"]],
            str(columns),
        )


@test
def test_six_sources_look_different_and_have_their_own_rows(browser):
    with browser.shared("you", six) as page:
        show(page, hour_of(page.world, 62), hour_of(page.world, 30))
        legend = page.locator(".legend button")
        expect(legend).to_have_count(6)
        looks = page.evaluate("[...document.querySelectorAll('.legend .look')].map((each) => each.className)")
        check(len(set(looks)) == 6, str(looks))
        page.get_by_text("As a table").click()
        table = page.get_by_role("region", name="Heart rate")
        expect(table.locator("th[scope=col]")).to_have_text(
            ["When", "Source", "Lowest", "Highest", "Average", "Values"]
        )
        cells = table.locator("tbody td.number").all_text_contents()
        check(cells and all(each not in ("", "–") for each in cells), "cells are empty")
        names = set(table.locator("tbody td:nth-child(2)").all_text_contents())
        check(len(names) == 6, f"{names}")
        # The rows of all sources are in order of time.
        when = table.locator("tbody th").all_text_contents()
        days = [each.split(",")[0] for each in when]
        turns = sum(1 for one, other in zip(days, days[1:]) if one != other)
        check(turns == len(set(days)) - 1 > 0, f"{turns} turns of the day among {set(days)}")


@test
def test_a_bar_shares_its_width_only_with_sources_that_have_values(browser):
    def world(world):
        # In the 20 days that are shown, the watch measured on one day only.
        world.watch = (hour_of(world, 264), hour_of(world, 240))
        world.gap = (0, 0)

    with browser.shared("you", world) as page:
        end = hour_of(page.world, 48)
        start = end - 20 * DAY
        show(page, start, end)
        expect(page.locator(".legend button")).to_have_count(2)
        found = [each["count"] for each in columns(page, "accent")]

        def bars(time):
            """Returns the share of columns with a bar in sixteen hours. A bar is higher than the line."""
            first, last = (round(column(page, time + k * HOUR, start, end)) for k in (4, 20))
            return sum(1 for each in found[first:last] if each > 12) / (last - first)

        shared, alone = bars(page.world.watch[0]), bars(page.world.watch[0] - 4 * DAY)
        check(0.5 < alone < 0.8, f"bars take {alone:.0%} of the width without another source")
        check(0.2 < shared < 0.6 * alone + 0.1, f"{shared:.0%} beside another, {alone:.0%} alone")


@test
def test_a_gap_of_a_source_that_is_not_on_the_chart_is_not_drawn(browser):
    def world(world):
        world.gap, world.watch = (0, 0), (0, 0)
        world.foreign_gap = (world.now - 30 * HOUR, world.now - 29 * HOUR)

    with browser.shared("you", world) as page:
        show(page, page.world.now - 32 * HOUR, page.world.now - 24 * HOUR)
        check(page.evaluate(STRIPS, CANVAS) == 0, "a hidden monitor has a strip")
        page.world.gap, page.world.foreign_gap = page.world.foreign_gap, None
        go(page, "you")
        show(page, page.world.now - 32 * HOUR, page.world.now - 24 * HOUR)
        width = page.evaluate(STRIPS, CANVAS)
        check(80 < width < 140, f"the visible source's strip is {width} pixels wide")


@test
def test_a_watch_that_measures_now_and_then_has_a_line_in_a_day(browser):
    def world(world):
        start = hour_of(world, 30) // SECOND
        seconds, second = {}, start
        for k in range(120):
            second += 480 + 97 * k % 420
            seconds[second] = 100 + k % 5
        world.others = [(PHONE, "Phone", Sparse(seconds))]
        world.gap = world.watch = (0, 0)
        world.strap = lambda second: None

    with browser.shared("you", world) as page:
        start = hour_of(page.world, 29)
        show(page, start, start + 12 * HOUR)
        settle(page)
        look = max(
            (columns(page, each) for each in ("accent", "ink", "hatch")),
            key=lambda look: sum(1 for each in look if each["count"]),
        )
        drawn = [each["count"] for each in look][60:-30]
        joined = sum(1 for each in drawn if each) / len(drawn)
        check(joined > 0.9, f"{joined:.0%} of the columns have anything")


@test
def test_marks_are_dots_rings_and_squares(browser):
    with browser.shared("you") as page:
        found = page.evaluate("""() => import("/charts/looks.js").then(({ looks, paintMarks }) =>
          looks.map((look) => {
            const canvas = document.createElement("canvas");
            canvas.width = canvas.height = 20;
            const pen = canvas.getContext("2d");
            paintMarks(pen, [null, [10, 10]], { ...look, colour: "rgb(255, 0, 0)" }, 5);
            const isRed = (x, y) => {
              const [r, g, , a] = pen.getImageData(x, y, 1, 1).data;
              return a > 120 && r > g + 80;
            };
            return [isRed(10, 10), isRed(10, 14) || isRed(10, 15), isRed(5, 5)];
          }))""")
        dot, ring, square = [True, True, False], [False, True, False], [True, True, True]
        check(found == [dot] * 3 + [ring] * 3 + [square] * 3, str(found))


@test
def test_bars_of_single_values_equal_those_of_the_server(browser):
    """Each value is weighted with its duration, as in `AverageWeighting`: until the next value, but at most
    five seconds."""
    with browser.shared("you") as page:
        found = page.evaluate("""() => import("/charts/bucketing.js").then(({ bucketed }) => {
          const values = (time, value, marks) => ({ time, end: time, value, marks });
          const grid = { start: 0, end: 30_000, step: 10_000 };
          const short = ({ low, high, average, count }) => ({ low, high, average, count });
          return [
            short(bucketed(values([0, 1000, 4000, 21_000], [60, 70, 80, 90]), grid, "timed")),
            short(bucketed(values([0, 1000, 4000, 21_000], [60, 70, 80, 90]), grid, "plain")),
            short(bucketed(values([0, 9000], [60, 70]), { ...grid, end: 10_000 }, "level")),
            short(bucketed(values([1000, 2000, 12_000], [800, 300, 810], [0, 1, 0]), grid, null)),
          ];
        })""")
        timed, plain, level, beats = found
        # The weights are one second (60), three seconds (70), and three seconds (80), because the gap after
        # 80 is too long and the value then counts as long as the one before.
        check(timed["average"] == [(60 + 3 * 70 + 3 * 80) / 7, None, 90], str(timed))
        check(timed["low"] == [60, None, 90] and timed["high"] == [80, None, 90], str(timed))
        check(timed["count"] == [3, 0, 1] and plain["average"] == [70, None, 90], str(plain))
        check(abs(level["average"][0] - 67.404) < 0.001, str(level))
        check(
            beats
            == {"low": [800, 810, None], "high": [800, 810, None], "average": [None] * 3}
            | {"count": [1, 1, 0]},
            str(beats),
        )
