// Gaps of a chart. A gap of one source is not a gap of the others.

import { lastNotAbove } from "./series.js";

/** Causes that also occur when a strap is taken off. */
const ofTheMonitor = new Set(["link-loss", "closed-by-peripheral", "silence", "unknown"]);
/** Milliseconds. A strap that is away for longer was most likely not worn, which is not an error. */
const longestFault = 3600_000;

/** Whether the strap was most likely not worn during a gap. */
export function isUnworn(gap, now = Date.now()) {
  return ofTheMonitor.has(gap.cause) && (gap.end ?? now) - gap.start > longestFault;
}

/** Whether a gap applies to a layer: their sources are the same, or one of them is unknown. */
export function concerns(gap, layer) {
  return !gap.source || !layer.source || gap.source === layer.source;
}

/**
 * Returns the gaps to draw.
 * @param {{source: string, data: object}[]} layers The visible layers.
 * @param {{start: number, end?: number, text: string, source?: string}[]} gaps
 * @param {Set<string>} hidden Sources that the user has hidden. Their gaps are hidden, too.
 * @param {(layer) => number} holds How long a single value of a layer counts as a measurement, in
 *   milliseconds.
 * @returns {{blanks: object[], shown: object[], drawn: object[], cuts: Map}} `blanks`: times in which no
 *   visible source measured; `shown`: gaps of sources that are not hidden; `drawn`: those of the visible
 *   layers; `cuts`: the gaps at which the line of each layer ends.
 */
export function absences(layers, gaps, hidden, holds, now = Date.now()) {
  const shown = gaps.filter((gap) => !hidden.has(gap.source));
  const drawn = shown.filter((gap) => layers.some((layer) => concerns(gap, layer)));
  const blanks = [];
  for (const gap of drawn) {
    if (isUnworn(gap, now)) continue;
    const others = layers.filter((layer) => gap.source && layer.source && layer.source !== gap.source);
    let open = [{ start: gap.start, end: gap.end ?? now }];
    for (const layer of others) open = open.flatMap((each) => without(each, layer.data, holds(layer)));
    for (const { start, end } of open) blanks.push({ start, end, text: gap.text });
  }
  const cuts = new Map(layers.map((layer) => [layer, shown.filter((gap) => concerns(gap, layer))]));
  return { blanks, shown, drawn, cuts };
}

/**
 * Gaps as strips on the axis, one strip for each source and for each kind (worn or not worn).
 * @returns {{source: string, isUnworn: boolean, starts: number[], ends: number[]}[]} Ascending in time.
 */
export function stripsOf(gaps, now = Date.now()) {
  const strips = new Map();
  for (const gap of [...gaps].sort((a, b) => a.start - b.start)) {
    const unworn = isUnworn(gap, now);
    const key = `${unworn} ${gap.source}`;
    let strip = strips.get(key);
    if (!strip) {
      strips.set(key, strip = { source: gap.source, isUnworn: unworn, starts: [], ends: [] });
    }
    strip.starts.push(gap.start);
    strip.ends.push(gap.end ?? now);
  }
  return [...strips.values()];
}

/** Returns the parts of a time range without measurements. */
function without({ start, end }, data, holds) {
  const isSingle = data.form === "values";
  const starts = isSingle ? data.time : data.start;
  const rest = [];
  let from = start;
  for (let i = Math.max(0, lastNotAbove(starts, start)); i < starts.length && starts[i] < end; i += 1) {
    if (!isSingle && data.low[i] === null) continue;
    // A single value covers the `holds` milliseconds after it. A bar covers its own time, or `holds` if that
    // is longer.
    const until = isSingle ? data.end[i] + holds : Math.max(data.end[i], starts[i] + holds);
    if (until <= from) continue;
    if (starts[i] > from) rest.push({ start: from, end: starts[i] });
    from = Math.max(from, until);
  }
  if (from < end) rest.push({ start: from, end });
  return rest;
}
