"""A stand-in for the server with the same API and generated data.

All data depends on the time of its creation: a strap with 60 to 80 beats a minute in each second of the last
400 days, a gap, a spike of one second, a second source that overlaps, and names that contain markup. It
records requests, and can be made to fail."""

import bisect
import io
import json
import math
import pathlib
import sys
import threading
import time
import zipfile
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse
from zoneinfo import ZoneInfo

PAGE = pathlib.Path(__file__).resolve().parents[3] / "Sources/HealthPage/Page"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; "
    "manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
}
SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000

STRAP = "org.hrgate.monitor.C0:FF:EE:00:00:01"
WATCH = "com.example.watch"
NEAR = "C0:FF:EE:00:00:07"
HOSTILE = "<img src=x onerror=\"document.title='broken into'\"> \u202egnp.exe"
TOKEN = "5f0e"


# Fields that are times. They are milliseconds in the world, and ISO 8601 text in JSON and in addresses.
TIMES = {"start", "end", "from", "to", "time", "first", "last", "asked"}
TIMES |= {"opened", "lastUsed", "enrolled", "lastSeen"}
EPOCH = datetime(1970, 1, 1)


def sent(value):
    """Converts a value of the world to JSON. Times in the points of charts stay numbers."""
    if isinstance(value, list):
        return [sent(each) for each in value]
    if not isinstance(value, dict):
        return value
    is_compact = "form" in value or "marks" in value
    return {
        key: (EPOCH + timedelta(microseconds=round(each * 1000))).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        if key in TIMES and isinstance(each, (int, float)) and not is_compact
        else sent(each)
        for key, each in value.items()
    }


def heard(asked):
    """Converts the fields of a request to values of the world."""
    return {key: milliseconds(value) if key in TIMES else value for key, value in asked.items()}


def linked(href):
    """Returns the parameters of an address as values of the world."""
    return heard({key: values[0] for key, values in parse_qs(urlparse(href).query).items()})


def milliseconds(text):
    try:
        time = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ") - EPOCH
    except (TypeError, ValueError):
        return text
    found = time // timedelta(microseconds=1) / 1000
    return int(found) if found.is_integer() else found


def named(asked, kind):
    """Returns the name of a file with the samples in a range, in the form of DownloadName.swift."""
    if "from" not in asked:
        return kind
    first, last = (
        datetime.fromtimestamp(asked[each] / 1000, ZoneInfo("Europe/Berlin")) for each in ("from", "to")
    )
    until = f"{last:%H%M}" if first.date() == last.date() else f"{last:%Y-%m-%d %H%M}"
    return f"{first:%Y-%m-%d %H%M} to {until} {kind}"


# The errors for a file that is no export, as the server words them (ImportError.swift). TransferTests.swift
# compares them.
NO_EXPORT_INSIDE = (
    "It contains no export of Apple's Health app; use the export.zip that the Health app creates, or the "
    "export.xml in it."
)
NO_EXPORT = (
    "This is not an export of Apple's Health app: its root is not HealthData. Import the export.zip that the "
    "Health app creates, or the export.xml in it."
)

# The report before anything was imported.
IMPORT = {"number": 0, "isOver": True, "bytesRead": 0, "records": 0, "stored": 0, "replaced": 0, "outdated": 0,
          "present": 0, "rejected": {}, "unread": {}, "characteristics": []}


class Sparse:
    """The values of a source that does not measure in each second, by second."""

    def __init__(self, values):
        self.values = dict(values)
        self.seconds = sorted(self.values)

    def __call__(self, second):
        return self.values.get(second)

    def within(self, start, end):
        """Returns the seconds with values in a range, which is given in milliseconds."""
        first, last = (bisect.bisect_left(self.seconds, math.ceil(each / SECOND)) for each in (start, end))
        return self.seconds[first:last]


