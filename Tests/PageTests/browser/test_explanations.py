"""What figures of heart-rate variability are, and the reader's normal range."""

from harness import check, expect, settle, test
from standin import STRAP


@test
def test_figures_are_explained_with_the_normal_range(browser):
    def world(world):
        figure = {"mean": 47.04, "low": 38.1, "high": 52.4, "measured": 7, "measuredBefore": 40}
        world.normal = [{"source": STRAP, "name": "Strap", "figures": {
            "rmssd": figure, "sdnn": figure | {"mean": 30.0, "measured": 3, "measuredBefore": 60}}}]

    with browser.standin("beats", world) as page:
        settle(page, "beats")
        row = page.locator('[data-figure="rmssd"]')
        expect(row).to_contain_text("Variation from beat to beat.")
        page.get_by_text("How it is computed").click()
        expect(page.locator(".definitions dl")).to_have_text(
            "RMSSDThe root of the mean squared difference of neighbours, ms.")
        expect(row).to_contain_text(
            "Your normal range: 38 to 52 in 60 days, of 40 days with beats. Last 7 days: 47, within it.")
        expect(page.locator('[data-figure="sdnn"]')).to_contain_text(
            "in 60 days. Last 7 days: 30 (3 with beats), below it.")
        expect(page.locator('[data-figure="meanNN"] .normal')).to_have_text("")
        # The normal range is not requested again for another range of the chart.
        page.get_by_role("button", name="Hour").click()
        settle(page)
        expect(row).to_contain_text("Your normal")
        asked = [path for path, _ in page.world.asked if path == "/api/variability/normal"]
        check(len(asked) == 1, f"asked {len(asked)} times")


@test(slow=True)
def test_figures_are_there_without_explanations(browser):
    with browser.standin("beats") as page:
        settle(page, "beats")
        page.world.failing["/api/explanations"] = "Not now."
        page.reload()
        settle(page, "beats")
        expect(page.locator('[data-figure="rmssd"]')).to_contain_text("42 ms")
        expect(page.get_by_text("How it is computed")).to_be_hidden()
