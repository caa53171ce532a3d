"""How fast the guest is at a moment: it is emulated, and others want the cores. Limits of time are stretched by that."""
import statistics
import time

# What the piece of work takes in a guest that has a core of the machine for itself on which the documentation's times were measured.
AT_BEST = 0.05


def look(times=8):
    """How long a piece of work takes, again and again."""
    took = []
    for _ in range(times):
        began = time.monotonic()
        sum(range(200_000))
        took.append(time.monotonic() - began)
    return took


class Endings:
    """How long it takes to end what is told to, each time by the pace of its moment."""

    def __init__(self):
        self.took, self.paces = [], []

    def time(self, end):
        """Calls `end`, which returns how long it took as `took` or by itself."""
        before = look()
        ended = end()
        self.took.append(ended["took"] if isinstance(ended, dict) else ended)
        self.paces.append(max(1.0, statistics.mean(before + look()) / AT_BEST))
        return ended

    def check(self, limit=2.0):
        """Half of them have ended within the limit, nine in ten within twice that, and none hung."""
        fair = sorted(took / pace for took, pace in zip(self.took, self.paces))
        text = (f"within {statistics.median(self.took):.2f} s at the median, at most {max(self.took):.2f} s, "
                f"at a pace of 1 to {statistics.median(self.paces):.1f}")
        middle, most = statistics.median(fair), fair[(len(fair) - 1) * 9 // 10]
        assert middle <= limit and most <= 2 * limit and max(self.took) < 60, f"{text}: {fair}"
        return text
