// What accompanies a chart: the time before behind it, and a second type.

import { h, say } from "./dom.js";
import { fetchSeries, stepOfType } from "./charts/series.js";
import { movedBy } from "./charts/companions.js";
import { digitsFor, typeName, typeNameInside, unitName } from "./names.js";
import { readable } from "./per-cent.js";
import { get } from "./api.js";
import { rangeAround, shifted } from "./ranges.js";

/** The same time of the clock some days later. */
function daysLater(time, days) {
  const date = new Date(time);
  return date.setDate(date.getDate() + days);
}

/** What the time before a range is called. */
const earlierNames = {
  day: "day before", night: "night before", week: "week before", month: "month before",
  half: "6 months before", year: "year before",
};

export class CompanionChoice {
  /**
   * @param {object} type The type of the chart.
   * @param {object[]} others Further types with numbers.
   * @param {() => void} onChange Called when the reader has chosen something else.
   */
  constructor(type, others, onChange) {
    this.type = type;
    this.others = others;
    /** What the time before is called, and how much earlier it is; null without one. */
    this.earlier = null;
    this.offset = 0;
    const changed = () => {
      this.#name();
      onChange();
    };
    this.box = h("input", { type: "checkbox", onchange: changed });
    this.text = h("span");
    const line = (name) => h(`i.companion.${name}`, { "aria-hidden": "true" });
    this.label = h("label.row.fit", {}, this.box, line("before"), this.text);
    this.select = h("select", { onchange: changed }, h("option", { value: "" }, "nothing"),
      others.map((each) => h("option", { value: each.type }, typeName(each.type))));
    this.mark = line("other");
    this.problem = h("p.problem", { role: "alert" });
    this.element = h("div.row.companions", {}, this.label,
      others.length > 0 && h("label.row.fit", {}, h("span.quiet", {}, "Also show"), this.mark, this.select),
      this.problem);
  }

  /** Takes the choice of an address, and the range of the chart. */
  read({ before, with: other }) {
    this.box.checked = before === "yes";
    this.select.value = this.others.some((each) => each.type === other) ? other : "";
    this.#name();
  }

  /** The choice as parameters of an address. */
  get parameters() {
    return { before: this.box.checked ? "yes" : null, with: this.select.value || null };
  }

  /**
   * Takes the range that the chart shows. Of a range that no button has, the time before stays what it was,
   * so that the reader can zoom.
   * @param {string|null} name Null for a range that no button has.
   * @returns {boolean} Whether other data is needed.
   */
  setRange(name, view) {
    const { offset } = this;
    if (name in earlierNames) {
      this.earlier = earlierNames[name];
      this.offset = view.from - rangeAround(name, shifted(name, view, -1)).from;
    } else if (name) {
      // All data has nothing before it.
      this.earlier = null;
    } else if (!this.earlier) {
      this.earlier = earlierNames.week;
      this.offset = view.from - daysLater(view.from, -7);
    }
    this.#name();
    return this.isComparing && this.offset !== offset;
  }

  #name() {
    const { earlier } = this;
    this.label.hidden = !earlier;
    this.text.textContent = earlier ? earlier.charAt(0).toUpperCase() + earlier.slice(1) : "";
    this.mark.hidden = !this.select.value;
  }

  get isComparing() { return this.box.checked && Boolean(this.earlier); }

  /** Requests the chosen series for a range that the chart wants. */
  async load(want, width) {
    const span = (want.to - want.from) / 2;
    const wanted = [
      this.isComparing && this.#loadBefore(want, this.offset),
      this.select.value && this.#loadOther(want, stepOfType(this.#other)(span, width)),
    ].filter(Boolean);
    say(this.problem, "");
    return (await Promise.all(wanted.map((each) => each.catch((error) => this.#sayProblem(error, want)))))
      .filter(Boolean);
  }

  /** The chart itself is shown nevertheless. */
  #sayProblem(error, { signal }) {
    if (!signal.aborted) say(this.problem, error.message);
    return null;
  }

  get #other() { return this.others.find(({ type }) => type === this.select.value); }

  async #loadBefore({ from, to, step, signal }, offset) {
    const { type, style, unit } = this.type;
    const data = await fetchSeries({
      type, from: from - offset, to: to - offset, step, isSum: style === "cumulative", signal,
    });
    return { name: this.earlier, data: movedBy(data, offset), ink: "quiet", dash: [5, 3],
      digits: digitsFor(unit, type), unit: unitName(unit, type) };
  }

  async #loadOther({ from, to, signal }, step) {
    const { type, style, unit } = this.#other;
    const data = await fetchSeries({ type, from, to, step, isSum: style === "cumulative", signal });
    return { name: typeNameInside(type), data, ink: "step-1", dash: [], hasOwnAxis: true,
      digits: digitsFor(unit, type), unit: unitName(unit, type) };
  }

  /** The figures of the time before, until the same time as now if the range is still under way. */
  async figures({ from, to, source }, signal) {
    if (!this.isComparing) return null;
    const { offset } = this;
    const end = Math.min(to, Math.max(from + 1, Date.now())) - offset;
    const { type } = this.type;
    return readable(await get("/api/statistics", { type, from: from - offset, to: end, source }, signal));
  }
}
