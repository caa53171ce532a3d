"""Layout in windows of each width: nothing is cut, broken or hidden without a hint."""

import re

from harness import PHONE, check, expect, go, settle, test
from standin import HOUR, PAGE
from test_charts import columns
from test_parts import PARTS

WIDTHS = (833, 900, 1024, 1180)
# JavaScript that returns the words of tables, lists and the navigation that are broken between two lines.
# Identifiers may be.
BROKEN = """() => {
  const found = [];
  const places = document.querySelectorAll("#nav a, th, td, li, dt, dd, button, h1, h2, h3");
  for (const place of places) {
    const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { data, parentElement } = walker.currentNode;
      if (!parentElement.checkVisibility()) continue;
      if (parentElement.closest(".identifier, .detail, .unseen")) continue;
      for (const { 0: word, index } of data.matchAll(/[\\p{L}\\p{N}:.,%]+/gu)) {
        const range = document.createRange();
        range.setStart(walker.currentNode, index);
        range.setEnd(walker.currentNode, index + word.length);
        const tops = new Set([...range.getClientRects()].filter((each) => each.width > 0).map((each) =>
          Math.round(each.top)));
        if (tops.size > 1) found.push(word);
      }
    }
  }
  return [...new Set(found)];
}"""
# JavaScript that returns the elements of a session that overlap or are cut.
OVERLAPS = """() => {
  const found = [];
  for (const session of document.querySelectorAll(".session")) {
    const boxes = [...session.children].map((each) => [each.className, each.getBoundingClientRect()]);
    boxes.forEach(([a, one], i) => boxes.slice(i + 1).forEach(([b, other]) => {
      const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const along = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      if (across > 1 && along > 1) found.push(`${a} over ${b}`);
    }));
    for (const [name, { right }] of boxes) if (right > innerWidth) found.push(`${name} is cut`);
  }
  return found;
}"""

# JavaScript that returns the places in which a long name of a type is outside of its box, or below the box to
# tick beside it.
OUTSIDE = """name => {
  const found = [];
  const walker = document.createTreeWalker(document.getElementById("main"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (!data.includes(name) || !parentElement.checkVisibility() || parentElement.closest(".unseen, option")) {
      continue;
    }
    const box = parentElement.closest("label, th, td, li, article, section");
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const texts = [...range.getClientRects()], around = box.getBoundingClientRect();
    const tick = box.matches("label") && box.querySelector("input")?.getBoundingClientRect();
    for (const text of texts) {
      const isOut = text.left < around.left - 1 || text.right > around.right + 1
        || text.top < around.top - 1 || text.bottom > around.bottom + 1;
      if (isOut) found.push(`outside of ${box.tagName}`);
      if (tick && text.left < tick.right) found.push(`below the box of ${box.textContent}`);
    }
    found.seen = true;
  }
  return found.seen ? found : ["not there"];
}"""


def plainly_named(world):
    """Replaces the extreme names in a world, so that only the page's own words are checked."""
    sources, monitors = world.sources, world.monitors

    def named(asked):
        return [
            (source, "Polar H10 00000001" if "hrgate" in source else "Wrist watch", values)
            for source, _, values in sources(asked)
        ]

    def watched():
        answer = monitors()
        answer["monitors"][-1]["name"] = "Belt"
        return answer

    world.sources, world.monitors = named, watched
    world.pending[0]["name"] = "Diary"


@test(slow=True)
def test_no_word_is_broken_and_nothing_is_cut_at_any_width(browser):
    with browser.standin("you", plainly_named) as page:
        settle(page, "you")
        for width in (*WIDTHS, PHONE["width"]):
            page.set_viewport_size({"width": width, "height": 860})
            for part in PARTS:
                go(page, part)
                page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
                broken = page.evaluate(BROKEN)
                check(not broken, f"{part} at {width} pixels breaks {broken}")
                wide = page.evaluate("document.documentElement.scrollWidth")
                check(wide <= width, f"{part} is {wide} pixels wide at {width}")
                if part == "sessions":
                    found = page.evaluate(OVERLAPS)
                    check(not found, f"at {width} pixels: {found}")


