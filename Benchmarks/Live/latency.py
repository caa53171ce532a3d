#!/usr/bin/env python3
"""latency.py TRACE WATCHED: from a strap's send to a sample that can be queried.

TRACE is the straps' own account, WATCHED the output of commit_watch.py. Frames and samples of a monitor are in the same order, so
the first sample is matched with the frame of the same value nearest in time, and the rest follows. The clocks of guest and host differ by
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
        first = next(i for i, (_, bpm) in enumerate(frames) if bpm == rows[0]["value"] and abs(frames[i][0] - rows[0]["start"]) < 1)
        for (time, bpm), row in zip(frames[first:], rows):
            if bpm != row["value"]:
                sys.exit(f"{monitor}: sent {bpm}, stored {row['value']}")
            pairs.append((time, row["start"], row["seen"]))
    offset = min(start - time for time, start, _ in pairs)
    delays = sorted(seen - time - offset for time, _, seen in pairs)
    receipts = sorted(start - time - offset for time, start, _ in pairs)
    print(json.dumps({
        "samples": len(delays), "p50": round(delays[len(delays) // 2], 3), "p99": round(delays[int(len(delays) * 0.99)], 3),
        "max": round(delays[-1], 3), "receiptP99": round(receipts[int(len(receipts) * 0.99)], 3)}))


if __name__ == "__main__":
    main()