class World:
    """The contents of a store at one time, from which the stand-in answers requests."""

    def __init__(self, is_empty=False):
        self.now = int(time.time()) * SECOND
        self.first = self.now - 400 * DAY
        self.spike = self.now - 100 * DAY
        self.gap = (self.now - 3 * HOUR, self.now - 2 * HOUR)
        # A gap of another monitor, which is not displayed. The strap measured during this gap.
        self.foreign_gap = None
        self.watch = (self.now - 6 * HOUR, self.now - 4 * HOUR)
        # Sources besides the strap and the watch: identifier, name and values.
        self.others = []
        # The number of beats per minute that is added to the strap's values, and the world of the person
        # `anna` if she has one.
        self.faster, self.annas = 0, None
        self.steps_a_day = 1000
        # The sessions of the strap (start and end), the latest first.
        self.wearings = [(self.now - HOUR, self.now - MINUTE), (self.now - 9 * HOUR, self.gap[0])]
        # The value of the latest heart rate in statistics.
        self.newest = 61
        # The straps that have beats: identifier and name.
        self.beating = [(STRAP, "Polar H10 00000001")]
        self.is_empty = is_empty
        self.lock = threading.Lock()
        self.asked, self.posted = [], []
        self.streams = 0
        self.failing = {}
        # Paths whose next request is answered with "too many requests". A path occurs once for each such
        # answer.
        self.busy = []
        self.pulse_age = 0.0
        # The damaged blocks. `met` is the number of blocks found so far if it is not the number of all
        # damaged ones.
        self.damage, self.met = [], None
        # The damaged blocks that the server finds when it reads the newest values for the events.
        self.damage_of_events = []
        # The people of the system, and the person for whom the page was started (`None` for the owner).
        self.people, self.person = [{"name": "me", "isOwner": True}, {"name": "anna"}], None
        # The gateway's report about the beats of the strap: their number, the time of the last one, and the
        # last intervals.
        self.live_beats = None
        self.commits = 0
        # A function that returns the parts of an exported file, or `None` for a fixed file.
        self.parts = None
        # A number in the identifiers of samples. If it changes, the samples are different ones.
        self.generation = 8000
        # The samples of other types than the heart rate, by type, and the units of those that are quantities.
        self.listed, self.listed_units = {}, {}
        # The nights, as the server groups them; blood pressures (time, systolic, diastolic); and further
        # fields of a session's own response.
        self.nights, self.pressures, self.session = [], [], {}
        # The response for the session in progress, with its zones and laps.
        self.ongoing = {}
        # Samples of categories by type. The value is a pair: the names of values in ascending order, and the
        # samples as start, end and index of the name.
        self.categories = {}
        # The normal ranges by source, and the title of the strap's sessions.
        self.normal, self.title = [], None
        # The sources with time in zones: identifier, name and seconds.
        self.zoned = [(STRAP, "Strap", 900)]
        # The sessions of other sources, after those of the strap.
        self.other_sessions = []
        # The activity of the workouts of sessions.
        self.activity = "running"
        # The lowest and the highest value, each with its time.
        self.extremes = {}
        # Whether no gateway is running. The monitors' state is then sent only once.
        self.is_quiet = False
        self.session_over = False
        # The part that a new window opens; the reports of an import, one for each request; and whether an
        # import is running.
        self.opens, self.reports, self.is_importing = "now", [], False
        self.destinations = []
        self.maximum = self.limits = None
        self.medications = []
        self.free, self.maximum_upload = 12_000_000_000, 1 << 33
        self.is_encrypted = False
        # The reason why nothing can be saved; `None` if the store is fine.
        self.store_problem = None
        # The secret that unlocks the store (`None` if the store is not locked), and whether it is a
        # passphrase and not a file.
        self.passphrase, self.has_passphrase = None, True
        self.pending = [
            {
                "id": 17,
                "asked": self.now - MINUTE,
                "application": "net.example.diary",
                "name": HOSTILE,
                "read": ["heartRate", "restingHeartRate"],
                "share": ["sleepAnalysis"],
                "readPurpose": "To show your <b>pulse</b>.",
            }
        ]
        self.permissions = [
            {
                "application": "org.example.coach",
                "name": "Coach",
                "type": "heartRate",
                "share": False,
                "read": True,
                "objects": 0,
                "lastRead": self.now - 20 * MINUTE,
            },
            {"application": "org.example.coach", "name": "Coach", "type": "stepCount", "objects": 12},
        ]
        # The pages of workouts that are sessions, by their UUID; and the note about each session.
        self.workouts, self.note = {}, None
        # The curve of each electrocardiogram.
        self.curve = None
        self.order = [STRAP, WATCH]
        self.counts = {"total": 3}
        # The number of heart rates of each source.
        self.rates = {STRAP: 12_000, WATCH: 6000}
        # The samples that were added; and the refusals of new samples, by the text of their value.
        self.added, self.refused = [], {}
        self.radio = {"number": 0, "isOver": True, "heard": [], "sentences": []}
        self.enrolled, self.forgotten, self.persons = [], set(), []

    # Each source has one value a second. Those of the strap vary from 60 to 80 within each minute, and those
    # of the watch from 90 to 110.

    def strap(self, second):
        at = second * SECOND
        if self.is_empty or not self.first <= at < self.now or self.gap[0] <= at < self.gap[1]:
            return None
        swing = round(10 * math.sin(2 * math.pi * (second % 60) / 60))
        return 231 if at == self.spike else 70 + self.faster + swing

    def worn(self, second):
        at = second * SECOND
        if self.is_empty or not self.watch[0] <= at < self.watch[1]:
            return None
        return 100 + round(10 * math.sin(2 * math.pi * (second % 60) / 60))

    def sources(self, asked):
        both = [(STRAP, "Polar H10 00000001", self.strap), (WATCH, HOSTILE, self.worn)]
        return [each for each in both + self.others if not asked or each[0] == asked]

    def bucket(self, values, start, end):
        """Returns minimum, maximum, average and count of a range, without reading each second of a long
        one."""
        first, last = math.ceil(start / SECOND), math.ceil(end / SECOND)
        if isinstance(values, Sparse):
            found = [values(second) for second in values.within(start, end)]
        elif last - first <= 600:
            found = [value for value in map(values, range(first, last)) if value is not None]
        else:
            # Some seconds of each minute are enough, if the seconds around gaps, the spike and the bounds are
            # added.
            seconds = set(range(first, last, max(1, (last - first) // 240)))
            for edge in (*self.gap, *self.watch, self.spike, self.first, self.now):
                seconds.update(range(max(first, edge // SECOND - 60), min(last, edge // SECOND + 60)))
            middle = (self.watch[0] + self.watch[1]) // (2 * SECOND)
            seconds.update(range(max(first, middle), min(last, middle + 60)))
            seconds.update(range(first, min(last, first + 60)))
            found = [value for value in map(values, sorted(seconds)) if value is not None]
        if not found:
            return None
        return min(found), max(found), round(sum(found) / len(found), 2), len(found)

    def statistics(self, asked, start, end):
        parts = [
            (source, name, self.bucket(values, start, end)) for source, name, values in self.sources(asked)
        ]
        parts = [part for part in parts if part[2]]
        answer = {"type": "heartRate", "unit": "count/min", "count": sum(part[2][3] for part in parts)}
        if parts:
            answer.update(
                {
                    "start": start,
                    "end": end,
                    "min": min(part[2][0] for part in parts),
                    "max": max(part[2][1] for part in parts),
                    "average": sum(part[2][2] * part[2][3] for part in parts) / answer["count"],
                    "latest": {
                        "value": self.newest,
                        "time": min(end, self.now) - SECOND,
                        "source": STRAP,
                        "name": "Polar H10 00000001",
                    },
                    "sources": [{"source": source, "name": name} for source, name, _ in parts],
                }
            )
        return answer

    @staticmethod
    def grid(start, end, pixels):
        """Returns the start and the length of the steps. A length of 15 minutes or more is rounded up to
        whole hours."""
        seconds = max(1, math.ceil((end - start) / SECOND / pixels))
        seconds = seconds if seconds < 900 else math.ceil(seconds / 3600) * 3600
        unit = SECOND if seconds < 3600 else HOUR
        return start // unit * unit, seconds * SECOND

    def series(self, asked, start, end, pixels):
        sources = self.sources(asked)
        answer = {"type": "heartRate", "unit": "count/min", "statistics": self.statistics(asked, start, end)}
        seconds = [
            values.within(start, end)
            if isinstance(values, Sparse)
            else range(math.ceil(start / SECOND), math.ceil(end / SECOND))
            for _, _, values in sources
        ]
        if sum(map(len, seconds)) <= 2 * pixels:
            rows = sorted(
                (second * SECOND, value, place)
                for place, (_, _, values) in enumerate(sources)
                for second in seconds[place]
                if (value := values(second)) is not None
            )
            return answer | {
                "form": "samples",
                "sources": [{"source": source, "name": name} for source, name, _ in sources],
                "time": [row[0] for row in rows],
                "value": [row[1] for row in rows],
                "from": [row[2] for row in rows],
            }
        start, step = self.grid(start, end, pixels)
        found = []
        for i in range(math.ceil((end - start) / step)):
            each = [self.bucket(values, start + i * step, start + (i + 1) * step) for _, _, values in sources]
            each = [part for part in each if part]
            found.append(
                each
                and (min(p[0] for p in each), max(p[1] for p in each), each[0][2], sum(p[3] for p in each))
            )

        def column(k):
            return [part[k] if part else None for part in found]

        return answer | {
            "form": "ranges",
            "start": start,
            "step": step,
            "low": column(0),
            "high": column(1),
            "average": column(2),
            "count": [part[3] if part else 0 for part in found],
        }

    def intervals(self, asked, start, end, every):
        length = int(every[:-1]) * {"m": MINUTE, "h": HOUR, "d": DAY}[every[-1]]
        found = []
        for at in range(int(start), int(end), length):
            parts = [self.bucket(values, at, at + length) for _, _, values in self.sources(asked)]
            parts = [part for part in parts if part]
            if parts:
                found.append(
                    {
                        "start": at,
                        "end": at + length,
                        "min": min(p[0] for p in parts),
                        "max": max(p[1] for p in parts),
                        "average": parts[0][2],
                        "count": sum(p[3] for p in parts),
                    }
                )
        return {"type": "heartRate", "unit": "count/min", "intervals": found}

    def steps(self, start, end, every):
        """Returns sums of steps. Each day has the same number of steps, spread evenly."""
        length = int(every[:-1]) * {"h": HOUR, "d": DAY}[every[-1]] if every else end - start
        parts = [
            {"start": at, "end": at + length, "count": 9, "sum": round(self.steps_a_day * length / DAY)}
            for at in range(int(start), int(end), int(length))
        ]
        answer = {"type": "stepCount", "unit": "count"}
        return answer | ({"intervals": parts} if every else parts[0])

    def rests(self, start, end):
        """Returns the resting heart rates, one a day."""
        days = [at for at in range(self.first, self.now, DAY) if start <= at < end]
        return {
            "type": "restingHeartRate",
            "unit": "count/min",
            "form": "samples",
            "sources": [{"source": WATCH, "name": HOSTILE}],
            "time": days,
            "value": [50 + at // DAY % 9 for at in days],
            "from": [0 for _ in days],
        }

    def monitors(self):
        moment = time.time() * SECOND
        strap = {
            "address": "C0:FF:EE:00:00:01",
            "source": STRAP,
            "name": "Polar H10 00000001",
            "state": "following",
            "battery": 12,
            "bonded": True,
            "enrolled": self.first,
            "lastSeen": moment,
            "contact": True,
            "heartRate": 71,
            "time": moment - self.pulse_age * SECOND,
            "age": self.pulse_age,
            "measurements": 9,
        }
        if self.live_beats:
            strap["beats"] = self.live_beats
        lost = {
            "address": "C0:FF:EE:00:00:02",
            "source": "org.hrgate.monitor.C0:FF:EE:00:00:02",
            "name": HOSTILE,
            "state": "bond-lost",
            "advice": "Pair the monitor again: hrgate pair C0:FF:EE:00:00:02",
            "bonded": False,
            "enrolled": self.first,
            "heartRate": 64,
            "time": self.now - HOUR,
            "age": 3600,
        }
        gateway = {"isRunning": True, "onBus": True, "summary": "2 monitors: 1 bond-lost, 1 following"}
        known = ([] if self.is_empty else [strap, lost]) + self.enrolled
        return {
            "gateway": gateway,
            "monitors": [each for each in known if each["address"] not in self.forgotten],
        }

    def beats(self, start, end, pixels):
        if self.is_empty or (end - start) / 850 > 2 * pixels:
            step = max(1, math.ceil((end - start) / pixels))
            count = math.ceil((end - start) / step)
            recording = {
                "form": "ranges",
                "start": start,
                "step": step,
                "low": [800.0] * count,
                "high": [900.0] * count,
                "average": [850.0] * count,
                "count": [9] * count,
            }
        else:
            intervals = [850 + 50 * math.sin(i / 4) for i in range(int((min(end, self.now) - start) / 850))]
            marks = [1 if i % 50 == 20 else 0 for i in range(len(intervals))]
            recording = {"form": "intervals", "segments": [{"start": start, "rr": intervals, "marks": marks}]}
        return {
            "recordings": []
            if self.is_empty
            else [{"source": source, "name": name} | recording for source, name in self.beating]
        }

    def series_of_beats(self, asked, start, end, limit):
        """Returns heartbeat series. Each strap has one for every five minutes of the last day. A series is
        listed if it begins in the range, and not if it only reaches into it."""
        who = [(source, name) for source, name in self.beating if asked in (None, source)]
        begun = range(self.now - 5 * MINUTE, self.now - DAY - 1, -5 * MINUTE)
        common = {"type": "HKDataTypeIdentifierHeartbeatSeries", "beatCount": 350, "metadata": {}}
        rows = [
            common | {"uuid": f"{source} {at}", "source": {"bundleIdentifier": source, "name": name}}
            | {"start": at, "end": at + 5 * MINUTE}
            for at in begun if start <= at < end for source, name in who
        ]
        return {"samples": [] if self.is_empty else rows[:limit]}

    def variability(self, start, end, length):
        length = int(length[:-1]) * {"s": SECOND, "m": MINUTE, "h": HOUR, "d": DAY}[length[-1]]
        if not 10 * SECOND <= length <= DAY:
            return None
        window = {
            "source": STRAP,
            "name": "Polar H10 00000001",
            "beats": 350,
            "coverage": 0.97,
            "artefacts": 0.02,
            "rmssd": 42.04,
            "sdnn": 51.0,
            "lnRMSSD": 3.74,
            "pnn50": 18.0,
            "meanNN": 850.0,
            "sd1": 30.0,
            "sd2": 66.0,
            "lfhf": 1.2,
            "withheld": {"dfaAlpha1": "window-too-short"},
        }
        refused = {
            "source": STRAP,
            "name": "x",
            "beats": 3,
            "coverage": 0.1,
            "artefacts": 0,
            "refused": "low-coverage",
        }
        starts = [start + k * length for k in range(int((end - start) // length))]
        return {
            "windows": [
                (refused if k == 1 else window) | {"start": at, "end": at + length}
                for k, at in enumerate(starts)
            ]
        }

    def samples(self, asked, kind, limit, after):
        if kind in self.listed:
            common = {"type": kind, "source": {"bundleIdentifier": WATCH, "name": "Watch"}, "metadata": {}}
            rows = [common | {"uuid": f"{k}", "start": self.now, "end": self.now} | each
                    for k, each in enumerate(self.listed[kind])]
            return {"samples": rows}
        rows = []
        for i in range(int(after), int(after) + limit):
            source, name, _ = self.sources(asked)[i % len(self.sources(asked))]
            rows.append(
                {
                    "uuid": f"00000000-0000-8000-{self.generation:04}-{i:012}",
                    "type": f"HKQuantityTypeIdentifier{kind[0].upper()}{kind[1:]}",
                    "start": self.now - i * SECOND,
                    "end": self.now - i * SECOND,
                    "value": 60 + i % 9,
                    "unit": "count/min",
                    "source": {"bundleIdentifier": source, "name": name},
                    "device": {"name": HOSTILE},
                    "metadata": {"<b>key</b>": "<i>value</i>"},
                }
            )
        return {"samples": [] if self.is_empty else rows, "next": str(int(after) + limit)}

    def worn_session(self, source, start, asked):
        """Returns the session that contains a time."""
        a, b = next(each for each in self.wearings if each[0] - 1 <= start <= each[1])
        common = {"source": source, "name": "Polar H10 00000001", "start": a, "end": b, "count": 9}
        common |= {"title": self.title} if self.title else {}
        answer = {
            "unit": "count/min",
            "session": common | {"min": 60, "max": 80, "average": 70.0},
            "lowest": {"value": 60, "time": a + MINUTE},
            "highest": {"value": 80, "time": a + 2 * MINUTE},
            "workouts": [],
        }
        if "maximum" in asked:
            zones = [{"zone": k, "seconds": 60 * k, **({"lower": 40 + 10 * k} if k else {}),
                      **({"upper": 50 + 10 * k} if k < 5 else {})} for k in range(6)]
            answer["zones"] = {"source": source, "start": a, "end": b, "known": 900, "zones": zones,
                               "edwards": 55.0}
        if "end" in asked:
            answer["recovery"] = {"source": source, "end": float(asked["end"]), "peak": 80,
                                  "afterOneMinute": 62.5, "recovery": 17.5}
        answer |= {"note": self.note} if self.note else {}
        return answer | self.session

    def answer(self, path, asked):
        """Returns the response to a GET request, or `None` if there is no such route."""
        if self.annas and asked.get("person") == "anna":
            return self.annas.answer(path, {key: value for key, value in asked.items() if key != "person"})
        start, end = float(asked.get("from", self.first)), float(asked.get("to", self.now))
        source, pixels = asked.get("source"), int(asked.get("pixels", 100))
        type_ = {
            "type": "heartRate",
            "kind": "quantity",
            "unit": "count/min",
            "style": "discrete",
            "count": 34_560_000 + self.commits,
            "canAdd": True,
        }
        bounds = {"first": self.first, "last": self.now - SECOND}
        beats = {"type": "heartbeatSeries", "kind": "series", "count": 1200 + self.commits, "end": self.now}
        beats |= bounds
        rest = {
            "type": "restingHeartRate",
            "kind": "quantity",
            "unit": "count/min",
            "style": "discrete",
            "count": 400 + self.commits,
            "canAdd": True,
        } | bounds
        steps = {"type": "stepCount", "kind": "quantity", "unit": "count", "style": "cumulative"}
        match path:
            case "/api/session":
                return {
                    "csrf": TOKEN,
                    **({"person": self.person} if self.person else {}),
                    "people": self.people,
                    "store": "/tmp/store",
                    "isEmpty": self.is_empty,
                    "hasGateway": True,
                    "opens": self.opens,
                    "version": "0",
                    "time": time.time() * SECOND,
                }
            case "/api/lock":
                return {"csrf": TOKEN, "store": "/tmp/store", "isLocked": self.passphrase is not None,
                        "hasPassphrase": self.has_passphrase}
            case "/api/damage":
                return {"blocks": self.damage} | ({"store": self.store_problem} if self.store_problem else {})
            case "/api/import":
                if not self.is_importing:
                    return IMPORT
                return self.reports.pop(0) if len(self.reports) > 1 else self.reports[0]
            case "/api/storage":
                return {"store": "/home/me/health.sqlite", "size": 83_400_000, "free": self.free,
                        "samples": 0 if self.is_empty else 41_833, "maximumUpload": self.maximum_upload,
                        "isEncrypted": self.is_encrypted,
                        "destinations": self.destinations}
            case "/api/entry":
                numbers = {"kind": "quantity", "needsDuration": False, "mayBeOngoing": False}
                sleep = {"kind": "category", "needsDuration": True, "mayBeOngoing": False}
                symptom = sleep | {"needsDuration": False, "choices": ["notPresent", "mild", "severe"]}
                return {
                    "types": [
                        {"type": "bodyMass", "unit": "kg", "units": ["kg", "lb"]} | numbers,
                        {"type": "sleepAnalysis", "choices": ["inBed", "asleepCore"]} | sleep,
                        {"type": "bloodPressure", "unit": "mmHg", "units": ["mmHg"]}
                        | numbers | {"kind": "pressure"},
                        {"type": "headache"} | symptom,
                        {"type": "stepCount", "unit": "count", "units": ["count"]} | numbers,
                    ]
                }
            case "/api/types":
                steps |= {"count": 400, "canAdd": True} | bounds
                others = [
                    {"type": kind, "kind": "category" if kind in self.categories else "other", "count": len(rows), "canAdd": kind != "workout"} | bounds
                    | ({"kind": "quantity", "unit": self.listed_units[kind], "style": "discrete"}
                       if kind in self.listed_units else {})
                    for kind, rows in self.listed.items()
                ]
                known = [type_ | bounds, *([beats] if self.beating else []), rest, steps]
                sleep = {"type": "sleepAnalysis", "kind": "category", "count": 9} | bounds
                known += [sleep | {"end": self.now}] if self.nights else []
                return {"types": [] if self.is_empty else known + others}
            case "/api/series" if asked["type"] == "restingHeartRate":
                return self.rests(start, end)
            case "/api/statistics" if asked["type"] == "stepCount":
                return self.steps(start, end, asked.get("every"))
            case "/api/series":
                return self.series(source, start, end, pixels)
            case "/api/statistics" if "every" in asked:
                return self.intervals(source, start, end, asked["every"])
            case "/api/statistics":
                return self.statistics(source, start, end)
            case "/api/gaps":
                gap = {
                    "monitor": "C0:FF:EE:00:00:01",
                    "source": STRAP,
                    "name": "Polar H10 00000001",
                    "start": self.gap[0],
                    "end": self.gap[1],
                    "cause": "link-loss",
                    "text": "link lost",
                }
                gaps = [gap]
                if self.foreign_gap:
                    first, last = self.foreign_gap
                    gaps.append(
                        gap | {"monitor": NEAR, "source": f"org.hrgate.monitor.{NEAR}", "name": "Near"}
                        | {"start": first, "end": last}
                    )
                return {
                    "gaps": [
                        each
                        for each in gaps
                        if start < each["end"] and end > each["start"] and not self.is_empty
                    ]
                }
            case "/api/samples":
                limit, after = int(asked.get("limit", 100)), asked.get("after", 0)
                if asked["type"] == "heartbeatSeries":
                    return self.series_of_beats(source, start, end, limit)
                return self.samples(source, asked["type"], limit, after)
            case "/api/sources":
                found = [] if self.is_empty else self.sources(None)
                beats = {source: {"heartbeatSeries": 1200} for source, _ in self.beating}
                others = {kind: len(rows) for kind, rows in self.listed.items()}
                return {
                    "sources": [
                        {
                            "source": s,
                            "name": n,
                            "samples": {"heartRate": self.rates.get(s, 100)} | beats.get(s, {}) | others,
                        }
                        for s, n, _ in found
                    ]
                }
            case "/api/order":
                names = {STRAP: "Polar H10 00000001", WATCH: HOSTILE}
                return {
                    "type": asked["type"],
                    "sources": [{"source": s, "name": names[s]} for s in self.order],
                }
            case "/api/permissions":
                return {"permissions": self.permissions, "pending": self.pending}
            case "/api/characteristics":
                return {
                    "characteristics": [
                        {"name": "dateOfBirth", "value": "1980-02-29"},
                        {"name": "biologicalSex", "values": ["female", "male", "other"]},
                    ]
                }
            case "/api/maximum":
                # Estimated from an age of 47 years.
                basis = {"maximum": self.maximum, "origin": "chosen"}
                return {"basis": basis if self.maximum else {"maximum": 175, "origin": "age"},
                        **({"limits": self.limits} if self.limits else {})}
            case "/api/medications":
                return {"medications": self.medications}
            case "/api/units":
                return {
                    "units": [{"type": "bodyMass", "unit": "kg", "isChosen": False, "choices": ["kg", "lb"]}]
                }
            case "/api/goals":
                return {
                    "goals": [
                        {"goal": "activeEnergyBurned", "from": "2026-11-01", "value": 2000, "unit": "kJ"}
                    ],
                    "choices": [
                        {"goal": "activeEnergyBurned", "unit": "kJ"},
                        {"goal": "appleExerciseTime", "unit": "min"},
                        {"goal": "appleStandHours", "unit": "count"},
                    ],
                }
            case "/api/monitors":
                return self.monitors()
            case "/api/radio":
                return self.radio
            case "/api/beats":
                return self.beats(start, end, pixels)
            case "/api/variability":
                return self.variability(start, end, asked.get("window", "5m"))
            case "/api/zones":
                zones = [
                    {
                        "zone": k,
                        "seconds": 60 * k,
                        **({"lower": 80 + 10 * k} if k else {}),
                        **({"upper": 90 + 10 * k} if k < 5 else {}),
                    }
                    for k in range(6)
                ]
                return {
                    "sources": [
                        {"source": source, "name": name, "start": start, "end": end, "known": known}
                        | {"zones": zones}
                        for source, name, known in self.zoned
                    ]
                }
            case "/api/worn":
                return {
                    "sessions": [
                        {
                            "source": STRAP,
                            "name": "Polar H10 00000001",
                            "start": a,
                            "end": b,
                            "count": 9,
                            "min": 60,
                            "max": 80,
                            "average": 70.0,
                            "activity": self.activity,
                            **({"title": self.title} if self.title else {}),
                            **({"load": 30 + k} if "maximum" in asked else {}),
                        }
                        for k, (a, b) in enumerate(self.wearings)
                        if start <= a < end and not self.is_empty
                    ] + self.other_sessions
                }
            case "/api/nights":
                found = [each for each in self.nights if start <= each["from"] < end]
                if asked.get("lowest") != "yes":
                    found = [{key: value for key, value in each.items() if key != "lowest"} for each in found]
                return {"unit": "count/min", "nights": found}
            case "/api/electrocardiogram":
                return self.curve
            case "/api/extremes":
                return {"unit": "count/min"} | self.extremes
            case "/api/worn/ongoing":
                return {"unit": "count/min", "laps": []} | (self.ongoing if source == STRAP else {})
            case "/api/worn/session":
                if "workout" in asked:
                    return self.workouts.get(asked["workout"])
                return self.worn_session(source, float(asked["start"]), asked)
            case "/api/pressures":
                rows = [row for row in self.pressures if start <= row[0] < end]
                times, systolic, diastolic = ([row[k] for row in rows] for k in range(3))
                return {"unit": "mmHg", "sources": [], "time": times, "systolic": systolic,
                        "diastolic": diastolic, "from": [0] * len(rows), "isCut": False}
            case "/api/categories":
                names, rows = self.categories[asked["type"]]
                rows = [row for row in rows if start <= row[0] < end]
                times, ends, values = ([row[k] for row in rows] for k in range(3))
                return {"values": [{"value": k, "name": name} for k, name in enumerate(names)],
                        "time": times, "end": ends, "value": values, "isCut": False}
            case "/api/explanations":
                return {
                    "variability": {"rmssd": "the root of the mean squared difference of neighbours, ms"},
                    "zones": {"edwards": "minutes in each tenth of the maximum"},
                    "recovery": {"recovery": "peak less afterOneMinute, in beats"},
                }
            case "/api/variability/normal":
                return {"days": 7, "before": 60, "sources": self.normal}
            case "/api/summary":
                return {
                    "highlights": [
                        {
                            "type": "heartRate",
                            "kind": "average",
                            "now": {"value": 71.25, "measured": 7},
                            "before": {"value": 73.0, "measured": 20},
                            "unit": "count/min",
                            "days": 7,
                            "beforeDays": 60,
                            "normal": {"mean": 71.25, "low": 71.4, "high": 74.66, "measured": 7, "measuredBefore": 20},
                        }
                    ]
                }
            case "/api/sessions":
                return {
                    "sessions": [
                        {"id": "a", "opened": self.now, "lastUsed": self.now, "isThis": True},
                        {"id": "b", "opened": self.now - DAY, "lastUsed": self.now - DAY, "isThis": False},
                    ]
                }
        return None

    def respond(self, path, body):
        """Returns the response to a POST request."""
        match path:
            case "/api/samples":
                self.added.append(body)
                return {"uuid": "00000000-0000-8000-8000-ADDED0000000"}
            case "/api/worn/note":
                self.note = body["note"]
            case "/api/maximum":
                self.maximum = body["maximum"]
            case "/api/zones/limits":
                self.limits = body["limits"]
            case "/api/permissions/answer":
                self.pending = [each for each in self.pending if each["id"] != body["id"]]
            case "/api/order":
                self.order = body["sources"] or [STRAP, WATCH]
            case "/api/delete/count":
                kinds = [body["type"]] if "type" in body else ["heartRate", "heartbeatSeries"]
                total = self.counts["total"]
                if "uuids" in body:
                    kinds, total = ["heartRate"], len(body["uuids"])
                return {
                    "total": total,
                    "counts": {
                        kind: total - len(kinds) + 1 if k == 0 else 1 for k, kind in enumerate(kinds)
                    },
                    "to": self.now + 0.001,
                }
            case "/api/delete":
                return {"deleted": body["total"]}
            case "/api/radio/hear":
                return self.do_with_radio(
                    "hear",
                    heard=[
                        {
                            "address": NEAR,
                            "name": HOSTILE,
                            "rssi": -61,
                            "isEnrolled": False,
                            "isPaired": False,
                            "isPrivate": False,
                        }
                    ],
                )
            case "/api/radio/enrol":
                return self.do_with_radio(
                    "enrol",
                    monitor=body["monitor"],
                    sentences=["connecting …", "pairing …"],
                    question={"number": 5, "kind": "passkey"},
                )
            case "/api/radio/answer":
                # As with the server, the response comes at once, and the result of pairing is in a later
                # report.
                right = body.get("passkey") == "012345"
                self.radio |= {"isOver": True, "question": None}
                self.radio |= (
                    {"enrolled": {"address": NEAR, "name": "Near"}}
                    if right
                    else {"failure": "Pairing failed: the passkey is another."}
                )
                if right:
                    self.enrolled = [
                        {"address": NEAR, "source": "org.hrgate.monitor." + NEAR, "name": "Near"}
                    ]
            case "/api/radio/stop":
                self.radio |= {"isOver": True, "question": None}
            case "/api/monitors/forget":
                self.forgotten.add(body["monitor"])
                return self.do_with_radio("forget", monitor=body["monitor"], isOver=True)
        return {}

    def do_with_radio(self, kind, **rest):
        number = self.radio["number"] + 1
        self.radio = {"number": number, "kind": kind, "isOver": False, "heard": [], "sentences": []} | rest
        return self.radio


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body, kind="application/json", fields=None):
        if not isinstance(body, bytes):
            body = json.dumps(sent(body), separators=(",", ":")).encode()
        self.send_response(status)
        headers = {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "Content-Security-Policy": POLICY,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
        }
        if kind == "application/json":
            world = self.server.world
            headers["X-HRGate-Damaged-Blocks"] = str(len(world.damage) if world.met is None else world.met)
        for name, value in (headers | (fields or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        world, url = self.server.world, urlparse(self.path)
        asked = linked(self.path)
        if not url.path.startswith("/api/"):
            return self.file("/index.html" if url.path == "/" else url.path)
        with world.lock:
            world.asked.append((url.path, asked))
        if world.session_over:
            return self.reply(401, {"error": "session", "message": "The session has ended."})
        if world.passphrase is not None and url.path != "/api/lock":
            return self.reply(423, {"error": "locked", "message": "The store is encrypted and locked."})
        if url.path in world.failing:
            return self.reply(503, {"error": "store", "message": world.failing[url.path]})
        if url.path in world.busy:
            world.busy.remove(url.path)
            return self.reply(429, {"error": "busy", "message": "That is much at a time."})
        if url.path == "/api/events":
            return self.events()
        if url.path in ("/api/export.csv", "/api/export.rr"):
            name = named(asked, "rr.txt" if url.path.endswith("rr") else f"{asked['type']}.csv")
            named_so = {"Content-Disposition": f'attachment; filename="{name}"'}
            return (self.write(world.parts) if world.parts
                    else self.reply(200, b"812\n", "text/plain", named_so))
        answer = world.answer(url.path, asked)
        self.reply(200, answer) if answer is not None else self.reply(
            404, {"error": "unknown", "message": "No such route."}
        )

    def write(self, parts):
        """Sends a file of unknown length in chunks, one for each part."""
        self.send_response(200)
        self.send_header("Content-Type", "text/csv")
        self.send_header("Content-Disposition", 'attachment; filename="long.csv"')
        self.send_header("Connection", "close")
        self.end_headers()
        for part in parts():
            self.wfile.write(part)
            self.wfile.flush()

    def file(self, path):
        file = PAGE / path.lstrip("/")
        if ".." in path or not file.is_file():
            return self.reply(404, b"", "text/plain")
        self.reply(200, file.read_bytes(), KINDS.get(file.suffix, "text/plain"))

    def events(self):
        world = self.server.world
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        with world.lock:
            commits = world.commits
            world.streams += 1
        try:
            self.event("hello", {"time": time.time() * SECOND})
            self.event("monitors", world.monitors())
            if world.damage_of_events:
                time.sleep(0.5)
                world.damage = world.damage_of_events
                self.event("latest", {"values": []})
            while not self.server.is_closing and not world.session_over:
                self.event("pending", {"count": len(world.pending)})
                if not world.is_quiet:
                    self.event("monitors", world.monitors())
                if commits != world.commits:
                    commits = world.commits
                    self.event("commit", {"time": time.time() * SECOND})
                time.sleep(0.25)
        except OSError:
            pass
        finally:
            with world.lock:
                world.streams -= 1
            self.close_connection = True

    def event(self, kind, data):
        self.wfile.write(f"event: {kind}\ndata: {json.dumps(sent(data))}\n\n".encode())
        self.wfile.flush()

    def do_POST(self):
        world = self.server.world
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if (
            self.headers.get("X-HRGate-CSRF") != TOKEN
            or self.headers.get("Content-Type")
            != ("application/octet-stream" if self.path == "/api/import" else "application/json")
        ):
            return self.reply(403, {"error": "forbidden", "message": "No token."})
        url = urlparse(self.path)
        path = url.path
        if path == "/api/import":
            return self.upload(body)
        body = heard(json.loads(body))
        with world.lock:
            world.posted.append((path, body))
            if path == "/api/radio/enrol":
                world.persons += parse_qs(url.query).get("person", [])
        if path in world.failing:
            return self.reply(409, {"error": "conflict", "message": world.failing[path]})
        if path == "/api/unlock":
            if body["passphrase"] != world.passphrase:
                message = "this passphrase does not open the store"
                return self.reply(400, {"error": "argument", "message": message})
            world.passphrase = None
        if body.get("value") in world.refused and not body.get("confirmed"):
            return self.reply(*world.refused[body["value"]])
        self.reply(200, world.respond(path, body))


    def upload(self, body):
        """Receives a file, and begins to report its import."""
        world = self.server.world
        with world.lock:
            world.posted.append(("/api/import", body))
            world.is_importing = bool(world.reports)
        if zipfile.is_zipfile(io.BytesIO(body)):
            # A sound archive; the tests have no archive with an export in it.
            return self.reply(400, {"error": "argument", "field": "file", "message": NO_EXPORT_INSIDE})
        if not body.startswith(b"PK"):
            # The server reads the first element of an XML document while it imports.
            world.is_importing, world.reports = True, [IMPORT | {"number": 1, "failure": NO_EXPORT}]
        self.reply(200, world.answer("/api/import", {}))


class StandIn(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, **options):
        super().__init__(("127.0.0.1", 0), Handler)
        self.world, self.is_closing = World(**options), False
        self.address = f"http://127.0.0.1:{self.server_port}/"
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def handle_error(self, request, client_address):
        """Ignores errors of connections that browsers close during a response."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)

    def close(self):
        self.is_closing = True
        self.shutdown()
        self.server_close()
