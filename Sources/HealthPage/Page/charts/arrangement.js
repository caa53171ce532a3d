// Properties of a chart's layers that depend on their data only. They are computed once, not for each frame.

import { absences, stripsOf } from "./absences.js";
import { lastNotAbove } from "./series.js";

/** Milliseconds. Values that are farther apart are ignored when the usual distance is computed. */
const slowest = 1_800_000;

/** Milliseconds for which a single value counts as a measurement; more if the usual distance is longer. */
const holds = 10_000;

/**
 * @typedef {object} Arrangement
 * @property {number[]} [place] For each bar: its index among the bars of the same time.
 * @property {number[]} [among] For each bar: the number of bars of the same time.
 * @property {number[]} before For each bar or value: the index of the previous one with a value; -1 if
 *   no earlier one has a value.
 * @property {number[]} cut For each bar or value: duration of the longest gap before it in milliseconds; 0
 *   without a gap.
 * @property {number} rhythm The usual distance of values in milliseconds (90th percentile); 0 if unknown.
 */

/**
 * Returns the arrangement of layers and gaps.
 * @param {{source: string, data: object}[]} layers The visible layers.
 * @param {object[]} gaps All gaps, ascending in time.
 * @param {Set<string>} hidden Sources that the user has hidden.
 * @returns {{blanks: object[], shown: object[], strips: object[], of: Map<object, Arrangement>}} The gaps as
 *   in `absences` and `stripsOf`, and the arrangement of each layer.
 */
export function arranged(layers, gaps, hidden, now = Date.now()) {
  const joined = new Map(layers.map(({ data }) => [data, beforeEach(data)]));
  const rhythms = new Map(layers.map(({ data }) => [data, rhythmOf(data, joined.get(data))]));
  const { cuts, ...missing } =
    absences(layers, gaps, hidden, ({ data }) => Math.max(holds, rhythms.get(data)), now);
  const shares = sharesOf(layers);
  const of = new Map(layers.map((layer) => {
    const { data } = layer;
    const before = joined.get(data);
    const cut = cutsBetween(data, before, cuts.get(layer), now);
    return [layer, { before, cut, rhythm: rhythms.get(data), ...shares.get(layer) }];
  }));
  return { ...missing, strips: stripsOf(missing.drawn, now), of };
}

/** Bars of several sources share the width if they have values for the same time. */
function sharesOf(layers) {
  const bars = layers.filter(({ data }) => data.form === "buckets");
  const taken = new Map();
  const places = bars.map(({ data }) => data.start.map((start, i) => {
    if (!has(data, i)) return 0;
    const place = taken.get(start) ?? 0;
    taken.set(start, place + 1);
    return place;
  }));
  return new Map(bars.map((layer, k) => [layer, {
    place: places[k], among: layer.data.start.map((start) => taken.get(start) ?? 1),
  }]));
}

/** Whether a layer's data has a value at an index. */
export function has(data, i) {
  return data.form === "values" || data.low[i] !== null;
}

export function startsOf(data) {
  return data.form === "values" ? data.time : data.start;
}

/** The index of each value's predecessor from the same source. */
function beforeEach(data) {
  const last = new Map();
  return startsOf(data).map((_, i) => {
    if (!has(data, i)) return -1;
    const source = data.from?.[i] ?? 0;
    const before = last.get(source) ?? -1;
    last.set(source, i);
    return before;
  });
}

/** The 90th percentile of the distances. Longer distances count as pauses. */
function rhythmOf(data, before) {
  const starts = startsOf(data);
  const distances = [];
  before.forEach((k, i) => {
    if (k >= 0 && starts[i] - starts[k] <= slowest) distances.push(starts[i] - starts[k]);
  });
  if (distances.length < 3) return 0;
  distances.sort((a, b) => a - b);
  return distances[Math.ceil(0.9 * distances.length) - 1];
}

/**
 * The duration of the longest gap between each value and its predecessor. A gap counts if at least half of
 * it, or of the distance, is between the two.
 */
function cutsBetween(data, before, gaps, now) {
  const starts = startsOf(data);
  const middle = data.form === "values" ? (i) => starts[i] : (i) => (data.start[i] + data.end[i]) / 2;
  const cut = new Array(starts.length).fill(0);
  for (const { start, end = now } of gaps) {
    const length = end - start;
    for (let i = Math.max(0, lastNotAbove(starts, start)); i < starts.length; i += 1) {
      const k = before[i];
      if (k < 0) continue;
      const from = middle(k), to = middle(i);
      if (from > end && data.isMixed) continue;
      if (from > end) break;
      const overlap = Math.min(end, to) - Math.max(start, from);
      if (overlap >= Math.min(length, to - from) / 2 && length > cut[i]) cut[i] = length;
    }
  }
  return cut;
}
