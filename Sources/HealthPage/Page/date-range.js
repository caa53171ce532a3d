// Two date fields for a range of days for which there is no button.

import { h } from "./dom.js";
import { dateText, days, span, startOfDay } from "./format.js";

export class DateRange {
  /** @param {(from: number, to: number) => void} choose Called with the chosen days; `to` is exclusive. */
  constructor(choose) {
    this.choose = choose;
    const input = () => h("input", { type: "date", onchange: () => this.#changed() });
    [this.from, this.to] = [input(), input()];
    const label = (text, control) => h("label.row", {}, h("span.quiet", {}, text), control);
    this.element = h("details.dates", {}, h("summary", {}, "Dates"),
      h("div.row", {}, label("From", this.from), label("To", this.to)));
  }

  /** Shows a range in the fields, unless the user is editing them. */
  show({ from, to }) {
    if (this.element.contains(document.activeElement) && document.activeElement.type === "date") return;
    this.from.value = dateText(from);
    this.to.value = dateText(to - 1);
  }

  #changed() {
    const [from, to] = [this.from, this.to].map(({ value }) => Date.parse(`${value}T00:00`));
    // Wait if a date is missing, or if the dates are in the wrong order because only one is changed so far.
    if (!(from <= to)) return;
    this.choose(from, startOfDay(to, 1));
  }
}

/**
 * Returns the title of a range without a button: its days if it consists of whole days, otherwise its times.
 */
export function titleOfRange({ from, to }) {
  const areDays = [from, to].every((time) => time === startOfDay(time)) && to > from;
  return areDays ? days(from, to) : span(from, to);
}
