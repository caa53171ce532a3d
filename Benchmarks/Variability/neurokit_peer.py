"""neurokit_peer.py FILE: runs NeuroKit2 on a day of intervals in milliseconds, one per line,
for comparison.

Prints names and CPU seconds."""
import sys
import time
import warnings

import neurokit2 as nk
import numpy as np

warnings.simplefilter("ignore")
intervals = np.loadtxt(sys.argv[1])
beats = np.concatenate([[0], np.cumsum(intervals)]).round().astype(int)


def show(name, work, times=1):
    start = time.process_time()
    work()
    print(f"{name}\t{(time.process_time() - start) * times:.4f}")


# Warm up, so that imports and compilation are not measured.
nk.hrv_time(beats[:400], sampling_rate=1000)
show("hrv_time of a day", lambda: nk.hrv_time(beats, sampling_rate=1000))
show("signal_fixpeaks of a day", lambda: nk.signal_fixpeaks(beats, sampling_rate=1000, method="kubios", iterative=False))
edges = np.searchsorted(beats, np.arange(0, beats[-1], 300_000))
windows = [beats[a:b] for a, b in zip(edges[:11], edges[1:12])]
scale = (len(edges) - 1) / len(windows)
rr = [np.diff(w) for w in windows]
print(f"of {len(windows)} windows of five minutes, times {scale:.1f}:")
show("hrv_time", lambda: [nk.hrv_time(w, sampling_rate=1000) for w in windows], scale)
show("hrv_frequency, lomb", lambda: [nk.hrv_frequency(w, sampling_rate=1000, psd_method="lomb") for w in windows], scale)
show("hrv_frequency, welch", lambda: [nk.hrv_frequency(w, sampling_rate=1000) for w in windows], scale)
show("fractal_dfa, twice", lambda: [(nk.fractal_dfa(r, scale=np.arange(4, 17)), nk.fractal_dfa(r, scale=np.arange(16, 65)))
                                    for r in rr], scale)
show("entropy_sample", lambda: [nk.entropy_sample(r) for r in rr], scale)
