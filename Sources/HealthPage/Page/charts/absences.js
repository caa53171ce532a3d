// What was not measured, as a chart has to tell it: a gap of one source is not a gap of another.

import { lastNotAbove } from "./series.js";

/** What a strap does that is taken off, too. */
const ofTheMonitor = new Set(["link-loss", "closed-by-peripheral", "silence", "unknown"]);
/** A strap that is away for longer was most likely not worn: that is no fault. */
const longestFault = 3600_000;

/** Whether a gap looks like a strap that nobody wore. */
export function isUnworn(gap, now = Date.now()) {
  return ofTheMonitor.has(gap.cause) && (gap.end ?? now) - gap.start > longestFault;
}

/** Whether a gap is one of a layer's source; where either names none, it may be. */
export function concerns(gap, layer) {
  return !gap.source || !layer.source || gap.source === layer.source;
}

/**
 * What is drawn of gaps.
 * @param {{source: string, data: object}[]} layers Those that are shown.
 * @param {{start: number, end?: number, text: string, source?: string}[]} gaps
 * @param {Set<string>} hidden Sources that nobody wants to see: their gaps neither.
 * @param {(layer) => number} holds For how long a single value of a layer stands.
 * @returns {{blanks: object[], shown: object[], drawn: object[], cuts: Map}} `blanks`: stretches in which no
 * source that is shown measured; `shown`: the gaps that may explain something; `drawn`: those of what is on
 * the chart; `cuts`: those of each layer, at which its line ends.
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
 * Gaps for strips on the axis: of each source by itself, what looks like a fault and what does not.
 * @returns {{source: string, isUnworn: boolean, starts: number[], ends: number[]}[]} In order of time.
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

/** What of a stretch lies outside of what was measured. */
function without({ start, end }, data, holds) {
  const isSingle = data.form === "values";
  const starts = isSingle ? data.time : data.start;
  const rest = [];
  let from = start;
  for (let i = Math.max(0, lastNotAbove(starts, start)); i < starts.length && starts[i] < end; i += 1) {
    if (!isSingle && data.low[i] === null) continue;
    // A bar stands for what lies between it and the next, where they come as regularly as that.
    const until = isSingle ? data.end[i] + holds : Math.max(data.end[i], starts[i] + holds);
    if (until <= from) continue;
    if (starts[i] > from) rest.push({ start: from, end: starts[i] });
    from = Math.max(from, until);
  }
  if (from < end) rest.push({ start: from, end });
  return rest;
}
