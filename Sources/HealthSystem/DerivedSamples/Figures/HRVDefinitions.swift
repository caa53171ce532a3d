/// Definitions of the measures of `hrgate hrv`, one line each, by JSON name. The command line and the page
/// show them.
package enum HRVDefinitions {
  package static let lines = [
    "beats: RR intervals that end in the window, artifacts included",
    "coverage: the part of the window that NN intervals cover, 0 to 1; overlapping time counts once; windows below 0.8 and windows with more than 0.05 overlap have no measures",
    "artefacts: the share of intervals outside 300 to 2000 ms or marked by Lipponen and Tarvainen 2019, 0 to 1; windows above 0.2 have no measures",
    "meanNN: the mean of the NN intervals, ms",
    "sdnn: the standard deviation of the NN intervals (by n - 1), ms",
    "rmssd: the root mean square of differences between adjacent intervals, ms; never across a gap or an artifact",
    "lnRMSSD: the natural logarithm of RMSSD",
    "sdsd: the standard deviation of differences between adjacent intervals (by n - 1), ms",
    "nn50: differences of more than 50 ms",
    "pnn50: NN50 in percent of the differences (NeuroKit2 divides by the intervals, one more than the differences)",
    "pnn20: differences of more than 20 ms, in percent of the differences",
    "triangularIndex: the number of NN intervals divided by the height of their histogram with bins of 1/128 s",
    "sdann: the standard deviation of the mean NN intervals of the five-minute windows in the window, ms; requires two of them",
    "sdnnIndex: the mean of the SDNN of the five-minute windows in the window, ms",
    "sd1: standard deviation of the Poincaré plot across the line of identity, ms",
    "sd2: standard deviation of the Poincaré plot along the line of identity, ms",
    "sd1sd2: SD1 divided by SD2",
    "vlf: power from 0.0033 to 0.04 Hz, ms²; requires windows of five minutes; not with Welch, whose segments are shorter",
    "lf: power from 0.04 to 0.15 Hz, ms²; by Lomb and Scargle, or by Welch (4 Hz, natural spline, 256 s, Hann)",
    "hf: power from 0.15 to 0.4 Hz, ms²; never compare powers of two methods or two programs",
    "lfhf: LF divided by HF",
    "lfnu: LF in percent of LF + HF (normalized units)",
    "hfnu: HF in percent of LF + HF",
    "dfaAlpha1: slope of detrended fluctuations over 4 to 16 beats; withheld above 5 percent artifacts",
    "dfaAlpha2: slope of detrended fluctuations over 16 to 64 beats",
    "sampleEntropy: -ln(A/B) of templates of two and three beats within 0.2 SDNN; requires 100 beats",
    "refused: why the window has no measures",
    "withheld: why single measures are absent",
  ]
}
