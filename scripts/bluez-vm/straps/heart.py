"""Heartbeats, and their encoding by a strap (Heart Rate Service 1.0, section 3.1)."""
import math
import random
import struct

TICKS = 1024                    # an RR-Interval counts 1/1024 s


class Heart:
    """Beats from a seed: a slow drift and a breathing wave around the target rate."""

    def __init__(self, seed, bpm):
        self.random, self.bpm = random.Random(seed), float(bpm)
        self.phase = self.wander = 0.0
        self.now = 0.0                          # strap time, seconds
        self.last = 0.0                         # the last beat, in strap time
        self.next = None

    def interval(self):
        self.wander = 0.98 * self.wander + self.random.gauss(0, 0.004)
        self.phase += math.tau * 15.0 / self.bpm                # fifteen breaths a minute
        seconds = 60.0 / self.bpm * (1 + self.wander + 0.03 * math.sin(self.phase))
        return max(0.2, min(3.0, seconds))

    def advance(self, seconds):
        """Returns the RR intervals, in ticks, of the beats that end in the next `seconds`."""
        self.now += seconds
        ended = []
        while True:
            if self.next is None:
                self.next = self.interval()
            if self.last + self.next > self.now:
                return ended
            self.last += self.next
            ended.append(round(self.next * TICKS))
            self.next = None


def counted(number):
    """Returns a heart rate for frame `number` that differs from those of the 160 frames before and after it. A sample's
    UUID contains nothing else of its frame, so the rate identifies the frame."""
    return 40 + number * 67 % 161


def measurement(bpm, rr=(), contact=None, energy=None, wide=False):
    """Encodes a value of 2A37. contact: True, False, or None for a strap without detection; energy: kJ or None."""
    flags, body = 0, struct.pack("<B", bpm) if not wide and bpm <= 255 else struct.pack("<H", bpm)
    if len(body) == 2:
        flags |= 0x01
    if contact is not None:
        flags |= 0x04 | (0x02 if contact else 0)
    if energy is not None:
        flags, body = flags | 0x08, body + struct.pack("<H", energy)
    if rr:
        flags, body = flags | 0x10, body + b"".join(struct.pack("<H", ticks & 0xFFFF) for ticks in rr)
    return bytes([flags]) + body
