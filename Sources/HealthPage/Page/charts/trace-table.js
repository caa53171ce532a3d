// The table of a trace, with one row for each whole minute, for readers who do not see the trace.

import { h, say } from "../dom.js";
import { clock, number } from "../format.js";
import { serverNow } from "../server-clock.js";
import { traceSpan } from "../pulse.js";

const minute = 60_000;

export class TraceTable {
  constructor(trace) {
    this.trace = trace;
    this.rows = h("tbody");
    const heads = ["From", "Lowest", "Highest", "Latest", "Values", "Beats"]
      .map((name, i) => h(i ? "th.number" : "th", { scope: "col" }, name));
    this.element = h("details", { ontoggle: () => this.refill() }, h("summary", {}, "As a table"),
      h("div.scroll",
        { tabindex: 0, role: "region", "aria-label": "The pulse of the last minutes, as a table" },
        h("table", {},
          h("caption", {}, "The last minutes in beats a minute, with the number of values and beats"),
          h("thead", {}, h("tr", {}, heads)), this.rows)));
  }

  /** Fills the table with the complete minutes if it is open. Rows do not change while they are read. */
  refill(now = serverNow()) {
    if (!this.element.open) return;
    const lines = minutesOf(this.trace, now);
    while (this.rows.children.length > lines.length) this.rows.lastChild.remove();
    lines.forEach((line, i) => {
      if (!this.rows.children[i]) {
        this.rows.append(h("tr", {}, line.map((_, i) => (i ? h("td.number") : h("th", { scope: "row" })))));
      }
      line.forEach((text, k) => say(this.rows.children[i].children[k], text));
    });
  }
}

/** The complete minutes of the trace, the newest first. A minute without measurements has a row, too. */
function minutesOf(trace, now) {
  const lines = [];
  const end = Math.floor(now / minute) * minute;
  for (let start = end - minute; start >= now - traceSpan; start -= minute) {
    const rates = within(trace.times, trace.rates, start);
    const beats = within(trace.beatTimes, trace.beatRates, start).length;
    const cell = (value) => (rates.length ? number(value) : "–");
    // There is no average column, because an average must be weighted as in the store.
    lines.push([clock(start), cell(Math.min(...rates)), cell(Math.max(...rates)), cell(rates.at(-1)),
      cell(rates.length), beats ? number(beats) : "–"]);
  }
  return lines;
}

/** The values within a minute. NaN marks the start of a run of beats or an artifact, and is left out. */
function within(times, values, start) {
  return values.filter((value, i) => value > 0 && times[i] >= start && times[i] < start + minute);
}
