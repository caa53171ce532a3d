#!/usr/bin/env python3
"""commit_watch.py STORE SECONDS: when each heart-rate sample of a store could first be queried.

Looks into the store every 10 ms, as any other process would, and prints a JSON line for each sample that is new since it began: when
it was seen, by wall time, and its monitor, start and value."""
import json
import sqlite3
import sys
import time

QUERY = """
SELECT sample.id, source.bundle_identifier, sample.start, sample.value FROM sample
JOIN object_type ON object_type.id = sample.type
JOIN provenance ON provenance.id = sample.provenance
JOIN source_revision ON source_revision.id = provenance.source_revision
JOIN source ON source.id = source_revision.source
WHERE sample.id > ? AND object_type.identifier = 'HKQuantityTypeIdentifierHeartRate' ORDER BY sample.id
"""


def main():
    store, seconds = sys.argv[1], float(sys.argv[2])
    database = sqlite3.connect(f"file:{store}?mode=ro", uri=True, isolation_level=None)
    last = database.execute("SELECT ifnull(max(id), 0) FROM sample").fetchone()[0]
    version, end = None, time.monotonic() + seconds
    while time.monotonic() < end:
        # Cheap, and changes whenever another connection has committed.
        now_version = database.execute("PRAGMA data_version").fetchone()
        if now_version != version:
            version = now_version
            rows = database.execute(QUERY, (last,)).fetchall()
            seen = time.time()
            for identifier, source, start, value in rows:
                last = identifier
                print(json.dumps({"seen": seen, "monitor": source.rsplit(".", 1)[-1], "start": start / 1e6, "value": value}))
        time.sleep(0.01)


if __name__ == "__main__":
    main()
