"""How fast the guest is at this moment: it is emulated, and others want the cores."""
import statistics
import time


class Pace:
    """A piece of work, done again and again: how much longer than at best it takes, by which limits of time are stretched."""

    def __init__(self):
        self.took = []
        self.look()

    def look(self, times=5):
        for _ in range(times):
            began = time.monotonic()
            sum(range(200_000))
            self.took.append(time.monotonic() - began)

    @property
    def slowdown(self):
        return max(1.0, statistics.median(self.took) / min(self.took))


def ended_within(pace, took, limit=2.0):
    """Half of those that were told to end have done so within the limit, and nine in ten within twice that; none hung."""
    took, stretched = sorted(took), limit * pace.slowdown
    middle, most = statistics.median(took), took[(len(took) - 1) * 9 // 10]
    text = f"within {middle:.2f} s at the median, nine in ten within {most:.2f} s, at most {took[-1]:.2f} s"
    assert middle <= stretched and most <= 2 * stretched and took[-1] < 30, f"{text}, on a machine that is {pace.slowdown:.1f} times slower now than at best"
    return text
