#!/usr/bin/env python3
"""commit_watch.py HRGATE STORE SECONDS: measures when each heart-rate sample of a store can
first be queried.

Polls the store every 10 ms and records each commit, which adds a segment for each kind of
samples. At the end it runs HRGATE to list the samples, and prints a JSON line for each new one:
the wall time when it was seen, its monitor, start, and value."""
import bisect
import json
import sqlite3
import subprocess
import sys
import time
from datetime import datetime

QUERY = """
  SELECT last_change, start, end FROM block WHERE last_change > ?
    AND type = (SELECT id FROM object_type WHERE identifier = 'HKQuantityTypeIdentifierHeartRate')
  ORDER BY last_change"""


def main():
    hrgate, store, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    database = sqlite3.connect(f"file:{store}?mode=ro", uri=True, isolation_level=None)
    last = database.execute("SELECT ifnull(max(last_change), 0) FROM block").fetchone()[0]
    commits, version, end = [], None, time.monotonic() + seconds
    while time.monotonic() < end:
        # PRAGMA data_version is cheap to poll, and changes after every commit of another
        # connection.
        now_version = database.execute("PRAGMA data_version").fetchone()
        if now_version != version:
            version = now_version
            rows = database.execute(QUERY, (last,)).fetchall()
            seen = time.time()
            for last, start, upto in rows:
                commits.append((upto / 1e6, start / 1e6, seen))
        time.sleep(0.01)
    said = subprocess.run([hrgate, "samples", "--type", "heartRate", "--json", "--store", store], capture_output=True, text=True, check=True).stdout
    commits.sort()
    for sample in map(json.loads, said.splitlines()):
        start = datetime.fromisoformat(sample["start"].replace("Z", "+00:00")).timestamp()
        place = bisect.bisect_left(commits, (start - 1e-6,))
        if place < len(commits) and commits[place][1] <= start + 1e-6:
            monitor = sample["source"]["bundleIdentifier"].rsplit(".", 1)[-1]
            print(json.dumps({"seen": commits[place][2], "monitor": monitor, "start": start, "value": sample["value"]}))


if __name__ == "__main__":
    main()
