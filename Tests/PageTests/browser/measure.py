"""How fast the page is and how much comes over the wire: `python3 measure.py [--address URL]`.

Figures, no verdicts.
"""

import argparse
import statistics

from playwright.sync_api import sync_playwright

from standin import StandIn

RANGES = ["Week", "Month", "6 months", "Year", "All", "Day"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--address", help="what hrgate page printed; else a stand-in answers")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    chosen = parser.parse_args()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chosen.chromium, args=["--no-sandbox"])
        context = chromium.new_context(
            viewport={"width": 1280, "height": 860}, timezone_id="Europe/Berlin", locale="en-GB"
        )
        page = context.new_page()
        address = chosen.address or StandIn().address
        page.goto(address)
        address = page.url.split("#")[0]
        first(page, address)
        ranges(page)
        frames(page)
        chromium.close()


def received(page, kind):
    """The bytes of answers since they were last cleared."""
    return page.evaluate(
        """(kind) => performance.getEntriesByType("resource")
      .filter((each) => new URL(each.name).pathname.startsWith("/api/") === (kind === "data"))
      .reduce((sum, each) => sum + each.encodedBodySize, 0)""",
        kind,
    )


def settle(page):
    page.wait_for_function(
        "() => document.querySelector('.figures dd') && !document.querySelector('[aria-busy=\"true\"]')"
    )


def first(page, address):
    page.goto("about:blank")
    page.goto(address + "#/heart-rate")
    settle(page)
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
    drawn = page.evaluate("performance.getEntriesByName('chart-frame').at(-1).startTime")
    print(f"first paint {paint:.0f} ms, the day's chart with its data {drawn:.0f} ms")
    print(f"bytes of the first view: {received(page, 'page')} page, {received(page, 'data')} data")


def ranges(page):
    for name in RANGES:
        page.evaluate("performance.clearResourceTimings()")
        took = page.evaluate(
            """async (name) => {
          const buttons = [...document.querySelectorAll(".choice button")];
          const button = buttons.find((each) => each.textContent === name);
          const frame = () => new Promise(requestAnimationFrame);
          const start = performance.now();
          button.click();
          await frame();
          while (document.querySelector("[aria-busy='true']")) await frame();
          return performance.now() - start;
        }""",
            name,
        )
        page.wait_for_timeout(400)
        print(f"{name}: {took:.0f} ms until its data is drawn, {received(page, 'data')} bytes")


def frames(page):
    box = page.locator(".chart-frame").bounding_box()
    for name in ("Day", "Year"):
        page.get_by_role("button", name=name, exact=True).click()
        settle(page)
        page.wait_for_timeout(500)
        page.evaluate("performance.clearMeasures('chart-frame')")
        page.mouse.move(box["x"] + 300, box["y"] + 100)
        page.mouse.down()
        for i in range(120):
            page.mouse.move(box["x"] + 300 + i, box["y"] + 100)
        page.mouse.up()
        for i in range(60):
            page.mouse.wheel(0, -30 if i < 30 else 30)
        times = page.evaluate("performance.getEntriesByName('chart-frame').map((each) => each.duration)")
        cuts = statistics.quantiles(times, n=100)
        print(
            f"{name}: {len(times)} frames, {statistics.median(times):.2f} ms in the middle,"
            f" p99 {cuts[98]:.2f} ms"
        )


main()
