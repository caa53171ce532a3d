#!/usr/bin/env python3
"""Creates the vectors in this directory with tools that are independent of hrgate. The tests read the vectors and need no Python.

usage: python3 -m venv V; V/bin/pip install numpy scipy neurokit2 hrv-analysis; V/bin/pip install --no-deps pyhrv
       V/bin/python make_vectors.py

The two series of NN intervals are pyhrv's own samples (BSD 3-Clause, © 2018 Pedro Gomes); nothing of pyhrv is run.
"""
import importlib.metadata
import importlib.util
import json
import pathlib
import warnings

import neurokit2 as nk
import numpy as np
import scipy.interpolate
import scipy.signal
from hrvanalysis import get_time_domain_features

warnings.simplefilter("ignore")
here = pathlib.Path(__file__).resolve().parent
pyhrv = pathlib.Path(importlib.util.find_spec("pyhrv").submodule_search_locations[0])
short = np.load(pyhrv / "files/SampleNNISeriesShort.npy").astype(float)
long = np.load(pyhrv / "files/SampleNNISeriesLong.npy").astype(float)


def write(name, value):
    """Writes one key per line, so that diffs are readable."""
    def plain(item):
        if isinstance(item, dict):
            return {key: plain(entry) for key, entry in item.items()}
        if isinstance(item, (list, tuple, np.ndarray)):
            return [plain(entry) for entry in item]
        number = float(item) if not isinstance(item, str) else item
        return int(number) if isinstance(number, float) and number.is_integer() else number
    lines = [f"{json.dumps(key)}: {json.dumps(plain(entry))}" for key, entry in value.items()]
    (here / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def time_domain(rr):
    neurokit = nk.hrv_time(nk.intervals_to_peaks(rr, sampling_rate=1000), sampling_rate=1000).iloc[0]
    # Peaks are at whole samples because the intervals are whole milliseconds, so nothing is rounded.
    assert np.array_equal(np.diff(nk.intervals_to_peaks(rr, sampling_rate=1000)), rr)
    analysis = get_time_domain_features(list(rr))
    nonlinear = nk.hrv_nonlinear(nk.intervals_to_peaks(rr, sampling_rate=1000), sampling_rate=1000).iloc[0]
    return {
        "neurokit2": {k: neurokit[f"HRV_{k}"] for k in ["MeanNN", "SDNN", "RMSSD", "SDSD", "pNN50", "pNN20",
                                                       "HTI"]}
        | {k: nonlinear[f"HRV_{k}"] for k in ["SD1", "SD2"]},
        "hrvanalysis": {k: analysis[k] for k in ["mean_nni", "sdnn", "rmssd", "sdsd", "nni_50", "nni_20", "pnni_50",
                                                 "pnni_20"]},
        "histogram": max(np.histogram(rr, np.arange(0, 3000, 1000 / 128))[0]),
    }


def planted(rr):
    """Returns the series as beat times in milliseconds, with one artifact of each kind."""
    beats = np.concatenate([[0], np.cumsum(rr)])
    missed = np.delete(beats, 100)
    extra = np.insert(beats, 101, beats[100] + (beats[101] - beats[100]) * 0.5)
    early = beats.copy()
    early[100] -= 0.4 * (beats[100] - beats[99])
    late = beats.copy()
    late[100] += 0.4 * (beats[101] - beats[100])
    pause = beats.copy()
    pause[100:] += 0.45 * (beats[100] - beats[99])
    hurry = beats.copy()
    hurry[100:] -= 0.45 * (beats[100] - beats[99])
    return {"clean": beats, "missed": missed, "extra": extra, "early": early, "late": late, "pause": pause,
            "hurry": hurry}


def classified(beats):
    beats = np.round(beats)
    found, _ = nk.signal_fixpeaks(beats.astype(int), sampling_rate=1000, method="kubios", iterative=False)
    return {"intervals": np.diff(beats)} | {k: found[k] for k in ["ectopic", "missed", "extra", "longshort"]}


# Simulate a heart with breathing, a slow wave and noise. It is so steady that only the added artifacts are detected.
random = np.random.default_rng(1)
clock = np.arange(400) * 0.85
steady = np.round(850 + 25 * np.sin(2 * np.pi * 0.25 * clock) + 20 * np.sin(2 * np.pi * 0.1 * clock)
                  + random.normal(0, 8, 400))

write("series", {"short": short, "long": long, "steady": steady})
write("time-domain", {"short": time_domain(short), "long": time_domain(long)})
write("artefacts", {f"steady-{k}": classified(v) for k, v in planted(steady).items()}
      | {f"short-{k}": classified(v) for k, v in planted(short).items()} | {"long": classified(
          np.concatenate([[0], np.cumsum(long)]))})

times = np.cumsum(short) / 1000
duration = times[-1]
frequencies = np.arange(1, int(0.4 * duration * 2) + 1) / (2 * duration)
write("lomb-scargle", {
    "duration": duration,
    "constant": scipy.signal.lombscargle(times, short - short.mean(), 2 * np.pi * frequencies),
    "linear": scipy.signal.lombscargle(times, short - np.polyval(np.polyfit(times, short, 1), times),
                                       2 * np.pi * frequencies),
})

origin = times - times[0]
grid = np.arange(int(origin[-1] * 4) + 1) / 4
spline = scipy.interpolate.CubicSpline(origin, short, bc_type="natural")(grid)
line = np.interp(grid, origin, short)
write("welch", {
    "cubic": spline[:400], "straight": line[:400],
    "linear": scipy.signal.welch(spline, 4, "hann", 1024, detrend="linear")[1],
    "constant": scipy.signal.welch(line, 4, "hann", 256, detrend="constant")[1],
})

scales = np.arange(4, 65)


def fluctuation(rr, scale):
    """Computes fluctuations with numpy's least squares, window by window."""
    profile = np.cumsum(rr - rr.mean())
    windows = profile[:len(profile) // scale * scale].reshape(-1, scale)
    at = np.arange(scale)
    rest = [w - np.polyval(np.polyfit(at, w, 1), at) for w in windows]
    return np.sqrt(np.mean(np.square(rest)))


write("fluctuation", {"short": [fluctuation(short, s) for s in scales]})
write("sample-entropy", {
    "short": nk.entropy_sample(short, dimension=2, tolerance=0.2 * short.std(ddof=1))[0],
    "long": nk.entropy_sample(long, dimension=2, tolerance=0.2 * long.std(ddof=1))[0],
})
write("made-with", {name: importlib.metadata.version(name)
                    for name in ["numpy", "scipy", "neurokit2", "hrv-analysis", "pyhrv"]})
