"""The real server with a known store and a strap that measures.

Tests/CommandTests/PageBrowserTests.swift creates the facts: the output of `hrgate stats`, `samples`, `export`
and `monitors gaps` for the same store. Times are milliseconds since 1970."""

import re
import urllib.error
import urllib.parse
import urllib.request

from harness import check, eventually, expect, go, settle, test
from standin import DAY, HOUR, MINUTE
from test_charts import at, column, columns, show
from test_days import FIGURE_NAMES, formatted
from test_saved import SPAN, check_picture
from test_tachogram import BEATS

RATE = '.pulse[data-source*="{}"] .rate span'


def opened(browser, part="now"):
    return browser.page(browser.address + f"#/{part}")


def recorded(browser, page):
    """Returns the latest session of the strap that the facts name. The strap that is measuring may have one
    too."""
    source = urllib.parse.quote(browser.facts["session"], safe="")
    return page.locator("li.session", has=page.locator(f"a[href*='export.rr'][href*='{source}']")).first


def shows_each(page, place, rates):
    """Waits until each of the heart rates has been visible, in any order. Every frame is checked, because a
    value is replaced after a second."""
    page.wait_for_function(
        """([place, rates]) => {
          const seen = (window.ratesSeen ??= new Set());
          seen.add(document.querySelector(place)?.textContent);
          return rates.every((each) => seen.has(String(each)));
        }""",
        arg=[place, rates],
        timeout=page.timeout,
    )


