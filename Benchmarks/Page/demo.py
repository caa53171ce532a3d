"""demo.py HRGATE: measures the page with `hrgate demo`: when the demo is ready, first paint, the
ranges of the chart, and what three live straps on *Now* cost in the browser.

There are no pass criteria. The CPU time is that of the tab's renderer process, which includes
drawing without a GPU."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

from measure import first, frames, ranges
from playwright.sync_api import expect, sync_playwright

SECONDS = 60


def ticks(process):
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def children(process):
    """The descendants of a process, with their command lines."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            parents[int(entry.name)] = int(fields[1]), (entry / "cmdline").read_text()
        except (OSError, ValueError, IndexError):
            continue
    found, new = {}, {process}
    while new:
        new = {each for each, (parent, _) in parents.items() if parent in new and each not in found}
        found.update({each: parents[each][1] for each in new})
    return found


def spent(processes, seconds):
    before = sum(ticks(each) for each in processes)
    time.sleep(seconds)
    return 100 * (sum(ticks(each) for each in processes) - before) / seconds


def pair(page):
    """Pairs the spare strap, so that three straps are live."""
    page.evaluate("location.hash = '#/monitors'")
    page.get_by_role("button", name="Look for monitors").click()
    page.locator(".enrolment li").filter(has_text="Spare").get_by_role("button").click()
    page.wait_for_timeout(8000)


def main():
    hrgate = sys.argv[1]
    began = time.monotonic()
    demo = subprocess.Popen([hrgate, "demo", "--no-open", "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        address = next(found[0] for line in demo.stdout if (found := re.search(r"http://\S+", line)))
        print(f"the demo is ready after {time.monotonic() - began:.2f} s")
        with sync_playwright() as playwright:
            path = shutil.which("chromium") or shutil.which("chromium-headless-shell")
            chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
            context = chromium.new_context(viewport={"width": 1280, "height": 860}, locale="en-GB")
            page = context.new_page()
            page.goto(address)
            page.wait_for_selector("#main h1", state="attached")
            address = page.url.split("#")[0]
            for turn in ("once", "once more"):
                print(f"{turn}:")
                first(page, address)
                ranges(page)
            frames(page)
            pair(page)
            page.goto("about:blank")
            page.goto(f"{address}#/now")
            expect(page.locator(".pulse:not(.stale)")).to_have_count(3, timeout=60_000)
            page.wait_for_timeout(10_000)
            tab = [each for each, line in children(os.getpid()).items() if "--type=renderer" in line]
            print(f"three live straps: {spent(tab, SECONDS):.1f} % of a core in {len(tab)} renderer process")
            others = [each for each, line in children(os.getpid()).items() if "chrom" in line]
            print(f"all processes of the browser: {spent(others, SECONDS):.1f} %")
            print(f"the demo with its gateway: {spent([demo.pid], SECONDS):.1f} %")
            chromium.close()
    finally:
        demo.send_signal(signal.SIGTERM)
        demo.wait()


if __name__ == "__main__":
    main()
