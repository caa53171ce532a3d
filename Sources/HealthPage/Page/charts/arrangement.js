// What is known of the layers of a chart before it is drawn: made once for their data, not for each frame.

import { absences, stripsOf } from "./absences.js";
import { lastNotAbove } from "./series.js";

/** What comes more rarely than this has no rhythm that could be drawn on. */
const slowest = 1_800_000;

/** A single value stands for this long, in milliseconds; longer where that is the usual pause. */
const holds = 10_000;

/**
 * @typedef {object} Arrangement
 * @property {number[]} [place] Of each bar: its place among those that share its stretch of time.
 * @property {number[]} [among] How many these are.
 * @property {number[]} before Of each bar or value: the one with a value before it; -1 where there is none.
 * @property {number[]} cut How long the longest gap is that parts it from that one; 0 where none does.
 * @property {number} rhythm How far apart values usually are at most, in milliseconds; 0 where that is not
 *   known.
 */

/**
 * What is drawn of layers and gaps.
 * @param {{source: string, data: object}[]} layers Those that are shown.
 * @param {object[]} gaps All that are known, in order of time.
 * @param {Set<string>} hidden Sources that nobody wants to see.
 * @returns {{blanks: object[], shown: object[], strips: object[], of: Map<object, Arrangement>}} The gaps as
 * `absences` and `stripsOf` have them, and the arrangement of each layer.
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

/** Only bars that have something in the same stretch of time share its room. */
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

/** Whether there is anything in a place of a layer's data. */
export function has(data, i) {
  return data.form === "values" || data.low[i] !== null;
}

export function startsOf(data) {
  return data.form === "values" ? data.time : data.start;
}

/** Values of several sources are joined each to those of its own. */
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

/** Nine of ten values are no farther apart: what is farther apart is not the usual pause. */
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
 * The longest gap between each and the one before it. One that lies mostly in one of two bars is between
 * others.
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