@test(served=True)
def test_served_a_spike_of_one_sample_is_visible_in_a_year(browser):
    spike = browser.facts["spike"]
    with opened(browser, "monitors") as page:
        settle(page, "monitors")
        start, end = spike["time"] - 250 * DAY, spike["time"] + 60 * DAY
        show(page, start, end)
        # The straps have the first looks (colors and marks of sources), but no data in this year. The source
        # with the spike has one of the other looks.
        looks = [columns(page, colour) for colour in ("accent", "ink", "hatch")]
        tops = [each["top"] for each in max(looks, key=lambda look: sum(1 for each in look if each["count"]))]
        x = round(column(page, spike["time"], start, end))
        usual = sorted(top for top in tops if top >= 0)
        near = [top for top in tops[x - 20 : x + 20] if top >= 0]
        check(len(usual) > 100, f"there are only {len(usual)} columns for a year")
        check(
            near and min(near) < usual[len(usual) // 2] - 60,
            f"the spike reaches {usual[len(usual) // 2] - min(near)} pixels above the usual",
        )
        page.mouse.move(*at(page, x))
        expect(page.locator(".readout")).to_contain_text(str(spike["rate"]))


@test(served=True)
def test_served_a_gap_is_empty_and_has_its_cause(browser):
    gap = browser.facts["gap"]
    with opened(browser, "monitors") as page:
        settle(page, "monitors")
        start, end = gap["start"] - 8 * MINUTE, gap["end"] + 8 * MINUTE
        show(page, start, end)
        edges = [round(column(page, gap[name], start, end)) for name in ("start", "end")]
        for colour in ("accent", "ink"):
            found = columns(page, colour)
            outside = found[edges[0] - 60 : edges[0] - 8] + found[edges[1] + 8 : edges[1] + 60]
            check(sum(1 for each in outside if each["count"]) > 20, f"{colour} is not visible beside the gap")
            inside = found[edges[0] + 8 : edges[1] - 8]
            check(inside and not any(each["count"] for each in inside), f"{colour} is drawn in the gap")
        page.mouse.move(*at(page, sum(edges) / 2))
        # The readout names the strap to which the gap belongs.
        expect(page.locator(".readout")).to_contain_text("no measurement of Strap ")
        expect(page.locator(".readout")).to_contain_text(gap["text"])


@test(served=True)
def test_served_two_simultaneous_straps_are_visible_and_can_be_hidden(browser):
    start, end = browser.facts["worn"]
    with opened(browser, "monitors") as page:
        settle(page, "monitors")
        show(page, start, end)
        legend = page.locator(".legend button")
        expect(legend).to_have_count(2)
        for colour in ("accent", "ink"):
            # The legend is complete before the chart is drawn, so the test waits.
            for _ in range(int(page.timeout / 100)):
                found = [each["count"] for each in columns(page, colour)]
                if sum(1 for each in found if each) > len(found) / 4:
                    break
                page.wait_for_timeout(100)
            check(sum(1 for each in found if each) > len(found) / 4, f"one strap is not visible: {colour}")
        legend.nth(1).click()
        settle(page)
        eventually(
            page,
            lambda: not [each for each in columns(page, "ink") if each["count"] > 20],
            "the strap that was hidden is still there",
        )


@test(served=True)
def test_served_figures_equal_those_of_the_command_line(browser):
    """For random ranges, the page shows the figures of `hrgate stats`."""
    with opened(browser, "monitors") as page:
        settle(page, "monitors")
        for stretch in browser.facts["stretches"]:
            show(page, stretch["from"], stretch["to"])
            shown = dict(
                page.evaluate("""() => [...document.querySelectorAll(".figures div")].map(
              (each) => [each.querySelector("dt").textContent,
              each.querySelector("dd").textContent])""")
            )
            for name, key in FIGURE_NAMES:
                wanted = page.evaluate(
                    "v => new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 }).format(v)",
                    stretch["stats"][key],
                )
                check(shown.get(name) == wanted, f"{name} of {stretch}: {shown}")
            values = page.evaluate("n => new Intl.NumberFormat('en-GB').format(n)", stretch["stats"]["count"])
            expect(page.locator(".series")).to_contain_text(f"of {values} value")


# JavaScript that returns, for a range and all sources, the number of bars, and the bars that differ from the
# store's statistics.
OTHER_BARS = """async ([from, to, step, every]) => {
  const { fetchSeries } = await import("/charts/series.js");
  const { get } = await import("/api.js");
  const found = { bars: 0, others: [] };
  for (const { source, samples } of (await get("/api/sources")).sources) {
    if (!samples.heartRate) continue;
    const data = await fetchSeries({ type: "heartRate", source, from, to, step });
    const { intervals } = await get("/api/statistics",
      { type: "heartRate", source, from: data.start[0], to, every, zone: "UTC" });
    const figures = new Map(intervals.map((each) => [Math.floor(each.start / step) * step, each]));
    data.start.forEach((start, i) => {
      if (!data.count[i]) return;
      found.bars += 1;
      const { min, max, average, count } = figures.get(start) ?? {};
      const same = data.form === "buckets" && min === data.low[i] && max === data.high[i]
        && count === data.count[i] && Math.abs(average - data.average[i]) < 0.001;
      if (!same) found.others.push(`${source} ${start}`);
    });
  }
  return found;
}"""


@test(served=True)
def test_served_bars_of_few_values_equal_the_statistics(browser):
    """The page computes bars from single values, and the store computes its own statistics."""
    start, end = browser.facts["worn"]
    spike = browser.facts["spike"]["time"]
    with opened(browser, "monitors") as page:
        settle(page, "monitors")
        for stretch in ([start, end, MINUTE, "1m"], [spike - 4 * DAY, spike + DAY, HOUR, "1h"]):
            step = stretch[2]
            found = page.evaluate(OTHER_BARS, [each // step * step for each in stretch[:2]] + stretch[2:])
            check(found["bars"] > 9 and not found["others"], f"{stretch}: {found}")


@test(served=True)
def test_served_saved_files_equal_those_of_the_command_line(browser):
    start, end = browser.facts["worn"]
    with opened(browser, "monitors") as page:
        settle(page, "monitors")
        show(page, start, end)
        page.wait_for_function("() => document.querySelector('a[href*=\"export.csv\"]')")
        with page.expect_download() as download:
            page.get_by_role("link", name="CSV").click()
        text = open(download.value.path()).read()
        name = download.value.suggested_filename
        check(re.fullmatch(rf"{SPAN} heartRate\.csv", name), name)
        check(sorted(text.split("\n")) == sorted(browser.facts["csv"].split("\n")), "the CSV is another")
        go(page, "sessions")
        # The intervals of two simultaneous straps cannot be exported together, so those of one session are.
        with page.expect_download() as download:
            recorded(browser, page).locator("a[href*='export.rr']").click()
        check(open(download.value.path()).read() == browser.facts["rr"], "the RR intervals are others")
        name = download.value.suggested_filename
        check(re.fullmatch(rf"{SPAN} Strap\b.* rr\.txt", name), name)
        show(page, start, end)
        check_picture(page, page.get_by_role("button", name="PNG"), "heartRate.png", 62)


@test(served=True)
def test_served_a_heart_rate_is_live_and_stored_values_are_drawn_on_arrival(browser):
    live = browser.facts["live"]
    with opened(browser) as page:
        shows_each(page, RATE.format(live["address"]), live["rates"])
        card = page.locator(f'.pulse[data-source*="{live["address"]}"]')
        expect(card).to_contain_text("connected")
        go(page, "heart-rate")
        values = page.locator(".readout")
        expect(values).to_contain_text("value")
        before = values.text_content()
        # The chart of a day is updated after a sixth of a bar has passed, and at the latest after a minute.
        expect(values).not_to_have_text(before, timeout=page.timeout)


@test(served=True)
def test_served_beats_are_drawn_on_arrival(browser):
    """The beats of a measuring strap vary more than its heart rate. Here the store returns no beats, so they
    come from the events."""
    with browser.page() as page:
        page.route("**/api/beats*", lambda route: route.fulfill(json={"recordings": []}))
        page.goto(browser.address + "#/now")
        page.reload()
        card = f'.pulse[data-source*="{browser.facts["live"]["address"]}"]'
        expect(page.locator(card)).to_contain_text("connected")
        page.wait_for_function(f"args => ({BEATS})(args) > 200", arg=[f"{card} canvas", 0, 0.4])


@test(served=True)
def test_served_the_beats_of_a_session_have_their_figures(browser):
    with opened(browser, "sessions") as page:
        settle(page, "sessions")
        # The row also has a link to the session of the other strap.
        recorded(browser, page).get_by_text("Open", exact=True).click()
        settle(page, "session")
        page.locator("#main").get_by_role("link", name="Beats", exact=True).click()
        settle(page, "beats")
        main = page.locator("#main")
        for words in ("RMSSD", "SDNN", "of the time covered", "artifacts", "pairs, in milliseconds"):
            expect(main).to_contain_text(words)


@test(served=True)
def test_served_a_session_keeps_its_name(browser):
    hostile = "<b>Hill</b> run"
    with opened(browser, "sessions") as page:
        settle(page, "sessions")
        session = recorded(browser, page)
        session.get_by_role("button", name="Name").click()
        page.locator("dialog input").fill(hostile)
        page.locator("dialog").get_by_role("button", name="Save").click()
        expect(session).to_contain_text(hostile)
        page.reload()
        expect(session).to_contain_text(hostile)
        session.get_by_role("button", name="Rename").click()
        page.locator("dialog input").fill("")
        page.locator("dialog").get_by_role("button", name="Save").click()
        expect(page.locator("#main")).not_to_contain_text(hostile)


@test(served=True)
def test_served_a_pending_request_is_answered(browser):
    with opened(browser, "access") as page:
        settle(page, "access")
        request = page.locator(".request")
        expect(request).to_contain_text("To chart <b>your</b> heart rate.")
        request.get_by_role("switch", name="Heart rate", exact=True).last.check()
        request.get_by_role("button", name="Allow selected").click()
        expect(request).to_have_count(0)
        expect(page.get_by_role("switch", name="Recorder saves heart rate", exact=True)).to_be_checked()
        expect(page.get_by_role("switch", name="Recorder reads heart rate", exact=True)).not_to_be_checked()


@test(served=True)
def test_served_the_summary_compares_whole_days(browser):
    """The figures are the means of the daily means of the hours that `hrgate stats --every 1h` prints."""
    with opened(browser, "summary") as page:
        settle(page, "summary")
        summary = browser.facts["summary"]
        card = page.locator(".card", has=page.get_by_role("link", name="Heart rate", exact=True))
        now, before = (formatted(page, "number", summary[key], 1, True) for key in ("now", "before"))
        check(now != before, "the two are equal, so nothing is tested")
        sentence = card.locator("p").last
        expect(sentence).to_contain_text(
            re.compile(rf"Last 7 days\b.*: {re.escape(now)}, average of the daily averages\.")
        )
        expect(sentence).to_contain_text(re.compile(rf"60 days before.*\b{re.escape(before)}\b"))
        # The strap is measuring, so the newest value is a current one.
        expect(card).to_contain_text(re.compile(r"11[23] beats a minute"))
        check(page.locator(".card canvas").count() >= 1, "there is no chart")
        # Pinned types are stored in the browser, so they are the same after a reload.
        page.get_by_text("Pinned types").click()
        page.get_by_role("checkbox", name="Heart rate", exact=True).uncheck()
        expect(card).to_have_count(0)
        page.reload()
        settle(page, "summary")
        expect(card).to_have_count(0)
        page.get_by_text("Pinned types").click()
        page.get_by_role("checkbox", name="Heart rate", exact=True).check()
        expect(card).to_have_count(1)


@test(served=True)
def test_served_monitors_have_state_and_gaps(browser):
    live, gap = browser.facts["live"], browser.facts["gap"]
    with opened(browser, "monitors") as page:
        settle(page, "monitors")
        monitor = page.locator(f'.monitor[data-monitor="{live["address"]}"]')
        expect(monitor.locator("h2")).to_have_text("Strap")
        expect(monitor).to_contain_text("connected")
        shows_each(page, f'.monitor[data-monitor="{live["address"]}"] .live', live["rates"])
        expect(monitor.locator(".seen")).to_contain_text("seen")
        monitor.get_by_text("More").click()
        expect(monitor).to_contain_text(live["address"])
        expect(page.locator("#main > section > p").first).to_have_text("The gateway is running.")
        when = formatted(page, "span", gap["start"], gap["end"])
        rows = page.get_by_role("region", name="Gaps of the last seven days").locator("tr", has_text=when)
        row = rows.filter(has_text=gap["name"])
        expect(row).to_have_count(1)
        expect(row).to_contain_text(gap["text"])
        expect(row).to_contain_text(formatted(page, "duration", gap["end"] - gap["start"]))


@test(served=True)
def test_served_a_monitor_is_found_paired_and_forgotten(browser):
    other = browser.facts["live"]["other"]
    with opened(browser, "monitors") as page:
        settle(page, "monitors")
        monitor = page.locator(f'.monitor[data-monitor="{other}"]')
        expect(monitor).to_have_count(0)
        page.get_by_role("button", name="Look for monitors").click()
        page.locator(".enrolment li", has_text=other).get_by_role("button").click()
        expect(monitor).to_have_count(1)
        expect(monitor).to_contain_text("connected")
        monitor.get_by_text("More").click()
        expect(monitor).to_contain_text("with a bond")
        monitor.get_by_role("button", name="Forget").click()
        page.locator("dialog").get_by_role("button", name="Forget", exact=True).click()
        expect(monitor).to_have_count(0)
        # The other monitor is not affected, and stays connected.
        live = page.locator(f'.monitor[data-monitor="{browser.facts["live"]["address"]}"]')
        expect(live).to_contain_text("connected")


@test(served=True)
def test_served_the_order_of_sources_is_saved(browser):
    with opened(browser, "access") as page:
        settle(page, "access")
        names = page.locator(".order .name")
        first = names.first.text_content()
        page.locator(".order .grip").first.focus()
        page.keyboard.press("ArrowDown")
        expect(names.nth(1)).to_have_text(first)
        expect(page.locator("#notice")).to_be_visible()
        page.reload()
        expect(page.locator(".order .name").nth(1)).to_have_text(first)


@test(served=True)
def test_served_units_goals_and_characteristics_are_saved(browser):
    with opened(browser, "you") as page:
        settle(page, "you")
        page.get_by_label("Sex").select_option("female")
        expect(page.locator("#notice")).to_be_visible()
        page.get_by_role("button", name="Set the goal Active energy").click()
        page.locator("dialog input").fill("2500")
        page.locator("dialog").get_by_role("button", name="Save").click()
        expect(page.locator("dialog")).to_have_count(0)
        page.reload()
        settle(page, "you")
        expect(page.get_by_label("Sex")).to_have_value("female")
        expect(page.locator("#main")).to_contain_text("2,500")


@test(served=True)
def test_served_without_a_session_there_is_no_data(browser):
    for path in ("", "api/session", "api/types", "app.js", "api/events"):
        try:
            urllib.request.urlopen(browser.address + path)
            check(False, f"/{path} is open")
        except urllib.error.HTTPError as error:
            check(error.code == 401, f"/{path}: {error.code}")


@test(served=True)
def test_served_a_deletion_deletes_the_confirmed_samples(browser):
    """Runs last, because it deletes samples that other tests need."""
    spike = browser.facts["spike"]
    with opened(browser, f"data?type=heartRate&source={spike['source']}") as page:
        settle(page, "data")
        expect(page.locator("#main")).to_contain_text(f"{spike['count']:,} samples")
        page.get_by_role("button", name="Delete heart rate of").click()
        question = page.locator("dialog")
        expect(question).to_contain_text(f"{spike['count']:,}")
        question.locator("button.danger").click()
        expect(page.locator("#undo")).to_contain_text("Deleting")
        # Opening another part of the page ends the time in which the deletion can be undone.
        go(page, "access")
        expect(page.locator("#notice")).to_contain_text("deleted")
        go(page, "you")
        go(page, "access")
        wrote = page.get_by_role("region", name="Sources", exact=True)
        expect(wrote).to_contain_text(browser.facts["session"])
        expect(wrote).not_to_contain_text(spike["source"])
