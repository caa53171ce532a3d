// Explanations of figures, as the commands print them, and the user's normal range.

import { h, fill } from "./dom.js";
import { get, shown } from "./api.js";
import { count, number, timeZone } from "./format.js";

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

/** A definition as a sentence. */
export function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/**
 * Adds to each row of a figure (`data-figure`) its definition and, for the figures of `source`, the user's
 * normal range. If the server does not respond, the figures are shown without them.
 * @param {HTMLElement} element
 * @param {string} group `variability`, `zones` or `recovery`.
 */
export async function explain(element, group, source = null) {
  const rows = [...element.querySelectorAll("[data-figure]")];
  if (!rows.length) return;
  const all = await explanations().catch(() => null);
  for (const row of rows) {
    const text = all?.[group]?.[row.dataset.figure];
    const place = row.querySelector(".explained");
    if (text && place) fill(place, sentence(text));
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
 * Returns a normal range as text: "Your normal: 38.1 to 52.4 (60 days), 47.0 on average of the last 7 days:
 * within it."
 */
function rangeText({ mean, low, high, measured, measuredBefore }, digits, { days, before }) {
  const [average, lowest, highest] = [mean, low, high].map((each) => number(each, digits, digits > 0));
  const where = mean < low ? "below it" : mean > high ? "above it" : "within it";
  const of = measured < days ? ` (${number(measured)} with beats)` : "";
  const since = measuredBefore < before ? `, of ${count(measuredBefore, "day")} with beats` : "";
  return [`Your normal: ${lowest} to ${highest} in ${number(before)} days${since}. `,
    h("strong", {}, `Last ${number(days)} days: ${average}`), `${of}, ${where}.`];
}
