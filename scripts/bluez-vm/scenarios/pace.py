"""The speed of the guest at a moment. It is emulated, and other processes use the cores. Time limits are multiplied
by it."""
import statistics
import time

# The time of the piece of work in a guest with a core of its own, on the machine on which the documentation's times
# were measured.
AT_BEST = 0.05


def look(times=8):
    """Returns how long a piece of work takes, several times."""
    took = []
    for _ in range(times):
        began = time.monotonic()
        sum(range(200_000))
        took.append(time.monotonic() - began)
    return took


class Endings:
    """How long processes take to stop, each divided by the guest's pace at that moment."""

    def __init__(self):
        self.took, self.paces = [], []

    def time(self, end):
        """Calls `end`, which returns an object with the time as `took`, or the time itself."""
        before = look()
        ended = end()
        self.took.append(ended["took"] if isinstance(ended, dict) else ended)
        self.paces.append(max(1.0, statistics.mean(before + look()) / AT_BEST))
        return ended

    def check(self, limit=2.0):
        """Checks that half of them stopped within the limit, nine in ten within twice the limit, and none hung."""
        fair = sorted(took / pace for took, pace in zip(self.took, self.paces))
        text = (f"within {statistics.median(self.took):.2f} s at the median, at most {max(self.took):.2f} s, "
                f"at a pace of 1 to {statistics.median(self.paces):.1f}")
        middle, most = statistics.median(fair), fair[(len(fair) - 1) * 9 // 10]
        assert middle <= limit and most <= 2 * limit and max(self.took) < 60, f"{text}: {fair}"
        return text
