#!/usr/bin/env python3
"""compare_trace.py TRACE SAMPLES [GAPS] [--beats SERIES]: checks that each frame of the straps is stored or in a gap.

TRACE    JSON lines of the straps (scenario: $out/trace.jsonl)
SAMPLES  `hrgate samples --type heartRate --json`
GAPS     `hrgate monitors gaps --json`: {"monitor", "start", "end" or null, "cause"}
SERIES   `hrgate samples --type heartbeatSeries --json`

Prints a line for each strap. Exit status 1 if a stored sample was never sent, is stored twice or out of order; if a
frame that was sent is neither stored nor in a gap; if a gap is wider than the missing frames, or open although frames
came later; or if the beats are not the sent intervals. A stored sample's UUID must be the hash of monitor, time and
rate. Frames with the same rate are told apart by their order and times. A frame without a rate to store (no contact,
0, truncated) must not be stored."""
import argparse
import collections
import dataclasses
import hashlib
import itertools
import json
import math
import statistics
import struct
import sys
import uuid
from datetime import datetime, timedelta, timezone

PREFIX = "org.hrgate.monitor."
# Maximum difference in seconds between the end of a gap and the receipt of a frame. Times are stored in microseconds.
EXACT = 0.000_01
IN_DOUBT = "org.hrgate.mayBeCopy"
# The gateway holds possible copies for 8 s before it stores them, and needs up to 2 s of its own.
COPIES_WITHIN = 10.0


@dataclasses.dataclass
class Frame:
    time: float
    bpm: int
    rr: list
    value: bytes = b""


@dataclasses.dataclass
class Stored:
    time: float
    bpm: int
    microseconds: int = 0
    uuid: str = ""
    alike: int = 1          # the number of samples of one monitor with this time
    in_doubt: bool = False  # marked as a possible copy for another subscriber


