/// What each figure of `hrgate hrv` is, a line each, by its name in JSON.
enum HRVDefinitions {
  static let lines = [
    "beats: RR intervals that end in the window, artefacts included",
    "coverage: the part of the window that NN intervals fill, 0 to 1; below 0.8 the window is refused",
    "artefacts: the part of the intervals that is out of 300 to 2000 ms or is marked by Lipponen and Tarvainen 2019, 0 to 1; above 0.2 the window is refused",
    "meanNN: the mean of the NN intervals, ms",
    "sdnn: their standard deviation (by n - 1), ms",
    "rmssd: the root of the mean squared difference of neighbours, ms; never across a gap or an artefact",
    "lnRMSSD: the natural logarithm of rmssd",
    "sdsd: the standard deviation of the differences of neighbours (by their number - 1), ms",
    "nn50: differences of more than 50 ms",
    "pnn50: nn50 in percent of the differences (NeuroKit2 divides by the intervals, which are one more)",
    "pnn20: the same for 20 ms",
    "triangularIndex: NN intervals over the fullest bin of their histogram in bins of 1/128 s",
    "sd1: the Poincaré plot's deviation across the line of identity, ms",
    "sd2: the same along it, ms",
    "vlf: power from 0.0033 to 0.04 Hz, ms²; from windows of five minutes on, and not by Welch, whose segments are shorter",
    "lf: power from 0.04 to 0.15 Hz, ms²; by Lomb and Scargle, or by Welch (4 Hz, natural spline, 256 s, Hann)",
    "hf: power from 0.15 to 0.4 Hz, ms²; never compare powers of two methods or two programs",
    "lfhf: lf over hf",
    "dfaAlpha1: the slope of detrended fluctuations over 4 to 16 beats; withheld above 5 percent of artefacts",
    "dfaAlpha2: the same over 16 to 64 beats",
    "sampleEntropy: -ln(A/B) of stretches of two and three beats within 0.2 sdnn; from 100 beats on",
    "refused: why the window has no figures",
    "withheld: why single figures are absent",
  ]
}
