#!/usr/bin/env python3
"""latency.py TRACE WATCHED: measures the time from a strap's notification to a sample that can
be queried.

TRACE is the log of the simulated straps, and WATCHED the output of commit_watch.py. The samples
of a monitor match a run of its frames by their values. The clocks of guest and host differ by a
constant, which is estimated as the minimum of (start - send). The minimum delay of the radio
and bluetoothd, about 1 ms, is therefore not counted. Prints one JSON line."""
import json
import sys


def main():
    trace = [json.loads(line) for line in open(sys.argv[1])]
    watched = [json.loads(line) for line in open(sys.argv[2])]
    address = {event["strap"]: event["address"] for event in trace if event["event"] == "advertising"}
    sent, offset = {}, None
    for event in trace:
        if event["event"] == "sent":
            sent.setdefault(address[event["strap"]], []).append((event["time"], bytes.fromhex(event["hex"])[1]))
    pairs = []
    for monitor, frames in sent.items():
        rows = [row for row in watched if row["monitor"] == monitor]
        if not rows:
            continue
        values = [row["value"] for row in rows]
        fits = [i for i in range(len(frames) - len(rows) + 1) if [bpm for _, bpm in frames[i : i + len(rows)]] == values]
        if not fits:
            sys.exit(f"{monitor}: the samples are not what was sent")
        # If the heart rate is constant, several runs of frames match. Use the run that is nearest
        # in time.
        first = min(fits, key=lambda i: abs(frames[i][0] - rows[0]["start"]))
        pairs += [(time, row["start"], row["seen"]) for (time, _), row in zip(frames[first:], rows)]
    offset = min(start - time for time, start, _ in pairs)
    delays = sorted(seen - time - offset for time, _, seen in pairs)
    receipts = sorted(start - time - offset for time, start, _ in pairs)
    print(json.dumps({
        "samples": len(delays), "p50": round(delays[len(delays) // 2], 3), "p99": round(delays[int(len(delays) * 0.99)], 3),
        "max": round(delays[-1], 3), "receiptP99": round(receipts[int(len(receipts) * 0.99)], 3)}))


if __name__ == "__main__":
    main()
