#!/usr/bin/env python3
"""latency.py TRACE WATCHED: from a strap's send to a sample that can be queried.

TRACE is the straps' own account, WATCHED the output of commit_watch.py. Samples of a monitor are a run
of its frames, whose values say which. The clocks of guest and host differ by
a constant, which is taken from the samples' own times: the least of (start - send) is what the radio and bluetoothd take at least, a
millisecond or so, and counts as nothing. Prints one JSON line."""
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
        # Where a rate does not change, several fit: the nearest in time is the one.
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
