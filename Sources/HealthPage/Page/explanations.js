// Short explanations of figures, their definitions as the commands print them, and the user's normal range.

import { h, fill } from "./dom.js";
import { get, shown } from "./api.js";
import { count, number, timeZone } from "./format.js";

/** What each figure is, in a few words. */
const meanings = {
  rmssd: "Variation from beat to beat.", sdnn: "Variation over the whole time.",
  lnRMSSD: "Natural logarithm of RMSSD.", pnn50: "Neighboring intervals that differ by more than 50 ms.",
  meanNN: "Average time between two beats.", sd1: "Width of the Poincaré plot.",
  sd2: "Length of the Poincaré plot.", lf: "Slow variation, 0.04 to 0.15 Hz.",
  hf: "Fast variation, 0.15 to 0.4 Hz, as of breathing.", lfhf: "LF divided by HF.",
  dfaAlpha1: "Pattern of variation over 4 to 16 beats.",
  edwards: "Minutes in each zone, weighted 1 to 5.",
  banister: "Minutes weighted by effort, from your resting and maximum heart rate.",
  recovery: "Fall of the heart rate in the minute after the end.",
  peak: "From 30 s before the end to 10 s after.", afterOneMinute: "Average of ten seconds.",
};

let words = null;
/**
 * Requests for normal ranges by person and day. A normal range consists of whole days, so one request a day
 * is enough.
 */
const ranges = new Map();

/** @returns {Promise<{variability: object, zones: object, recovery: object}>} Definitions by figure. */
export function explanations() {
  words ??= get("/api/explanations").catch((error) => {
    words = null;
    throw error;
  });
  return words;
}

function normalRanges() {
  const key = `${shown.person} ${new Date().toDateString()}`;
  if (!ranges.has(key)) {
    ranges.set(key, get("/api/variability/normal", { zone: timeZone }).catch((error) => {
      ranges.delete(key);
      throw error;
    }));
  }
  return ranges.get(key);
}

/** The meaning of a figure, below its name. */
export function meaning(figure) {
  return h("small.quiet.explained", {}, meanings[figure]);
}

/** A place for the definitions of figures, which {@link explain} fills. */
export function definitions() {
  return h("details.definitions", { hidden: true }, h("summary", {}, "How it is computed"), h("dl.detail"));
}

/** A definition as a sentence. */
function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/**
 * Adds the definitions of the rows of figures (`data-figure`) to {@link definitions} in an element and, for
 * the figures of `source`, the user's normal range to each row. If the server does not respond, the figures
 * are shown without them.
 * @param {HTMLElement} element
 * @param {string} group `variability`, `zones` or `recovery`.
 */
export async function explain(element, group, source = null) {
  const rows = [...element.querySelectorAll("[data-figure]")];
  if (!rows.length) return;
  const all = await explanations().catch(() => null);
  const names = new Map(rows.map((row) => [row.dataset.figure, row.querySelector("th").firstChild.data]));
  const lines = [...names].filter(([figure]) => all?.[group]?.[figure]).map(([figure, name]) =>
    h("div", {}, h("dt", {}, name), h("dd", {}, sentence(all[group][figure]))));
  const place = element.querySelector(".definitions");
  if (place && lines.length) {
    fill(place.querySelector("dl"), lines);
    place.hidden = false;
  }
  if (!source) return;
  const normal = await normalRanges().catch(() => null);
  for (const row of rows) {
    const range = normal?.sources.find((each) => each.source === (row.dataset.source ?? source))
      ?.figures[row.dataset.figure];
    const place = row.querySelector(".normal");
    if (range && place) fill(place, rangeText(range, Number(row.dataset.digits), normal));
  }
}

/**
 * Returns a normal range as text: "Your normal range: 38 to 52 in 60 days. Last 7 days: 47, within it."
 */
function rangeText(range, digits, { days, before }) {
  const { mean, low, high, measured, measuredBefore } = range;
  const [average, lowest, highest] = [mean, low, high].map((each) => number(each, digits, digits > 0));
  const of = measured < days ? ` (${number(measured)} with beats)` : "";
  const since = measuredBefore < before ? `, of ${count(measuredBefore, "day")} with beats` : "";
  return [`Your normal range: ${lowest} to ${highest} in ${number(before)} days${since}. `,
    h("strong", {}, `Last ${number(days)} days: ${average}`), `${of}, ${placeIn(range, digits)} it.`];
}

/**
 * Returns whether a mean is "below", "within" or "above" the user's normal range. Compares the values as they
 * are shown.
 * @param {number} digits The number of decimal digits that are shown.
 */
export function placeIn({ mean, low, high }, digits) {
  const shown = (value) => Math.round(value * 10 ** digits);
  if (shown(mean) < shown(low)) return "below";
  return shown(mean) > shown(high) ? "above" : "within";
}
