// Tables and bars of heart rate variability and zones.

import { h, named } from "./dom.js";
import { duration, minutes, moment, number, percent } from "./format.js";
import { meaning } from "./explanations.js";
import { refusalName } from "./names.js";
import { zoneNames } from "./zones.js";

/** The columns for a window: field, name, unit and digits. Milliseconds have none, as in charts of SDNN. */
const figures = [
  ["rmssd", "RMSSD", "ms", 0], ["sdnn", "SDNN", "ms", 0], ["lnRMSSD", "ln RMSSD", "", 2],
  ["pnn50", "pNN50", "%", 0], ["meanNN", "mean interval", "ms", 0], ["sd1", "SD1", "ms", 0],
  ["sd2", "SD2", "ms", 0], ["lf", "LF", "ms²", 0], ["hf", "HF", "ms²", 0], ["lfhf", "LF/HF", "", 2],
  ["dfaAlpha1", "DFA α1", "", 2],
];

export function variabilityView(window, withName) {
  const quality =
    `${percent(window.coverage)} of the time covered, ${percent(window.artefacts, 1)} artifacts,`
    + ` ${number(window.beats)} intervals`;
  const heading = withName && h("h3", {}, named(window.name));
  if (window.refused) {
    const why = window.refused === "low-coverage"
      ? `beats cover ${percent(window.coverage)} of this time, and ${percent(0.5)} are needed`
      : refusalName(window.refused);
    return h("div.stack", {}, heading, h("p", {}, `No figures: ${why}.`),
      h("p.quiet", {}, quality));
  }
  const rows = figures.filter(([key]) => window[key] !== undefined || window.withheld?.[key]);
  return h("div.stack", {}, heading, h("p.quiet", {}, quality), h("table", {},
    h("thead", {},
      h("tr", {}, h("th", { scope: "col" }, "Measure"), h("th.number", { scope: "col" }, "Of this stretch"))),
    h("tbody", {}, rows.map(([key, name, unit, digits]) => h("tr",
      { data: { figure: key, source: window.source, digits } },
      h("th", { scope: "row" }, name, meaning(key), h("small.quiet.normal")),
      window[key] !== undefined ? h("td.number", {}, `${number(window[key], digits, digits > 0)} ${unit}`)
        : h("td.number.quiet", {}, refusalName(window.withheld[key])))))));
}

/** Window lengths in minutes, so that the table of windows has at most 48 rows. */
const windowLengths = [
  ["5m", 5], ["15m", 15], ["30m", 30], ["1h", 60], ["3h", 180], ["6h", 360], ["1d", 1440],
];

/**
 * Selects the length of windows for a range of milliseconds: its name and its minutes; null if the range has
 * less than two windows.
 */
export function windowLength(range) {
  const length = windowLengths.find(([, each]) => range / 60_000 / each <= 48) ?? windowLengths.at(-1);
  return range < 2 * length[1] * 60_000 ? null : length;
}

export function windowsView(windows, [, minutes]) {
  const shown = figures.slice(0, 4);
  const withName = new Set(windows.map((each) => each.source)).size > 1;
  const words = { 60: "hour", 1440: "day" };
  const label = `Each ${words[minutes] ?? (minutes < 60 ? `${minutes} minutes` : `${minutes / 60} hours`)}`;
  const columns = [...shown.map(([, name]) => name), "Coverage", "Artifacts"];
  return h("details", {}, h("summary", {}, `${label}, with coverage and artifacts`),
    h("div.scroll.long", { tabindex: 0, role: "region", "aria-label": label }, h("table", {},
      h("thead", {},
        h("tr", {}, h("th", { scope: "col" }, "From"), withName && h("th", { scope: "col" }, "Source"),
        columns.map((name) => h("th.number", { scope: "col" }, name)))),
      h("tbody", {}, windows.map((each) => h("tr", {}, h("th", { scope: "row" }, moment(each.start)),
        withName && h("td", {}, named(each.name)),
        each.refused ? h("td.quiet", { colspan: shown.length }, refusalName(each.refused))
          : shown.map(([key, , , digits]) => h("td.number", {}, number(each[key], digits, digits > 0))),
        h("td.number", {}, percent(each.coverage)), h("td.number", {}, percent(each.artefacts, 1))))))));
}

/**
 * Bars of the time in each zone. The width of a track is all the time in zones, so that a bar is as long as
 * the percentage beside it says.
 * @param {number} elapsed The time in which zones could be measured, in milliseconds.
 */
export function zonesView({ name, zones, known }, withName, elapsed) {
  const isLong = zones.some((each) => each.seconds >= 600);
  const time = (seconds) => (isLong ? minutes(seconds * 1000) : duration(seconds * 1000));
  const bars = [...zones].reverse().map((each) => {
    const bar = h(`i.zone-${Math.min(5, each.zone)}`);
    bar.style.width = `${(100 * each.seconds) / Math.max(1, known)}%`;
    const limits = each.lower === undefined ? `below ${number(each.upper)}`
      : each.upper === undefined ? `${number(each.lower)} and more`
        : `${number(each.lower)} to ${number(each.upper)}`;
    return h("div", { role: "listitem" },
      h("span", {}, each.zone ? `Zone ${each.zone}` : "Below", " ",
        h("small.quiet", {}, `${zoneNames[each.zone] ?? ""}, ${limits}`)),
      h("span.track", { "aria-hidden": "true" }, bar),
      h("span", {}, time(each.seconds), " ",
        h("small.quiet", {}, percent(known ? each.seconds / known : NaN))));
  });
  return h("div.stack", {}, withName && h("h3", {}, named(name)),
    h("div.bars.of-zones", { role: "list" }, bars),
    known > 0 && elapsed > 0 && h("p.quiet", {},
      `Zones count only times with a reading every few seconds: ${duration(known * 1000)} of`
      + ` ${duration(elapsed)} (${percent(Math.min(1, (known * 1000) / elapsed))}).`));
}