@test
def test_a_long_name_of_a_type_is_within_its_box(browser):
    long, name = "distanceWalkingRunning", "Walking and running distance"

    def world(world):
        plainly_named(world)
        world.listed, world.listed_units = {long: [{"value": 1.2, "unit": "km"}]}, {long: "km"}
        world.pending[0]["read"].append(long)
        world.permissions.append(world.permissions[0] | {"type": long})

    with browser.standin("summary", world) as page:
        settle(page, "summary")
        page.get_by_text("Pinned types").click()
        page.get_by_role("checkbox", name=name, exact=True).check()
        expect(page.locator(".card", has_text=name)).to_have_count(1)
        for width in (1280, WIDTHS[0], PHONE["width"], 320):
            page.set_viewport_size({"width": width, "height": 860})
            for part in ("summary", "data", "access"):
                go(page, part)
                page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
                found = page.evaluate(OUTSIDE, name)
                check(not found, f"{part} at {width} pixels: {found}")


@test(slow=True)
def test_the_navigation_is_one_line_with_the_current_part_visible(browser):
    with browser.standin("access") as page:
        settle(page, "access")
        expect(page.locator("#nav .badge")).to_have_count(1)
        heights = page.evaluate("[...document.querySelectorAll('#nav a')].map((each) => each.offsetHeight)")
        check(max(heights) < 40, f"{heights}")
        page.set_viewport_size(PHONE)
        for part in ("you", "now", "monitors", "heart-rate"):
            go(page, part)
            box = page.locator("#nav [aria-current]").bounding_box()
            check(
                box["x"] >= 0 and box["x"] + box["width"] <= 391, f"the mark of {part} is out of sight: {box}"
            )
        check(page.evaluate("scrollY") == 0, "the page was moved, too")


@test
def test_on_a_phone_the_navigation_is_at_the_bottom_and_hides_nothing(browser):
    with browser.standin("monitors", size=PHONE) as page:
        settle(page, "monitors")
        bar = page.locator("#nav").bounding_box()
        check(abs(bar["y"] + bar["height"] - PHONE["height"]) < 1, f"not at the bottom: {bar}")
        check(min(page.evaluate("[...document.querySelectorAll('#nav a')].map((a) => a.offsetHeight)")) >= 44,
              "too small for a thumb")
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        last = page.evaluate("""Math.max(...[...document.querySelectorAll('#main *')]
          .map((each) => each.getBoundingClientRect().bottom))""")
        check(last <= bar["y"], f"the end of the part, at {last}, is below the bar at {bar['y']}")
        # A focused control is scrolled to above the bar.
        hidden = page.evaluate("""[...document.querySelectorAll('#main button, #main a')].filter((each) => {
          each.focus();
          return each.getBoundingClientRect().bottom > document.getElementById('nav').getBoundingClientRect().top;
        }).length""")
        check(hidden == 0, f"{hidden} focused controls are below the bar")
        page.set_viewport_size({"width": 1280, "height": 860})
        check(page.locator("#nav").bounding_box()["y"] < 200, "in a wide window it is at the side")


@test(slow=True)
def test_a_table_that_is_wider_than_the_window_shows_it(browser):
    with browser.standin("access", size=PHONE) as page:
        settle(page, "access")
        table = page.get_by_role("region", name="Access of Coach")
        check(table.evaluate("each => each.scrollWidth > each.clientWidth"), "it fits, so nothing is tested")
        hint = table.evaluate("each => getComputedStyle(each).backgroundImage")
        check(hint.count("linear-gradient") == 4, f"nothing says that there is more: {hint}")
        # On a phone, the samples of a source are below its name, so this table is not too wide.
        wrote = page.get_by_role("region", name="Sources", exact=True)
        check(
            wrote.evaluate("each => each.scrollWidth <= each.clientWidth"), "the table of sources is cut"
        )


