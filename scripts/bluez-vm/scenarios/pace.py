"""Measures the current speed of the guest, which is emulated and shares its CPU with other processes. Measured times
are divided by it before they are compared with limits."""
import statistics
import time

# The seconds that one run of `look`, a fixed amount of work, takes in a guest with a core of its own.
# Measured on the machine of the documentation's measurements.
AT_BEST = 0.05


def look(times=8):
    """Returns the durations of several runs of a fixed amount of work, in seconds."""
    took = []
    for _ in range(times):
        began = time.monotonic()
        sum(range(200_000))
        took.append(time.monotonic() - began)
    return took


class Endings:
    """The times that processes take to stop, each with the guest's slowness at that moment, by which it is divided."""

    def __init__(self):
        self.took, self.paces = [], []

    def time(self, end):
        """Calls `end`, which returns either the stop time in seconds, or an object that contains it as `took`."""
        before = look()
        ended = end()
        self.took.append(ended["took"] if isinstance(ended, dict) else ended)
        self.paces.append(max(1.0, statistics.mean(before + look()) / AT_BEST))
        return ended

    def check(self, limit=2.0):
        """Checks that half of the processes stopped within the limit, nine in ten within twice the limit, and that none
        hung."""
        fair = sorted(took / pace for took, pace in zip(self.took, self.paces))
        text = (f"within {statistics.median(self.took):.2f} s at the median, at most {max(self.took):.2f} s, "
                f"at a pace of 1 to {statistics.median(self.paces):.1f}")
        middle, most = statistics.median(fair), fair[(len(fair) - 1) * 9 // 10]
        assert middle <= limit and most <= 2 * limit and max(self.took) < 60, f"{text}: {fair}"
        return text
