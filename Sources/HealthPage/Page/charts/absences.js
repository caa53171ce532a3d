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
 * @returns {{blanks: object[], shown: object[], cuts: Map}} `blanks`: stretches in which no source that is
 * shown measured; `shown`: the gaps of what is shown; `cuts`: those of each layer, at which its line ends.
 */
export function absences(layers, gaps, hidden, now = Date.now()) {
  const shown = gaps.filter((gap) => !hidden.has(gap.source));
  const blanks = [];
  for (const gap of shown) {
    if (isUnworn(gap, now)) continue;
    const others = layers.filter((layer) => gap.source && layer.source && layer.source !== gap.source);
    let open = [{ start: gap.start, end: gap.end ?? now }];
    for (const { data } of others) open = open.flatMap((each) => without(each, data));
    for (const { start, end } of open) blanks.push({ start, end, text: gap.text });
  }
  const cuts = new Map(layers.map((layer) => [layer, shown.filter((gap) => concerns(gap, layer))]));
  return { blanks, shown, cuts };
}

/** A single value stands for this long, in milliseconds. */
const holds = 10_000;

/** What of a stretch lies outside of what was measured. */
function without({ start, end }, data) {
  const starts = data.form === "values" ? data.time : data.start;
  const rest = [];
  let from = start;
  for (let i = Math.max(0, lastNotAbove(starts, start)); i < starts.length && starts[i] < end; i += 1) {
    if (data.form !== "values" && !data.count[i]) continue;
    const until = data.form === "values" ? data.end[i] + holds : data.end[i];
    if (until <= from) continue;
    if (starts[i] > from) rest.push({ start: from, end: starts[i] });
    from = Math.max(from, until);
  }
  if (from < end) rest.push({ start: from, end });
  return rest;
}
