"""Run: python3 -m unittest discover scripts/bluez-vm/tests"""
import contextlib
import io
import pathlib
import random
import sys
import unittest
from datetime import datetime, timezone

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from compare_trace import Frame, Stored, align, beats_of_stored, compare, frame, identity, is_told, microseconds, missing_beats  # noqa: E402
from straps.heart import counted  # noqa: E402

ADDRESS, START = "F0:0D:BE:A7:01:01", 1_790_000_000.0


def iso(time):
    return datetime.fromtimestamp(time, timezone.utc).isoformat(timespec="microseconds").replace("+00:00", "Z")


def octets(n, bpm):
    return bytes([0x16, bpm]) + (800 + n % 200).to_bytes(2, "little")


def sample(time, value):
    return {"source": {"bundleIdentifier": f"org.hrgate.monitor.{ADDRESS}"}, "start": iso(time), "value": value[1],
            "uuid": identity(ADDRESS, microseconds(iso(time)), value[1])}


def trace(bpms, period=0.25):
    yield {"time": START - 1, "strap": 0, "event": "advertising", "address": ADDRESS}
    for n, bpm in enumerate(bpms):
        yield {"time": START + n * period, "strap": 0, "event": "sent", "n": n + 1, "hex": octets(n, bpm).hex()}


def stored(bpms, offset=0.13, period=0.25):
    jitter = random.Random(1)
    return [sample(START + n * period + offset + jitter.uniform(0, 0.02), octets(n, bpm))
            for n, bpm in enumerate(bpms)]


def gap(start, end, cause="link-loss"):
    """Returns a gap between two samples. If `end` is missing, the gap has no end."""
    return {"monitor": ADDRESS, "start": start["start"], "end": end and end["start"], "cause": cause}


