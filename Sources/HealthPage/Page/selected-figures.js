// The figures of the time range that the user has selected on a chart.

import { fill, h, say } from "./dom.js";
import { get } from "./api.js";
import { averageName, count, duration, number, span } from "./format.js";
import { readable } from "./per-cent.js";

export class SelectedFigures {
  /**
   * @param {object} chart A {@link TimeChart}, which calls `take` when its selection changes.
   * @param {() => object} asked Returns the type and the sources of the figures, as parameters of the
   *   request.
   * @param {object} how
   * @param {number} how.digits
   * @param {string} how.unit The unit as the page shows it.
   */
  constructor(chart, asked, { digits, unit }) {
    Object.assign(this, { chart, asked, digits, unit });
    this.button = h("button", {
      type: "button", "aria-pressed": "false", title: "Or hold Shift and drag", onclick: () => this.#toggle(),
    }, "Select a time");
    this.text = h("span", { role: "status" });
    this.element = h("p.row.selected", { hidden: true }, this.text,
      h("button", { type: "button", onclick: () => this.#zoom() }, "Zoom in"),
      h("button.plain", { type: "button", onclick: () => chart.select(null) }, "Clear"));
  }

  close() {
    this.loading?.abort();
  }

  #toggle() {
    const { chart, button } = this;
    chart.isSelecting = !chart.isSelecting;
    button.setAttribute("aria-pressed", String(chart.isSelecting));
    chart.frame.classList.toggle("selecting", chart.isSelecting);
    if (!chart.isSelecting && chart.selection) chart.select(null);
  }

  #zoom() {
    const { from, to } = this.chart.selection;
    this.chart.select(null);
    this.chart.show(from, to, { animated: true });
    this.chart.frame.focus({ preventScroll: true });
  }

  /** Shows the figures of a selection. While the user is still dragging, only shows its time range. */
  async take(selection, isOver) {
    this.loading?.abort();
    this.element.hidden = !selection;
    if (!selection) return fill(this.text);
    const { from, to } = selection;
    const time = `${span(from, to)} (${duration(to - from)})`;
    if (!isOver || from === to) return say(this.text, time);
    const { signal } = this.loading = new AbortController();
    this.element.setAttribute("aria-busy", "true");
    const figures = await get("/api/statistics", { ...this.asked(), from, to }, signal)
      .then((answer) => this.#words(readable(answer)), (error) => error.message);
    if (signal.aborted) return;
    this.element.removeAttribute("aria-busy");
    say(this.text, `${time}: ${figures}`);
  }

  #words({ sum, min, max, average: mean, count: values }) {
    const exactly = (value) => number(value, this.digits, true);
    const unit = this.unit && ` ${this.unit}`;
    if (sum !== undefined) return `${exactly(sum)}${unit} in all.`;
    if (min === undefined) return "nothing was measured.";
    return `lowest ${exactly(min)}, highest ${exactly(max)}, ${averageName} ${exactly(mean)}${unit}, of`
      + ` ${count(values, "value")}.`;
  }
}
