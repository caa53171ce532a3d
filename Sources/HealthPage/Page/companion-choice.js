// The choice of further series for a chart: the previous period, such as the week before, and a second type.

import { h, say } from "./dom.js";
import { fetchSeries, stepOfType } from "./charts/series.js";
import { movedBy } from "./charts/companions.js";
import { digitsFor, typeName, typeNameInside, unitName } from "./names.js";
import { readable } from "./per-cent.js";
import { get } from "./api.js";
import { rangeAround, shifted } from "./ranges.js";

/** Returns the same local time of day a number of days later. */
function daysLater(time, days) {
  const date = new Date(time);
  return date.setDate(date.getDate() + days);
}

/** The name of the previous period for each range. */
const earlierNames = {
  day: "day before", night: "night before", week: "week before", month: "month before",
  half: "6 months before", year: "year before",
};

export class CompanionChoice {
  /**
   * @param {object} type The type of the chart.
   * @param {object[]} others The other types with numeric values.
   * @param {() => void} onChange Called when the user has changed the choice.
   */
  constructor(type, others, onChange) {
    this.type = type;
    this.others = others;
    /** The name of the previous period; null without one. `offset` is its distance in milliseconds. */
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

  /** Sets the choice from the parameters of an address. */
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
   * Sets the previous period for the range that the chart shows. A range without a button, such as after
   * zooming, keeps the previous period of the last range.
   * @param {string|null} name The name of the range; null for a range without a button.
   * @returns {boolean} Whether other data must be loaded.
   */
  setRange(name, view) {
    const { offset } = this;
    if (name in earlierNames) {
      this.earlier = earlierNames[name];
      this.offset = view.from - rangeAround(name, shifted(name, view, -1)).from;
    } else if (name) {
      // The range "all" has no previous period.
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

  /** Loads the chosen series for the range that the chart requests. */
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

  /** Shows why a further series cannot be loaded. The chart is shown without it. */
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

  /**
   * Requests the statistics of the previous period. If the current period is not over, they end at the
   * corresponding time.
   */
  async figures({ from, to, source }, signal) {
    if (!this.isComparing) return null;
    const { offset } = this;
    const end = Math.min(to, Math.max(from + 1, Date.now())) - offset;
    const { type } = this.type;
    return readable(await get("/api/statistics", { type, from: from - offset, to: end, source }, signal));
  }
}
