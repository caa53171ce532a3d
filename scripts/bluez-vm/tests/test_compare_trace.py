"""Run: python3 -m unittest discover scripts/bluez-vm/tests"""
import contextlib
import io
import pathlib
import random
import sys
import unittest
from datetime import datetime, timezone

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from compare_trace import align, compare, frame, Frame  # noqa: E402

ADDRESS, START = "F0:0D:BE:A7:01:01", 1_790_000_000.0


def iso(time):
    return datetime.fromtimestamp(time, timezone.utc).isoformat(timespec="microseconds").replace("+00:00", "Z")


def sample(time, bpm):
    return {"source": {"bundleIdentifier": f"org.hrgate.monitor.{ADDRESS}"}, "start": iso(time), "value": bpm}


def trace(bpms, period=0.25):
    yield {"time": START - 1, "strap": 0, "event": "advertising", "address": ADDRESS}
    for n, bpm in enumerate(bpms):
        yield {"time": START + n * period, "strap": 0, "event": "sent", "n": n + 1,
               "hex": bytes([0x16, bpm]).hex() + (800 + n % 200).to_bytes(2, "little").hex()}


def stored(bpms, offset=0.13, period=0.25):
    jitter = random.Random(1)
    return [sample(START + n * period + offset + jitter.uniform(0, 0.02), bpm) for n, bpm in enumerate(bpms)]


class CompareTraceTests(unittest.TestCase):
    def problems(self, *arguments, **named):
        self.table = io.StringIO()
        with contextlib.redirect_stdout(self.table):
            return compare(*arguments, **named)

    def setUp(self):
        heart = random.Random(7)
        self.bpms = [60 + heart.randrange(12) for _ in range(400)]
        self.sent = list(trace(self.bpms))

    def test_all_stored(self):
        self.assertEqual(self.problems(self.sent, stored(self.bpms)), [])
        self.assertIn("400", self.table.getvalue())
        self.assertIn("+0.14", self.table.getvalue())

    def test_nothing_stored(self):
        self.assertTrue(self.problems(self.sent, []))

    def test_one_lost(self):
        for place in (0, 1, 200, 398, 399):
            rows = stored(self.bpms)
            del rows[place]
            self.assertEqual(len(self.problems(self.sent, rows)), 1, place)

    def test_one_lost_of_many_equal_ones_is_placed_by_time(self):
        rows = stored([70] * 400)
        del rows[100]
        found = self.problems(list(trace([70] * 400)), rows)
        self.assertEqual(len(found), 1)
        gap = {"monitor": ADDRESS, "start": iso(START + 24.9), "end": iso(START + 25.3), "cause": "linkLost"}
        self.assertEqual(self.problems(list(trace([70] * 400)), rows, [gap], slack=0), [])
        late = {"monitor": ADDRESS, "start": iso(START + 25.5), "end": iso(START + 26), "cause": "linkLost"}
        self.assertEqual(len(self.problems(list(trace([70] * 400)), rows, [late], slack=0)), 1)

    def test_lost_inside_a_gap(self):
        rows = stored(self.bpms)
        del rows[100:140]
        gap = {"monitor": ADDRESS, "start": iso(START + 25.0), "end": iso(START + 35.2), "cause": "linkLost"}
        self.assertEqual(self.problems(self.sent, rows, [gap]), [])
        self.assertEqual(self.problems(self.sent, rows[:140], [gap | {"end": None}]), [])
        self.assertTrue(self.problems(self.sent, rows, [gap | {"end": iso(START + 30)}]))
        self.assertTrue(self.problems(self.sent, rows, [gap | {"monitor": "F0:0D:BE:A7:01:02"}]))

    def test_one_doubled(self):
        rows = stored(self.bpms)
        time = START + 200 * 0.25 + 0.16
        found = self.problems(self.sent, rows[:201] + [sample(time, self.bpms[200])] + rows[201:])
        self.assertEqual(len(found), 1)
        self.assertIn("is stored", found[0])

    def test_two_reordered(self):
        self.bpms[100], self.bpms[101] = 61, 68
        sent = list(trace(self.bpms))
        self.bpms[100], self.bpms[101] = 68, 61
        self.assertEqual(len(self.problems(sent, stored(self.bpms))), 2)

    def test_a_wrong_value(self):
        self.bpms[50] += 1
        self.assertEqual(len(self.problems(self.sent, stored(self.bpms))), 2)

    def test_another_strap(self):
        row = sample(START, 70)
        row["source"]["bundleIdentifier"] = "org.hrgate.monitor.00:00:00:00:00:00"
        self.assertEqual(len(self.problems(self.sent, stored(self.bpms) + [row])), 1)

    def test_frames_without_a_rate_are_expected_nowhere(self):
        odd = [{"time": START + 0.1, "strap": 0, "event": "sent", "hex": text}
               for text in ("", "00", "0100", "0448", "0000")]
        self.assertEqual(self.problems(self.sent + odd, stored(self.bpms)), [])

    def test_beats(self):
        def series(ticks):
            at, beats = 0.0, [{"offset": 0, "precededByGap": True}]
            for interval in ticks:
                at += interval / 1024
                beats.append({"offset": at, "precededByGap": False})
            return {"source": {"bundleIdentifier": f"org.hrgate.monitor.{ADDRESS}"}, "beats": beats}
        ticks = [800 + n % 200 for n in range(400)]
        rows = stored(self.bpms)
        self.assertEqual(self.problems(self.sent, rows, beats=[series(ticks[:150]), series(ticks[160:])]), [])
        self.assertTrue(self.problems(self.sent, rows, beats=[series(ticks[160:]), series(ticks[:150])]))
        self.assertTrue(self.problems(self.sent, rows, beats=[series(ticks[:150] + [500] + ticks[150:])]))

    def test_frame(self):
        self.assertEqual(frame(1.0, bytes.fromhex("1e5000000a020b02")), Frame(1.0, 80, [0x20A, 0x20B]))
        self.assertEqual(frame(1.0, bytes.fromhex("1150000a02")), Frame(1.0, 80, [0x20A]))

    def test_align_against_the_plain_algorithm(self):
        chance = random.Random(3)
        for _ in range(200):
            sent = [Frame(float(n), chance.randrange(3), []) for n in range(chance.randrange(12))]
            rows = [(float(n) + chance.uniform(-1, 1), chance.randrange(3)) for n in range(chance.randrange(12))]
            rows.sort()
            pairs = align(sent, rows, 0.0, 2.0)
            self.assertEqual(len(pairs), self.longest(sent, rows, 2.0))
            for (i, j), (k, l) in zip(pairs, pairs[1:]):
                self.assertTrue(i < k and j < l)
            for i, j in pairs:
                self.assertTrue(sent[i].bpm == rows[j][1] and abs(sent[i].time - rows[j][0]) <= 2.0)

    @staticmethod
    def longest(sent, rows, tolerance):
        table = [[0] * (len(rows) + 1) for _ in range(len(sent) + 1)]
        for i, one in enumerate(sent):
            for j, (time, bpm) in enumerate(rows):
                both = table[i][j] + 1 if bpm == one.bpm and abs(time - one.time) <= tolerance else 0
                table[i + 1][j + 1] = max(table[i][j + 1], table[i + 1][j], both)
        return table[-1][-1]


if __name__ == "__main__":
    unittest.main()