def seconds(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def microseconds(text):
    since = datetime.fromisoformat(text.replace("Z", "+00:00")) - datetime(1970, 1, 1, tzinfo=timezone.utc)
    return since // timedelta(microseconds=1)


def identity(address, microseconds, bpm, number=0):
    """Returns the UUID of the sample of a heart rate at a receipt time (Sources/Ingestion: SampleIdentity). `number` is
    the count of earlier samples with the same rate and time: a busy gateway may receive several frames at once."""
    again = number.to_bytes(4, "little") if number else b""
    digest = hashlib.sha256(
        b"\x04\0" + address.encode() + b"\0" + struct.pack(">qd", microseconds, bpm) + again).digest()
    high, low = int.from_bytes(digest[:2], "big"), int.from_bytes(digest[2:10], "big")
    number = (microseconds // 1000) << 80 | 0x8 << 76 | (high & 0xFFF) << 64 | 0b10 << 62 | low & (1 << 62) - 1
    return str(uuid.UUID(int=number)).upper()


def stored(samples, address):
    """Returns the samples of one monitor in chronological order."""
    own = [row for row in samples if monitor(row) == address]
    alike = collections.Counter(row["start"] for row in own)
    return sorted((Stored(seconds(row["start"]), round(row["value"]), microseconds(row["start"]), row["uuid"],
                          alike[row["start"]], IN_DOUBT in (row.get("metadata") or {})) for row in own),
                  key=lambda one: one.time)


def rows(path):
    with open(path) as file:
        return [json.loads(line) for line in file if line.strip()]


def frame(time, value):
    """Decodes a value of 2A37. Returns None if it contains no heart rate to store."""
    if len(value) < 2 or (value[0] & 1 and len(value) < 3):
        return None
    flags, place = value[0], 3 if value[0] & 1 else 2
    bpm = int.from_bytes(value[1:place], "little")
    if bpm == 0 or flags & 0x06 == 0x04:
        return None
    place += 2 if flags & 0x08 else 0
    rr = [int.from_bytes(value[i:i + 2], "little") for i in range(place, len(value) - 1, 2)] if flags & 0x10 else []
    return Frame(time, bpm, rr, value)


def sent_frames(trace):
    """Returns, by the strap's identity address, its frames with a rate, and the send times of its frames without a
    rate. A frame whose sending failed counts as sent, because the link may have ended after the frame was sent."""
    address, sent, without = {}, {}, {}
    for event in trace:
        strap = event["strap"]
        if event["event"] == "advertising":
            address[strap] = event.get("identity", event["address"])
        elif event["event"] == "sent":
            found = frame(event["time"], bytes.fromhex(event["hex"]))
            if found:
                sent.setdefault(address[strap], []).append(found)
            else:
                without.setdefault(address[strap], []).append(event["time"])
    return {one: (sent.get(one, []), without.get(one, [])) for one in {*address.values(), *sent, *without}}


def align(sent, stored, offset, tolerance, same, late=None):
    """Returns the index pairs (i, j) of a longest common subsequence of sent frames and stored samples. A pair must be
    the `same` and differ in time by at most `tolerance`, or by at most `late` if the stored time is later. If there are
    several, returns the one with the smallest time differences."""
    late = tolerance if late is None else late
    tolerance += max(0.0, offset) if late > tolerance else 0.0      # most may be late, and one in time
    previous, choice, low = [(0, 0.0)] * (len(stored) + 1), [], 0
    for i, one in enumerate(sent):
        row, taken = [(0, 0.0)] * (len(stored) + 1), {}
        while low < len(stored) and stored[low].time - offset < one.time - tolerance:
            low += 1
        high = low
        row[:low + 1] = previous[:low + 1]
        j = low
        while j < len(stored):
            above, left = previous[j + 1], row[j]
            at = above if above >= left else left
            taken[j] = "up" if above >= left else "left"
            after = stored[j].time - offset - one.time
            if -tolerance <= after <= late and same(one, stored[j]):
                both = (previous[j][0] + 1, previous[j][1] - abs(after))
                if both > at:
                    at, taken[j] = both, "both"
            row[j + 1] = at
            high = j
            j += 1
            if stored[j - 1].time - offset > one.time + late:
                break
        for rest in range(high + 2, len(stored) + 1):   # beyond the tolerance there are no new matches
            row[rest] = row[high + 1]
        choice.append((low, high, taken))
        previous = row
    pairs, j = [], len(stored) - 1
    i = len(sent) - 1
    while i >= 0 and j >= 0:
        low, high, taken = choice[i]
        if j < low:
            i -= 1
        elif j > high:
            j = high if high >= low else low - 1
        elif taken[j] == "both":
            pairs.append((i, j))
            i, j = i - 1, j - 1
        elif taken[j] == "up":
            i -= 1
        else:
            j -= 1
    return pairs[::-1]


def intervals(series):
    """Returns the intervals between the beats of a series, in ticks."""
    beats = series["beats"]
    return [round((after["offset"] - before["offset"]) * 1024)
            for before, after in zip(beats, beats[1:]) if not after["precededByGap"]]


def first_foreign(part, whole):
    """Returns the index of the first element that prevents `part` from being a subsequence of `whole`, or None if it is
    one."""
    rest = iter(whole)
    for place, item in enumerate(part):
        if not any(abs(item - other) <= 1 for other in rest):
            return place
    return None


def monitor(row):
    return row["source"]["bundleIdentifier"].removeprefix(PREFIX)


def rate_of(address):
    """Returns a function that compares the rate and the UUID of a stored sample with a frame."""
    return lambda one, other: one.bpm == other.bpm and any(
        identity(address, other.microseconds, one.bpm, number) == other.uuid for number in range(other.alike))


def unexcused(surplus, kept, sent, address):
    """Returns the stored samples of one monitor that match no sent frame and are not marked as possible copies. It is
    arbitrary whether a frame is matched to the original or to its copy, so a mark excuses one sample of the same rate.

    sent: the rates that were sent."""
    def rate(item):
        return item.bpm if item.bpm in sent and rate_of(address)(Frame(0, item.bpm, []), item) else None

    marked = [(item.time, rate(item)) for item in kept if item.in_doubt]
    rest = []
    for item in surplus:
        own = rate(item)
        mark = next((one for one in marked if own and one[1] == own and abs(one[0] - item.time) <= COPIES_WITHIN), None)
        if mark:
            marked.remove(mark)
        else:
            rest.append(item)
    return rest


def missing_beats(trace, samples, series):
    """Returns, by monitor, the number of sent intervals that are in no series. Frames after the last stored one are not
    counted, because they arrived while the gateway was stopping. If several frames have the rate of the last stored
    sample, the first of them counts as the last stored frame."""
    missing = {}
    for address, (frames, _) in sent_frames(trace).items():
        same, ahead, sent = rate_of(address), iter(frames), 0
        for sample in stored(samples, address):
            for one in ahead:
                sent += len(one.rr)
                if same(one, sample):
                    break
        missing[address] = sent - sum(len(intervals(row)) for row in series if monitor(row) == address)
    return {address: count for address, count in missing.items() if count > 0}


def beats_of_stored(trace, samples, tolerance=3.0, late=None):
    """Returns by monitor the number of sent intervals, and how many of them are in stored frames."""
    late, counts = tolerance if late is None else late, {}
    for address, (frames, _) in sent_frames(trace).items():
        pairs = align(frames, stored(samples, address), 0.0, tolerance, rate_of(address), late)
        counts[address] = sum(len(one.rr) for one in frames), sum(len(frames[i].rr) for i, _ in pairs)
    return counts


def is_told(live, replay, gaps, late=1.0):
    """Compares the (time, rate) pairs of a live run with those of a replay of its capture. Returns whether they are the
    same, in order, except for replayed pairs in a gap of the live run. Times of the capture are the controller's. The
    gateway receives a frame up to `late` seconds after that."""
    def is_same(one, other):
        return one[1] == other[1] and -0.1 <= one[0] - other[0] <= late

    def may_be_lost(time):
        return any(seconds(gap["start"]) - late < time < (seconds(gap["end"]) if gap["end"] else math.inf) for gap in gaps)

    matched = {0}       # the possible numbers of live pairs that match the replay so far
    for told in replay:
        taken = {count + 1 for count in matched if count < len(live) and is_same(live[count], told)}
        matched = taken | matched if may_be_lost(told[0]) else taken
    return len(live) in matched


def span_problems(gaps, kept, without, late):
    """Yields the problems with the start and end times of one monitor's gaps, as parts of sentences.

    kept: when the stored frames were received. without: when frames without a rate were sent, on the same clock. These
    may begin or end a gap too, and arrive up to `late` seconds later."""
    def text(time):
        return datetime.fromtimestamp(time).isoformat()

    def at_frame(time):
        return (any(abs(time - other) <= EXACT for other in kept)
                or any(-0.25 <= time - other <= late for other in without))

    gaps = sorted(gaps, key=lambda gap: gap["start"])
    for number, gap in enumerate(gaps):
        start, end = seconds(gap["start"]), seconds(gap["end"]) if gap.get("end") else float("inf")
        named = f"the gap of {gap['cause']} from {text(start)}"
        inside = [time for time in kept if start + EXACT < time < end - EXACT]
        if end == float("inf"):
            if inside or number + 1 < len(gaps):
                yield f"{named} is open, although frames came later"
        else:
            if inside:
                yield f"{named} to {text(end)} has {len(inside)} stored frames in it"
            if number + 1 < len(gaps) and seconds(gaps[number + 1]["start"]) < end - EXACT:
                yield f"{named} overlaps the next one"
            if not at_frame(end):
                yield f"{named} ends at {text(end)} without a frame"
        # The first gap begins when the gateway starts, before any frame, so its start is not checked.
        if not at_frame(start) and any(time < start for time in kept):
            yield f"{named} begins without a frame"


def spans_by_order(pairs, frames, kept, spans):
    """Returns the indices of the frames that are not stored, but are in a gap from the stored frame before them to the
    stored frame after them. On a slow machine the receipt times, and so the times of gaps, are much later than the send
    times."""
    places, told = [-1, *(i for i, _ in pairs), len(frames)], set()
    times = [None, *(kept[j].time for _, j in pairs), None]
    for (low, start), (high, end) in zip(zip(places, times), zip(places[1:], times[1:])):
        if start is not None and any(abs(first - start) <= EXACT and
                                     (abs(last - end) <= EXACT if end is not None else last == math.inf)
                                     for first, last in spans):
            told.update(range(low + 1, high))
    return told


def is_explained(frames, kept, offset, tolerance, same, late, spans, told):
    """Returns whether the stored samples can be matched to frames, in order, so that each unmatched frame is in a gap.
    A gap from one stored sample to the next contains all frames between them. Otherwise `told` says, by the frame's
    time, whether the frame is in a gap. With repeated rates and a late machine, a matching that is not the best one by
    time may be valid.

    Frames after the last stored one must be in a gap that begins at it."""
    untold = [0, *itertools.accumulate(not one for one in told)]

    def is_gap(start, end):
        # No gap begins at a frame before the first stored one. Whether a frame is in a gap is then decided by its time.
        return start is not None and any(
            abs(first - start) <= EXACT and (last == math.inf if end is None else abs(last - end) <= EXACT) for first, last in spans)

    def follow(places, count, is_whole):
        return any(place < count and (is_whole or untold[count] == untold[place + 1]) for place in places)

    places, before = {-1}, None
    for one in kept:
        is_whole = is_gap(before, one.time)
        places = {i for i, frame in enumerate(frames)
                  if -tolerance <= one.time - offset - frame.time <= late and same(frame, one) and follow(places, i, is_whole)}
        before = one.time
    return follow(places, len(frames), is_gap(before, None))


def lateness(pairs, frames, kept):
    """Returns the delay in seconds within which nine in ten of the stored frames were received, without a correction of
    the clocks."""
    own = sorted(kept[j].time - frames[i].time for i, j in pairs)
    return own[math.ceil(0.9 * len(own)) - 1] if own else 0.0


def compare(trace, samples, gaps=(), beats=None, offset=None, tolerance=3.0, slack=0.25, late=None, prompt=None):
    """Prints the table, and returns the problems as sentences. A machine may receive a frame up to `late` seconds
    after it was sent.

    prompt: the time in seconds within which nine in ten of each monitor's frames must be stored; None: no limit."""
    late = tolerance if late is None else late
    sent = sent_frames(trace)
    kept = {address: stored(samples, address) for address in sent}
    problems = [f"{monitor(row)}: a sample of a strap that is not in the trace"
                for row in samples if monitor(row) not in kept]
    if offset is None:
        apart = [kept[address][j].time - frames[i].time for address, (frames, _) in sent.items()
                 for i, j in align(frames, kept[address], 0.0, tolerance, rate_of(address), late)]
        offset = statistics.median(apart) if apart else 0.0
    print(f"the samples' clock is {offset:+.3f} s from the trace's")
    print(f"{'monitor':<19}{'sent':>7}{'no rate':>9}{'stored':>8}{'in gaps':>9}{'lost':>6}{'foreign':>9}")
    for address, (frames, without) in sorted(sent.items()):
        own = [gap for gap in gaps if gap["monitor"] == address]
        spans = [(seconds(gap["start"]), seconds(gap["end"]) if gap.get("end") else float("inf")) for gap in own]
        pairs = align(frames, kept[address], offset, tolerance, rate_of(address), late)
        matched, known = {i for i, _ in pairs}, {j for _, j in pairs}
        told = spans_by_order(pairs, frames, kept[address], spans)
        missing = [(i, one.time) for i, one in enumerate(frames) if i not in matched]
        in_time = [any(start - slack <= one.time + offset <= end + slack for start, end in spans) for one in frames]
        lost = [time for i, time in missing if i not in told and not in_time[i]]
        if lost and len(known) == len(kept[address]) and is_explained(
                frames, kept[address], offset, tolerance, rate_of(address), late, spans, in_time):
            lost = []
        foreign = unexcused([item for j, item in enumerate(kept[address]) if j not in known], kept[address],
                            {one.bpm for one in frames}, address)
        print(f"{address:<19}{len(frames):>7}{len(without):>9}{len(pairs):>8}{len(missing) - len(lost):>9}{len(lost):>6}"
              f"{len(foreign):>9}")
        slowly = lateness(pairs, frames, kept[address])
        if prompt is not None and slowly > prompt:
            problems.append(f"{address}: one frame in ten is stored more than {slowly:.1f} s after it was sent")
        for time in lost[:3]:
            problems.append(f"{address}: the frame sent at {datetime.fromtimestamp(time + offset).isoformat()} is "
                            "neither stored nor in a gap")
        for item in foreign[:3]:
            problems.append(f"{address}: {item.bpm} at {datetime.fromtimestamp(item.time).isoformat()} is stored, but "
                            "this rate was not sent then, or less often")
        problems += [f"{address}: {problem}" for problem in span_problems(
            own, [item.time for item in kept[address]], [time + offset for time in without], late)]
        if beats is not None:
            # Sort the series by their ends. In a flood, a strap sends more heartbeats than fit into the elapsed time,
            # so a series that begins later in the trace may have an earlier start. Possible copies are in separate,
            # marked series.
            own_beats = sorted((series for series in beats if monitor(series) == address and
                                IN_DOUBT not in (series.get("metadata") or {})), key=lambda series: series["end"])
            kept_beats = [ticks for series in own_beats for ticks in intervals(series)]
            place = first_foreign(kept_beats, [ticks for one in frames for ticks in one.rr])
            if place is not None:
                problems.append(f"{address}: interval {place} of {len(kept_beats)}, {kept_beats[place]} ticks, was not "
                                "sent in this order")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace")
    parser.add_argument("samples")
    parser.add_argument("gaps", nargs="?")
    parser.add_argument("--beats", metavar="SERIES")
    parser.add_argument("--clock-offset", type=float, metavar="S", help="samples' clock minus the trace's (default: found)")
    parser.add_argument("--tolerance", type=float, default=3.0, metavar="S", help="a sample this far off is another one")
    parser.add_argument("--slack", type=float, default=0.25, metavar="S", help="a gap's ends may be this inexact")
    chosen = parser.parse_args()
    problems = compare(rows(chosen.trace), rows(chosen.samples), rows(chosen.gaps) if chosen.gaps else [],
                       rows(chosen.beats) if chosen.beats else None, chosen.clock_offset, chosen.tolerance, chosen.slack)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
