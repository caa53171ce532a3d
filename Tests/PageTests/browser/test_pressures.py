"""Blood pressures as pairs."""

from harness import PHONE, check, eventually, expect, go, settle, test
from standin import DAY, HOUR, MINUTE
from test_accessibility import axe, findings


def pressures(count, step):
    def world(world):
        rows = [(world.now - MINUTE - k * step, 128 + k % 3, 81 + k % 2) for k in range(count)]
        world.pressures = rows[::-1]
        world.listed = {"bloodPressure": [{"members": []}]}

    return world


@test
def test_blood_pressures_are_pairs_on_a_chart(browser):
    with browser.standin("data?type=bloodPressure", pressures(3, DAY)) as page:
        settle(page, "data")
        frame = page.get_by_label("Blood pressure, from diastolic to systolic", exact=True)
        expect(frame).to_be_visible()
        expect(page.locator("#main")).to_contain_text("Latest: 128/81 mmHg")
        expect(page.locator("#main")).to_contain_text("Average of 3 readings: 129/81 mmHg.")
        frame.focus()
        page.keyboard.press("End")
        expect(page.locator(".readout")).to_contain_text("128/81 mmHg")
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".readout")).to_contain_text("129/82 mmHg")
        page.locator("summary").first.click()
        expect(page.locator("figure ~ details tbody tr")).to_have_count(3)
        # The chart shows the days that are chosen for the list.
        day = page.evaluate("new Date().toLocaleDateString('sv')")
        page.get_by_label("From", exact=True).fill(day)
        expect(page.locator("figure ~ details tbody tr")).to_have_count(1)
        go(page, "data")
        page.get_by_label("Chart of blood pressure").click()
        expect(frame).to_be_visible()


@test(slow=True)
def test_many_blood_pressures_are_ranges(browser):
    with browser.standin("data?type=bloodPressure", pressures(300, 6 * HOUR)) as page:
        settle(page, "data")
        page.locator("summary").first.click()
        rows = page.locator("figure ~ details tbody tr")
        eventually(page, lambda: 8 <= rows.count() <= 60, "readings are not grouped")
        expect(rows.nth(3)).to_contain_text("128 to 130")
        expect(rows.nth(3)).to_contain_text("81 to 82")
        expect(rows.nth(3)).to_contain_text("129/8")


@test(slow=True)
def test_a_chart_of_blood_pressures_has_no_finding(browser):
    for options in ({}, {"size": PHONE, "theme": "dark"}):
        with browser.standin("data?type=bloodPressure", pressures(90, 8 * HOUR), **options) as page:
            settle(page, "data")
            page.evaluate(axe())
            opened = "each => each.forEach((details) => { details.open = true; })"
            page.locator("#main details").evaluate_all(opened)
            check(not findings(page), f"{findings(page)}")
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            check(wide <= 0, f"{wide} pixels too wide")