@test(slow=True)
def test_the_number_of_selected_sessions_stays_visible_and_leads_to_the_comparison(browser):
    def many(world):
        worn = [
            {"source": "a", "name": "Belt", "start": at, "end": at + HOUR // 2, "count": 9}
            | {"min": 60, "max": 80, "average": 68.0}
            for at in (world.now - (k + 1) * 5 * HOUR for k in range(40))
        ]
        plain = world.answer

        def answer(path, asked):
            return {"sessions": worn, "unit": "count/min"} if path == "/api/worn" else plain(path, asked)

        world.answer = answer

    with browser.shared("sessions", many) as page:
        settle(page, "sessions")
        expect(page.locator(".session .numbers").first).to_contain_text("68 average")
        # A source without beats has no link to its RR intervals.
        names = page.locator(".session").first.locator(".links :is(a, button)").all_text_contents()
        check(names == ["Open", "Name"], str(names))
        boxes = page.locator(".session input")
        boxes.nth(38).scroll_into_view_if_needed()
        boxes.nth(38).check()
        bar = page.locator(".chosen-bar")
        expect(bar).to_be_in_viewport()
        expect(bar).to_contain_text("choose another")
        boxes.nth(36).check()
        expect(bar).to_contain_text("2 chosen")
        expect(page.locator("canvas.comparison")).not_to_be_in_viewport()
        page.get_by_role("button", name="Compare").click()
        expect(page.locator("canvas.comparison")).to_be_in_viewport()
        expect(page.locator("h2", has_text="2 sessions, each from its beginning")).to_be_focused()
        page.get_by_role("button", name="Clear the selection").click()
        expect(bar).to_be_hidden()
        expect(page.locator(".session input:checked")).to_have_count(0)
        expect(page.locator("canvas.comparison")).not_to_be_visible()


@test(slow=True)
def test_labels_of_thousands_are_not_cut(browser):
    def world(world):
        world.steps_a_day = 15_000

    with browser.shared("heart-rate?type=stepCount&range=month", world) as page:
        settle(page, "heart-rate")
        edge = [each["count"] for each in columns(page, "hatch")[:2]]
        check(not any(edge), "a label begins beyond the edge")
        check(any(each["count"] for each in columns(page, "hatch")[:40]), "there are no labels")


@test(slow=True)
def test_the_chosen_unit_is_not_cut(browser):
    def world(world):
        plain = world.answer
        units = [
            {"type": each, "unit": "count/min", "isChosen": False, "choices": ["count/min", "count/s"]}
            for each in ("heartRate", "restingHeartRate", "walkingHeartRateAverage")
        ]
        world.answer = lambda path, asked: ({"units": units} if path == "/api/units" else plain(path, asked))

    with browser.standin("you", world) as page:
        for width in (1280, 900, 390):
            page.set_viewport_size({"width": width, "height": 860})
            go(page, "now")
            go(page, "you")
            cut = page.evaluate("""() => [...document.querySelectorAll("select")].filter((select) => {
              const span = document.createElement("span");
              span.textContent = select.selectedOptions[0].textContent;
              span.style.cssText = `position: absolute; white-space: nowrap;`;
              span.style.font = getComputedStyle(select).font;
              document.body.append(span);
              const { offsetWidth } = span;
              span.remove();
              // Padding, and the arrow.
              return offsetWidth > select.clientWidth - 44;
            }).map((each) => each.selectedOptions[0].textContent)""")
            check(not cut, f"cut at {width} pixels: {cut}")


@test(slow=True)
def test_on_a_phone_the_readout_is_above_the_chart(browser):
    with browser.standin("heart-rate", size=PHONE) as page:
        settle(page, "heart-rate")
        expect(page.locator(".readout")).to_contain_text("In beats a minute, of")
        go(page, "beats")
        for readout in page.locator(".readout").all():
            check(readout.text_content().strip(), "a blank band")
        # A bar is a day even on a narrow screen.
        trend = page.locator("figure.chart").last
        expect(trend.locator(".readout")).to_contain_text("Each day, ")
        page.get_by_text("As a table").last.click()
        rows = page.get_by_role("region", name="Resting heart rate").locator("tbody tr")
        expect(rows.nth(90)).to_be_attached()
        # The days of the fake server are in UTC, so one more of them may begin within the ninety local days.
        check(rows.count() <= 92, f"{rows.count()} days")


@test(slow=True)
def test_there_is_one_accent_and_a_pressed_button_is_above_its_track(browser):
    with browser.standin("summary", theme="dark") as page:
        settle(page, "summary")
        page.get_by_text("Pinned types").click()
        ink = page.evaluate("getComputedStyle(document.body).color")
        tints = page.evaluate(
            "[...document.querySelectorAll('input')].map((each) => getComputedStyle(each).accentColor)"
        )
        check(tints and set(tints) == {ink}, f"{set(tints)} beside {ink}")
        go(page, "heart-rate")
        light = """selector => getComputedStyle(document.querySelector(selector)).backgroundColor
          .match(/\\d+/g).slice(0, 3).reduce((sum, each) => sum + Number(each), 0)"""
        pressed = page.evaluate(light, '.choice [aria-pressed="true"]')
        track = page.evaluate(light, ".choice")
        check(pressed > track + 20, f"{pressed} on {track}")
        page.locator(".chart-frame").focus()
        page.keyboard.press("Home")
        offset = page.evaluate("parseFloat(getComputedStyle(document.activeElement).outlineOffset)")
        check(offset < 0, "the ring overlaps the text below")


@test
def test_initial_colors_are_those_of_the_light_theme(_):
    look = (PAGE / "style.css").read_text()
    first = dict(re.findall(r"@property (--\w+) \{.*initial-value: (#\w+);", look))
    light = dict(re.findall(r"^  (--\w+): light-dark\((#\w+),", look, re.MULTILINE))
    check(first, "there are none")
    others = {name: (each, light.get(name)) for name, each in first.items() if each != light.get(name)}
    check(not others, f"{others}")


@test
def test_ranges_and_the_words_beside_figures_and_a_menu_are_in_one_line(browser):
    def rich(world):
        plain = world.answer

        def answer(path, asked):
            found = plain(path, asked)
            if path == "/api/worn":
                wide = {"average": 154.4, "max": 185, "min": 154}
                found["sessions"] = [each | wide for each in found["sessions"]]
            return found

        world.answer = answer

    with browser.standin("sessions", rich) as page:
        settle(page, "sessions")
        heights = page.locator(".session .numbers > span").evaluate_all(
            "each => each.map((one) => one.offsetHeight / parseFloat(getComputedStyle(one).lineHeight))")
        check(heights and max(heights) < 1.5, f"figures of {heights} lines")
    with browser.standin("heart-rate", size=PHONE) as page:
        settle(page, "heart-rate")
        tops = page.get_by_role("group", name="Range").locator("button").evaluate_all(
            "each => each.map(({ offsetTop }) => offsetTop)")
        check(len(tops) == 7 and len(set(tops)) == 1, f"the ranges are in several lines: {tops}")
        label = page.locator(".companions label", has=page.locator("select"))
        # A type with a long name makes the menu wide.
        label.locator("select").evaluate(
            "each => each.append(new Option('Heart-rate recovery, one minute, and more'))")
        lines = label.locator("span").evaluate(
            "each => each.offsetHeight / parseFloat(getComputedStyle(each).lineHeight)")
        check(lines < 1.5, f"the words beside the menu have {lines} lines")
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        check(wide <= 0, f"{wide} pixels too wide")
