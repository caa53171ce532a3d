// Computes bars (minimum, maximum and average per step) from single values, as the server does. So all
// sources of a chart look alike, whether they measure every second or every few minutes.

/**
 * Maximum time in milliseconds for which an instantaneous value counts (the rule is in
 * AverageWeighting.swift).
 */
const longestHold = 5000;

/**
 * @param {import("./series.js").Values} values Values of one source.
 * @param {{start: number, end: number, step: number}} grid Milliseconds.
 * @param {"plain"|"timed"|"level"|null} style How to compute averages; null for none.
 * @returns {import("./series.js").Buckets} Without artifacts.
 */
export function bucketed(values, { start, end, step }, style = "plain") {
  const length = Math.max(0, Math.ceil((end - start) / step));
  const low = new Array(length).fill(null), high = new Array(length).fill(null);
  const sums = new Array(length).fill(0), weights = new Array(length).fill(0);
  const count = new Array(length).fill(0);
  const isLevel = style === "level";
  values.time.forEach((time, i) => {
    const place = Math.floor((time - start) / step);
    if (place < 0 || place >= length || values.marks?.[i]) return;
    const value = values.value[i];
    if (low[place] === null || value < low[place]) low[place] = value;
    if (high[place] === null || value > high[place]) high[place] = value;
    const weight = style === "plain" ? 1 : hold(values, i);
    sums[place] += weight * (isLevel ? 10 ** (value / 10) : value);
    weights[place] += weight;
    count[place] += 1;
  });
  const mean = (place) => {
    if (!style || !count[place]) return null;
    const value = sums[place] / weights[place];
    return isLevel ? 10 * Math.log10(value) : value;
  };
  const starts = Array.from({ length }, (_, i) => start + i * step);
  return {
    form: "buckets", unit: values.unit, step, start: starts, end: starts.map((time) => time + step), low,
    high, average: count.map((_, place) => mean(place)), count, isSum: false, isUncounted: !style,
  };
}

/** How long a value counts: until the next one, or as long as the one before did. */
function hold({ time, end }, i) {
  if (end[i] > time[i]) return end[i] - time[i];
  const after = time[i + 1] - time[i], before = time[i] - time[i - 1];
  if (after <= longestHold) return after;
  return before > 0 && before <= longestHold ? before : longestHold;
}