class CompareTraceTests(unittest.TestCase):
    def problems(self, *arguments, **named):
        self.table = io.StringIO()
        with contextlib.redirect_stdout(self.table):
            return compare(*arguments, **named)

    def setUp(self):
        # Each of these rates identifies its frame. The simulated straps send the same sequence.
        self.bpms = [counted(n) for n in range(400)]
        self.sent = list(trace(self.bpms))

    def test_the_rates_of_the_straps_tell_frames_apart(self):
        self.assertEqual(len(set(self.bpms[:161])), 161)
        self.assertTrue(all(40 <= rate <= 200 for rate in self.bpms))

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

    def test_a_copy_is_stored_only_where_it_says_that_it_may_be_one(self):
        rows = stored(self.bpms)
        again = sample(START + 100 * 0.25 + 0.16, octets(100, self.bpms[100]))
        self.assertEqual(len(self.problems(self.sent, rows + [again])), 1)
        again["metadata"] = {"org.hrgate.mayBeCopy": True}
        self.assertEqual(self.problems(self.sent, rows + [again]), [])
        # A mark as a possible copy excuses only one copy, so a second one is a problem.
        other = sample(START + 200 * 0.25 + 0.16, octets(200, self.bpms[200]))
        self.assertEqual(len(self.problems(self.sent, rows + [again, other])), 1)

    def test_a_mark_excuses_a_copy_of_its_own_rate_only(self):
        rows = stored(self.bpms)
        rows[102]["metadata"] = {"org.hrgate.mayBeCopy": True}
        again = sample(START + 100 * 0.25 + 0.16, octets(100, self.bpms[100]))
        self.assertEqual(len(self.problems(self.sent, rows + [again])), 1, "the mark is another frame's")
        never = sample(START + 100 * 0.25 + 0.16, octets(150, 250))
        never["metadata"] = {"org.hrgate.mayBeCopy": True}
        self.assertEqual(len(self.problems(self.sent, rows + [never])), 1, "it was never sent")
        # A mark as a possible copy on either of two equal samples excuses one of them, because it is unknown
        # which one is the copy.
        rows[100]["metadata"] = {"org.hrgate.mayBeCopy": True}
        self.assertEqual(self.problems(self.sent, rows + [again]), [])
        # A mark as a possible copy does not excuse a sample of the same rate that was stored much
        # later.
        late = stored([70] * 400)
        late[10]["metadata"] = {"org.hrgate.mayBeCopy": True}
        twice = sample(START + 300 * 0.25 + 0.16, octets(300, 70))
        self.assertEqual(len(self.problems(list(trace([70] * 400)), late + [twice])), 1)

    def test_one_lost_is_placed(self):
        rows = stored(self.bpms)
        del rows[100]
        self.assertEqual(len(self.problems(self.sent, rows)), 1)
        self.assertEqual(self.problems(self.sent, rows, [gap(rows[99], rows[100])], slack=0), [])
        self.assertEqual(len(self.problems(self.sent, rows, [gap(rows[101], rows[102])], slack=0)), 1)

    def test_lost_inside_a_gap(self):
        rows = stored(self.bpms)
        lost = rows[100:140]
        del rows[100:140]
        self.assertEqual(self.problems(self.sent, rows, [gap(rows[99], rows[100])]), [])
        self.assertEqual(self.problems(self.sent, rows[:100], [gap(rows[99], None)]), [])
        self.assertTrue(self.problems(self.sent, rows, [gap(rows[99], lost[20])]))
        self.assertTrue(self.problems(self.sent, rows, [gap(rows[99], rows[100]) | {"monitor": "F0:0D:BE:A7:01:02"}]))

    def test_a_gap_is_no_wider_than_what_is_missing(self):
        rows = stored(self.bpms)
        lost = rows[100:140]
        del rows[100:140]
        for wide in (gap(rows[98], rows[100]), gap(rows[99], rows[101]), gap(rows[0], rows[-1])):
            found, = self.problems(self.sent, rows, [wide])
            self.assertIn("stored frames in it", found)
        found, = self.problems(self.sent, rows, [gap(rows[99], rows[100]) | {"end": iso(START + 35.1)}])
        self.assertIn("ends at", found)
        found, = self.problems(self.sent, rows, [gap(rows[99], rows[100]) | {"start": lost[0]["start"]}])
        self.assertIn("begins without a frame", found)

    def test_a_late_machine_has_its_gap_where_it_had_the_frames(self):
        rows = stored(self.bpms[:100], offset=0.13)
        rows += stored(self.bpms)[140:]
        for place in range(90, 100):                    # they arrived 6 s late, together, long after the link had ended
            rows[place] = sample(START + 31 + place / 1000, octets(place, self.bpms[place]))
        late = gap(rows[99], rows[100])
        self.assertEqual(self.problems(self.sent, rows, [late], late=30.0), [])
        self.assertTrue(self.problems(self.sent, rows, [late]))
        self.assertTrue(self.problems(self.sent, rows, [gap(rows[89], rows[90])], late=30.0))
        del rows[150]
        self.assertEqual(len(self.problems(self.sent, rows, [late], late=30.0)), 1)

    def test_of_equal_octets_a_late_machine_has_those_that_leave_the_rest_in_a_gap(self):
        # Frames 100 to 103 arrived five seconds late, and frames 104 to 159 never. When frame 103 is stored, a frame
        # with the same bytes is just being sent.
        bpms, late = self.bpms, 20
        sent = list(trace(bpms))
        sent[1 + 103 + late]["hex"] = sent[1 + 103]["hex"]
        rows = stored(bpms)
        for n in range(100, 104):
            rows[n] = sample(START + (n + late) * 0.25 + 0.13, octets(n, bpms[n]))
        kept = rows[:104] + rows[160:]
        gaps = [gap(rows[99], rows[100]), gap(rows[103], rows[160])]
        self.assertEqual(self.problems(sent, kept, gaps, late=30), [])
        # If the gap begins later than the last stored frame before it, the frames between them are lost.
        self.assertTrue(self.problems(sent, kept, [gaps[0], gap(rows[130], rows[160])], late=30))

    def test_before_the_first_that_is_stored_a_gap_excuses_what_was_sent_in_it(self):
        rows = stored(self.bpms)
        begun = {"start": iso(START + 10)}
        self.assertTrue(self.problems(self.sent, rows[100:], [gap(begun, rows[100])], late=30))
        self.assertEqual(self.problems(self.sent[:1] + self.sent[41:], rows[100:], [gap(begun, rows[100])], late=30), [])

    def test_nine_in_ten_are_prompt_where_that_is_asked(self):
        rows = stored(self.bpms)
        for place in range(100, 135):                   # they arrived together, the first of them 9 s late
            rows[place] = sample(START + 33.6 + place / 1000, octets(place, self.bpms[place]))
        self.assertEqual(self.problems(self.sent, rows, late=30.0, prompt=3.0), [])
        slow = stored(self.bpms, offset=5.0)            # all equally late, so it looks like another clock
        self.assertEqual(self.problems(self.sent, slow, late=30.0), [])
        found, = self.problems(self.sent, slow, late=30.0, prompt=3.0)
        self.assertIn("one frame in ten", found)

    def test_no_frame_is_stored_before_it_was_sent(self):
        rows = stored(self.bpms)
        rows[200:] = [sample(START + n * 0.25 - 5, octets(n, bpm)) for n, bpm in enumerate(self.bpms)][200:]
        self.assertTrue(self.problems(self.sent, rows, late=30.0))

    def test_only_the_last_gap_may_be_open(self):
        rows = stored(self.bpms)
        del rows[100:140]
        self.assertEqual(self.problems(self.sent, rows, [gap(rows[99], rows[100]), gap(rows[-1], None)]), [])
        found, = self.problems(self.sent, rows, [gap(rows[99], None)])
        self.assertIn("is open", found)
        self.assertTrue(self.problems(self.sent, rows, [gap(rows[99], None), gap(rows[-1], None)]))

    def test_gaps_do_not_overlap(self):
        rows = stored(self.bpms)
        del rows[100:140]
        whole = gap(rows[99], rows[100])
        found, = self.problems(self.sent, rows, [whole, whole | {"cause": "silence"}])
        self.assertIn("overlaps the next one", found)

    def test_a_gap_before_the_first_frame_begins_with_the_wish_to_follow(self):
        rows = stored(self.bpms)[10:]
        first = gap(rows[0], rows[0]) | {"start": iso(START - 5)}
        self.assertEqual(self.problems(self.sent, rows, [first]), [])

    def test_a_frame_without_a_rate_may_end_a_gap(self):
        rows = stored(self.bpms)
        del rows[100:140]
        odd = {"time": START + 140 * 0.25 - 0.1, "strap": 0, "event": "sent", "hex": "0448"}
        ended = gap(rows[99], rows[100]) | {"end": iso(START + 140 * 0.25)}
        self.assertEqual(self.problems(self.sent + [odd], rows, [ended]), [])
        self.assertTrue(self.problems(self.sent, rows, [ended]))

    def test_one_doubled(self):
        rows = stored(self.bpms)
        again = sample(START + 200 * 0.25 + 0.16, octets(200, self.bpms[200]))
        found = self.problems(self.sent, rows[:201] + [again] + rows[201:])
        self.assertEqual(len(found), 1)
        self.assertIn("is stored", found[0])

    def test_an_identity_of_another_rate_or_time(self):
        for wrong in (sample(START + 50 * 0.25 + 0.14, octets(50, self.bpms[50] + 1)), sample(START, octets(50, self.bpms[50]))):
            rows = stored(self.bpms)
            rows[50]["uuid"] = wrong["uuid"]
            self.assertEqual(len(self.problems(self.sent, rows)), 2)

    def test_equal_rates_at_one_time_are_numbered(self):
        sent, rows = list(trace([70] * 200)), stored([70] * 200)
        for event in sent[101:104]:
            event["hex"] = sent[101]["hex"]
        for number in range(3):
            rows[100 + number] = rows[100] | {"uuid": identity(
                ADDRESS, microseconds(rows[100]["start"]), 70, number)}
        self.assertEqual(self.problems(sent, rows), [])
        del rows[102]
        self.assertEqual(len(self.problems(sent, rows)), 1)

    def test_identity_is_that_of_the_store(self):
        # The same value as in SampleIdentityTests.
        self.assertEqual(identity("F0:0D:BE:A7:07:01", 1_700_000_000_123_456, 72),
                         "018BCFE5-687B-8209-BA8B-64E2FCC659FB")

    def test_two_reordered(self):
        one, other = self.sent[101], self.sent[102]
        one["hex"], other["hex"] = other["hex"], one["hex"]
        self.assertEqual(len(self.problems(self.sent, stored(self.bpms))), 2)

    def test_a_wrong_value(self):
        self.bpms[50] += 1
        self.assertEqual(len(self.problems(self.sent, stored(self.bpms))), 2)

    def test_another_strap(self):
        row = sample(START, octets(0, 70))
        row["source"]["bundleIdentifier"] = "org.hrgate.monitor.00:00:00:00:00:00"
        self.assertEqual(len(self.problems(self.sent, stored(self.bpms) + [row])), 1)

    def test_frames_without_a_rate_are_expected_nowhere(self):
        odd = [{"time": START + 0.1, "strap": 0, "event": "sent", "hex": text}
               for text in ("", "00", "0100", "0448", "0000")]
        self.assertEqual(self.problems(self.sent + odd, stored(self.bpms)), [])

    def test_missing_beats(self):
        def frames():
            yield {"time": START - 1, "strap": 0, "event": "advertising", "address": ADDRESS}
            for n, value in enumerate(values):
                yield {"time": START + n * 0.5, "strap": 0, "event": "sent", "n": n + 1, "hex": value.hex()}

        def series(ticks):
            at, beats = 0.0, [{"offset": 0, "precededByGap": True}]
            for interval in ticks:
                at += interval / 1024
                beats.append({"offset": at, "precededByGap": False})
            return [{"source": {"bundleIdentifier": f"org.hrgate.monitor.{ADDRESS}"}, "beats": beats}]

        # Every other frame has the same rate and no interval. The gateway stops after the fourth of six frames.
        values = [octets(1, 70), b"\x06\x48", octets(2, 70), b"\x06\x48", octets(3, 70), b"\x06\x48"]
        rows = [sample(START + n * 0.5 + 0.1, value) for n, value in enumerate(values[:4])]
        self.assertEqual(missing_beats(list(frames()), rows, series([801, 802])), {})
        self.assertEqual(missing_beats(list(frames()), rows, series([801])), {ADDRESS: 1})
        self.assertEqual(missing_beats(list(frames()), rows, []), {ADDRESS: 2})
        self.assertEqual(missing_beats(list(frames()), [], []), {})
        # An interval of a frame in a gap is not expected in a series.
        self.assertEqual(beats_of_stored(list(frames()), rows), {ADDRESS: (3, 2)})
        self.assertEqual(beats_of_stored(list(frames()), rows[1:]), {ADDRESS: (3, 1)})
        self.assertEqual(beats_of_stored(list(frames()), []), {ADDRESS: (3, 0)})

    def test_beats(self):
        def series(ticks, end):
            at, beats = 0.0, [{"offset": 0, "precededByGap": True}]
            for interval in ticks:
                at += interval / 1024
                beats.append({"offset": at, "precededByGap": False})
            return {"source": {"bundleIdentifier": f"org.hrgate.monitor.{ADDRESS}"}, "beats": beats, "start": iso(end - at),
                    "end": iso(end)}
        ticks = [800 + n % 200 for n in range(400)]
        rows = stored(self.bpms)
        early, late = START + 1, START + 2
        self.assertEqual(self.problems(self.sent, rows, beats=[series(ticks[:150], early), series(ticks[160:], late)]), [])
        self.assertTrue(self.problems(self.sent, rows, beats=[series(ticks[160:], early), series(ticks[:150], late)]))
        self.assertTrue(self.problems(self.sent, rows, beats=[series(ticks[:150] + [500] + ticks[150:], late)]))
        # Storing the same interval twice is allowed only in a series that is marked as a possible copy.
        copy = series(ticks[398:], late)
        self.assertTrue(self.problems(self.sent, rows, beats=[series(ticks, late), copy]))
        copy["metadata"] = {"org.hrgate.mayBeCopy": True}
        self.assertEqual(self.problems(self.sent, rows, beats=[series(ticks, late), copy]), [])
        # In a flood, the series that was recorded later is longer and begins first.
        self.assertEqual(self.problems(self.sent, rows, beats=[series(ticks[160:], late), series(ticks[:150], early)]), [])

    def test_frame(self):
        self.assertEqual(frame(1.0, bytes.fromhex("1e5000000a020b02")), Frame(1.0, 80, [0x20A, 0x20B], bytes.fromhex("1e5000000a020b02")))
        self.assertEqual(frame(1.0, bytes.fromhex("1150000a02")), Frame(1.0, 80, [0x20A], bytes.fromhex("1150000a02")))

    def test_a_replay_has_what_was_lost_in_a_gap_and_no_more(self):
        replay = [(START + n * 0.5, rate) for n, rate in enumerate([70, 71, 72, 73, 74, 75])]
        live = [(time + 0.02, rate) for time, rate in replay]
        open_gap = {"start": iso(live[1][0]), "end": None}
        lost = [{"start": iso(live[1][0]), "end": iso(live[4][0] + 0.3)}]       # 72 and 73 are lost, and 74 is late
        late = live[:2] + [(live[4][0] + 0.3, 74), live[5]]
        self.assertTrue(is_told(live, replay, []))
        self.assertTrue(is_told(late, replay, lost))
        self.assertTrue(is_told(live[:2], replay, [open_gap]))
        self.assertFalse(is_told(late, replay, []), "lost without a gap")
        self.assertFalse(is_told(live[:4], replay, lost), "lost after the gap")
        self.assertFalse(is_told(late + [live[5]], replay, lost), "one more than was sent")
        self.assertFalse(is_told([(time + 2, rate) for time, rate in late], replay, lost), "of another time")
        self.assertFalse(is_told([(time, 70) for time, _ in live], replay, []), "other rates")
        alike = [(time, 70) for time, _ in replay]
        self.assertTrue(is_told([(time, 70) for time, _ in late], alike, lost))
        self.assertFalse(is_told([(time, 70) for time, _ in live[:1] + live[2:]], alike, [lost[0] | {
            "start": iso(START + 10), "end": iso(START + 11)}]), "lost elsewhere")

    def test_align_against_the_plain_algorithm(self):
        chance = random.Random(3)
        for _ in range(200):
            sent = [Frame(float(n), chance.randrange(3), []) for n in range(chance.randrange(12))]
            rows = [Stored(float(n) + chance.uniform(-1, 1), chance.randrange(3)) for n in range(chance.randrange(12))]
            rows.sort(key=lambda row: row.time)
            pairs = align(sent, rows, 0.0, 2.0, lambda one, other: one.bpm == other.bpm)
            self.assertEqual(len(pairs), self.longest(sent, rows, 2.0))
            for (i, j), (k, l) in zip(pairs, pairs[1:]):
                self.assertTrue(i < k and j < l)
            for i, j in pairs:
                self.assertTrue(sent[i].bpm == rows[j].bpm and abs(sent[i].time - rows[j].time) <= 2.0)

    @staticmethod
    def longest(sent, rows, tolerance):
        table = [[0] * (len(rows) + 1) for _ in range(len(sent) + 1)]
        for i, one in enumerate(sent):
            for j, row in enumerate(rows):
                both = table[i][j] + 1 if row.bpm == one.bpm and abs(row.time - one.time) <= tolerance else 0
                table[i + 1][j + 1] = max(table[i][j + 1], table[i + 1][j], both)
        return table[-1][-1]


if __name__ == "__main__":
    unittest.main()
