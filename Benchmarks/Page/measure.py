"""measure.py HRGATE STORE PLOTLY: measures how fast the page is and how many bytes it
transfers.

There are no pass criteria. PLOTLY is the path of plotly.min.js, which draws all points of the
last day for comparison."""

import json
import pathlib
import re
import socket
import sqlite3
import statistics
import subprocess
import sys

from playwright.sync_api import sync_playwright

RANGES = ["Week", "Month", "6 months", "Year", "All", "Day"]
STREAMS = 50


def main():
    hrgate, store, plotly = sys.argv[1:]
    server = subprocess.Popen(
        [hrgate, "page", "--no-open", "--port", "0", "--store", store], stdout=subprocess.PIPE, text=True
    )
    try:
        address = re.search(r"http://\S+", server.stdout.readline())[0]
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
            context = chromium.new_context(
                viewport={"width": 1280, "height": 860}, timezone_id="Europe/Berlin", locale="en-GB"
            )
            page = context.new_page()
            page.goto(address)
            address = page.url.split("#")[0]
            print(f"the server before anything is shown: {memory(server.pid):.1f} MB of its own")
            first(page, address)
            for turn in ("once", "once more"):
                print(f"{turn}:")
                ranges(page)
            frames(page)
            streams(server.pid, address, context.cookies())
            points(context.new_page(), store, plotly)
            chromium.close()
    finally:
        server.terminate()
        server.wait()


def memory(process):
    """Returns the private memory of a process in MB (smaps_rollup)."""
    lines = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024


def streams(process, address, cookies):
    """Measures the memory of event streams that stay open."""
    host, port = re.search(r"//([^:/]+):(\d+)", address).groups()
    cookie = "; ".join(f"{each['name']}={each['value']}" for each in cookies)
    request = (
        f"GET /api/events HTTP/1.1\r\nHost: {host}:{port}\r\nCookie: {cookie}\r\n"
        "Sec-Fetch-Site: same-origin\r\nAccept: text/event-stream\r\n\r\n"
    )
    before = memory(process)
    opened, taken = [], 0
    for _ in range(STREAMS):
        connection = socket.create_connection((host, int(port)))
        connection.sendall(request.encode())
        taken += connection.recv(4096).startswith(b"HTTP/1.1 200")
        opened.append(connection)
    print(f"{taken} event streams: {memory(process) - before:.1f} MB")
    for connection in opened:
        connection.close()


def points(page, store, plotly):
    """Draws all points of the last day with Plotly, like a simple script would."""
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as database:
        packed = database.execute("SELECT ifnull(sum(count), 0) FROM block").fetchone()[0]
        if packed:
            sys.exit(f"{packed} samples of {store} are packed, which nothing but hrgate reads: take a store that was never condensed")
        newest = database.execute("SELECT max(start) FROM sample WHERE value > 20").fetchone()[0]
        rows = database.execute(
            "SELECT start / 1000, value FROM sample WHERE value > 20 AND start > ? ORDER BY start",
            (newest - 86_400_000_000,),
        ).fetchall()
    page.goto("about:blank")
    page.set_content("<div id=chart style='width:1200px;height:400px'></div>")
    page.add_script_tag(path=plotly)
    for kind in ("scatter", "scattergl"):
        took = page.evaluate(
            """async ([x, y, type]) => {
          const frame = () => new Promise(requestAnimationFrame);
          const start = performance.now();
          await Plotly.newPlot("chart", [{ x: x.map((time) => new Date(time)), y, type, mode: "lines" }]);
          await frame();
          const drawn = performance.now();
          await Plotly.relayout("chart", { "xaxis.range": [new Date(x[1000]), new Date(x.at(-1000))] });
          await frame();
          return [drawn - start, performance.now() - drawn];
        }""",
            [[row[0] for row in rows], [row[1] for row in rows], kind],
        )
        size = len(json.dumps(rows, separators=(",", ":")))
        print(
            f"Plotly ({kind}), {len(rows)} points of a day, {size} bytes as JSON: {took[0]:.0f} ms to draw, "
            f"{took[1]:.0f} ms for another range"
        )


def received(page, kind):
    """Returns the number of response bytes since the last reset."""
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


if __name__ == "__main__":
    main()
