"""Categories such as symptoms and hours of standing on a timeline."""

from harness import PHONE, check, eventually, expect, go, settle, test
from standin import DAY, HOUR
from test_accessibility import axe, findings

FRAME = "Headache over time"


def headaches(world):
    # A row is a sample: its start, its end, and the index of its value. `days` is the number of days before
    # now.
    def row(days, first, last, value):
        start = world.now - days * DAY
        return start + first * HOUR, start + last * HOUR, value

    rows = [row(60, 0, 1, 1), row(3, 0, 2, 0), row(2, 0, 0, 1), row(1, 0, 1, 1), row(1, 1, 3, 1)]
    world.categories = {"headache": (["mild", "severe"], rows), "mindfulSession": (["notApplicable"], rows[1:2])}
    world.listed = {kind: [{"valueName": "severe"}] * len(rows) for kind, (_, rows) in world.categories.items()}


def pixels(page, name):
    """Returns the number of pixels of a color in the timeline."""
    return page.evaluate("""([label, name]) => {
      const place = document.body.appendChild(document.createElement('i'));
      place.style.color = `var(--${name})`;
      const [r, g, b] = getComputedStyle(place).color.match(/\\d+/g).map(Number);
      place.remove();
      const canvas = document.querySelector(`[aria-label="${label}"] canvas`);
      const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      let count = 0;
      for (let i = 0; i < data.length; i += 4) {
        const near = Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 30;
        if (data[i + 3] > 200 && near) count += 1;
      }
      return count;
    }""", [FRAME, name])


@test
def test_a_symptom_is_on_a_timeline_with_a_lane_for_each_severity(browser):
    with browser.standin("data", headaches) as page:
        settle(page, "data")
        page.get_by_label("Chart of headache").click()
        settle(page, "data")
        frame = page.get_by_label(FRAME, exact=True)
        expect(frame).to_be_visible()
        page.wait_for_timeout(200)
        check(pixels(page, "step-3") > 20 and pixels(page, "step-5") > 20, "a severity has no block")
        asked = [each for path, each in page.world.asked if path == "/api/categories"][-1]
        check(30 * DAY < page.world.now - asked["from"] < 32 * DAY, f"{asked}")
        expect(page.locator("#main")).to_contain_text("The last 31 days.")
        # Samples without a pause between them are drawn as one block. An instant is drawn as a block too.
        frame.focus()
        readout = page.locator("figure.chart .readout")
        page.keyboard.press("End")
        expect(readout).to_contain_text("Severe · 3 h · 2 samples")
        page.keyboard.press("ArrowLeft")
        expect(readout).to_contain_text("Severe")
        expect(readout).not_to_contain_text(" h")
        page.keyboard.press("Home")
        expect(readout).to_contain_text("Mild · 2 h")
        page.locator("figure ~ details summary").click()
        rows = page.locator("figure ~ details tbody tr")
        expect(rows).to_have_count(3)
        # The timeline shows the days that are chosen for the list.
        page.get_by_label("From", exact=True).fill(
            page.evaluate("days => new Date(Date.now() - days * 86400000).toLocaleDateString('sv')", 70))
        expect(rows).to_have_count(4)
        expect(page.locator("#main")).not_to_contain_text("The last 31 days.")


@test(slow=True)
def test_a_timeline_has_no_finding_and_fits(browser):
    for options in ({}, {"size": PHONE, "theme": "dark"}):
        with browser.standin("data?type=headache", headaches, **options) as page:
            settle(page, "data")
            expect(page.get_by_label(FRAME, exact=True)).to_be_visible()
            page.locator("figure ~ details summary").click()
            page.evaluate(axe())
            check(not findings(page), f"{findings(page)}")
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            check(wide <= 0, f"{wide} pixels too wide")
            # The lane of a type with only one value has no name.
            go(page, "data?type=mindfulSession")
            page.get_by_label("Mindful session over time", exact=True).focus()
            readout = page.locator("figure.chart .readout")

            def shows_the_last():
                # The blocks may not be loaded yet.
                page.keyboard.press("End")
                return "· 2 h" in readout.inner_text()

            eventually(page, shows_the_last, "the last block is not shown")
