"""live.py HRGATE [SECONDS]: measures how soon a heart rate is on the page, and what open tabs
cost the gateway.

A scripted org.bluez has eight straps, which each notify four times a second. The gateway serves
the page. Headless chromium shows *Now*, and records when each number changes. The delay of a
number is measured from the notification, and from the commit as seen by another process. The
second delay is 0 if the page was first. After that, with silent straps, the CPU time of the
gateway is measured with no tab, with one, and with 200 event streams. There are no pass
criteria. Needs the Python of scripts/page-browser, and dbus-fast for the scripted org.bluez
(HRGATE_VM_PYTHON)."""

import contextlib
import os
import pathlib
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Notification"))
import feed  # noqa: E402

NOTE = """() => {
  window.shown = [];
  const note = (each) => {
    const pulse = each.closest(".pulse");
    if (pulse) shown.push([pulse.dataset.source, each.textContent, Date.now()]);
  };
  // After what was changed is drawn.
  const observer = new MutationObserver((all) => requestAnimationFrame(() => requestAnimationFrame(() => {
    for (const each of new Set(all.map(({ target }) => target.parentElement?.closest(".rate span") ?? target.closest?.(".rate span"))))
      if (each) note(each);
  })));
  observer.observe(document.querySelector("#main"), { subtree: true, childList: true, characterData: true });
}"""


def ticks(process):
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def spent(process, seconds):
    before = ticks(process)
    time.sleep(seconds)
    return (ticks(process) - before) / seconds


def private(process):
    lines = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024


class Commits(threading.Thread):
    """Records when another process sees a commit in the store, within 1 to 2 ms."""

    def __init__(self, store):
        super().__init__(daemon=True)
        self.store, self.times, self.stopped = store, [], threading.Event()
        self.start()

    def run(self):
        with contextlib.closing(sqlite3.connect(f"file:{self.store}?mode=ro", uri=True)) as database:
            last = None
            while not self.stopped.wait(0.001):
                version = database.execute("PRAGMA data_version").fetchone()[0]
                if last not in (None, version):
                    self.times.append(time.time() * 1000)
                last = version

    def stop(self):
        self.stopped.set()
        self.join()
        return self.times


def behind(commits, sent, seen):
    """Returns the delay between the commit after `sent` and a number on the page, or 0 if the
    number was on the page before the commit."""
    stored = next((each for each in commits if each >= sent), None)
    return 0 if stored is None else max(0, seen - stored)


def watch(page, bus, store, seconds):
    """Returns the delay of each number since it was sent, and since it was committed."""
    commits = Commits(store)
    sent = {}
    page.evaluate(NOTE)
    began = time.time()
    for number in range(seconds * 32):
        strap, turn = number % len(feed.STRAPS) + 1, number // len(feed.STRAPS)
        sent.setdefault(feed.address(strap), []).append((62 + turn % 5, time.time() * 1000))
        bus.notify(number)
        time.sleep(max(0, began + (number + 1) / 32 - time.time()))
    page.wait_for_timeout(1500)
    times = commits.stop()
    delays, late = [], []
    for source, text, when in page.evaluate("shown"):
        straps = [each for address, each in sent.items() if address in source]
        if not straps or not text.isdigit():
            continue
        earlier = [at for value, at in straps[0] if value == int(text) and at <= when]
        if earlier:
            delays.append(when - earlier[-1])
            late.append(behind(times, earlier[-1], when))
    return sorted(delays), sorted(late), len(times)


def spread(delays):
    return f"p50 {delays[len(delays) // 2]:.0f} ms, p99 {delays[len(delays) * 99 // 100]:.0f} ms, at most {delays[-1]:.0f} ms"


def main():
    hrgate, seconds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        bus = feed.Bus(folder)
        store = f"{folder}/store/health.sqlite"
        environment = bus.environment(folder)
        gateway = bus.follow(hrgate, store, environment, "--page")
        said = subprocess.run([hrgate, "page", "--no-open", "--store", store], env=environment, capture_output=True, text=True, check=True).stdout
        address = re.search(r"http://\S+", said)[0]
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
            context = chromium.new_context(viewport={"width": 1280, "height": 860}, locale="en-GB")
            page = context.new_page()
            page.goto(address)
            page.wait_for_selector(".pulse")
            delays, late, commits = watch(page, bus, store, seconds)
            print(f"{len(delays)} numbers seen: {spread(delays)}")
            print(f"since the commit, of {commits}: {spread(late)}; seen before it: {100 * late.count(0) // len(late)} %")
            cookies = "; ".join(f"{each['name']}={each['value']}" for each in context.cookies())
            page.wait_for_timeout(15_000)
            print(f"straps silent, a tab on Now: {100 * spent(gateway.pid, 30):.2f} % of a core")
            page.goto("about:blank")
            print(f"the same without a tab: {100 * spent(gateway.pid, 30):.2f} %")
            chromium.close()
        host, port = re.search(r"//([^:/]+):(\d+)", address).groups()
        before, streams = private(gateway.pid), []
        for _ in range(200):
            stream = socket.create_connection((host, int(port)))
            stream.sendall(f"GET /api/events HTTP/1.1\r\nHost: {host}:{port}\r\nCookie: {cookies}\r\nSec-Fetch-Site: same-origin\r\n\r\n".encode())
            streams.append(stream)
        time.sleep(5)
        answers = [stream.recv(64).split(b" ")[1].decode() for stream in streams]
        print(f"200 event streams: answered {sorted(set(answers))}, {private(gateway.pid) - before:.1f} MB more, {100 * spent(gateway.pid, 30):.2f} % of a core")
        gateway.send_signal(signal.SIGTERM)
        gateway.wait()
        bus.close()


if __name__ == "__main__":
    main()
