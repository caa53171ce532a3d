// Two date fields for a range of days that no button has.

import { h } from "./dom.js";
import { dateText, days, span, startOfDay } from "./format.js";

export class DateRange {
  /** @param {(from: number, to: number) => void} choose Gets the chosen days; `to` is exclusive. */
  constructor(choose) {
    this.choose = choose;
    const input = () => h("input", { type: "date", onchange: () => this.#changed() });
    [this.from, this.to] = [input(), input()];
    const label = (text, control) => h("label.row", {}, h("span.quiet", {}, text), control);
    this.element = h("details.dates", {}, h("summary", {}, "Dates"),
      h("div.row", {}, label("From", this.from), label("To", this.to)));
  }

  /** Shows a range, unless the reader is choosing one. */
  show({ from, to }) {
    if (this.element.contains(document.activeElement) && document.activeElement.type === "date") return;
    this.from.value = dateText(from);
    this.to.value = dateText(to - 1);
  }

  #changed() {
    const [from, to] = [this.from, this.to].map(({ value }) => Date.parse(`${value}T00:00`));
    // One of them is not chosen yet, or they are the wrong way round until the other one is.
    if (!(from <= to)) return;
    this.choose(from, startOfDay(to, 1));
  }
}

/** What a range is called that no button has: its days if they are whole, else its times. */
export function titleOfRange({ from, to }) {
  const areDays = [from, to].every((time) => time === startOfDay(time)) && to > from;
  return areDays ? days(from, to) : span(from, to);
}
