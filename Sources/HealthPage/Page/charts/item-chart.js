// A chart of single items, such as the stages of a night. Pointer and arrow keys go from item to item, and
// the readout says each one; a table lists all of them.

import { h, fill, say } from "../dom.js";
import { palette, onTheme, sharpContext } from "./palette.js";

export class ItemChart {
  #items = [];
  #idle = "\u00a0";

  /**
   * @param {object} options
   * @param {string} options.label The chart's name for screen readers.
   * @param {(pen, chart: ItemChart, width: number, height: number, colours) => void} options.paint
   * @param {(item, chart: ItemChart, width: number) => [number, number]} options.boundsOf Left and right
   *   edge of an item in pixels.
   * @param {(item) => string} options.textOf An item in words.
   * @param {[string, (item) => (string|Node), boolean?][]} options.columns Name, cell, and whether it is a
   *   number. The cells of the first column are the headings of the rows.
   * @param {(item) => void} [options.onChoose] Called for a click, and for Enter.
   * @param {string} [options.size] A class of the frame.
   */
  constructor(options) {
    this.options = options;
    this.current = -1;
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.readout = h("p.readout.quiet", { "aria-live": "off" });
    const enter = options.onChoose ? ", and Enter opens one" : "";
    this.frame = h(["div", "chart-frame", options.size ?? "low"].join("."), {
      tabindex: 0, role: "application", "aria-roledescription": "chart", "aria-label": options.label,
      "aria-description": `Arrow keys go from value to value${enter}.`,
      onkeydown: (event) => this.#key(event), onblur: () => this.point(-1),
      onpointermove: (event) => this.point(this.#indexAt(event)),
      onpointerdown: (event) => this.point(this.#indexAt(event)),
      onpointerleave: () => { if (document.activeElement !== this.frame) this.point(-1); },
      onclick: (event) => this.#choose(this.#indexAt(event)),
    }, this.canvas);
    this.element = h("figure.chart", {}, this.frame, this.readout);
    this.rows = h("div.scroll.long",
      { tabindex: 0, role: "region", "aria-label": `${options.label}, as a table` });
    this.table = h("details", {}, h("summary", {}, "As a table"), this.rows);
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.frame);
    this.stopTheme = onTheme(() => this.draw());
  }

  close() {
    this.observer.disconnect();
    this.stopTheme();
  }

  get items() { return this.#items; }

  /** Replaces the items. `idle` is the readout while the pointer is on no item. */
  take(items, idle = "\u00a0") {
    this.#items = items;
    this.#idle = idle;
    this.current = -1;
    this.#showReadout();
    this.#fillTable();
    this.draw();
  }

  point(index, { aloud = false } = {}) {
    if (index === this.current) return;
    this.current = index;
    this.readout.setAttribute("aria-live", aloud ? "polite" : "off");
    this.#showReadout();
    this.draw();
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.frame;
    if (!width || !height) return;
    const pen = sharpContext(this.canvas, width, height);
    pen.clearRect(0, 0, width, height);
    const colours = palette();
    pen.font = `12px ${colours.font}`;
    this.options.paint(pen, this, width, height, colours);
    const item = this.#items[this.current];
    if (!item) return;
    const [left, right] = this.options.boundsOf(item, this, width);
    pen.strokeStyle = colours.ink;
    pen.lineWidth = 1;
    pen.strokeRect(Math.round(left) - 0.5, 4.5, Math.max(2, Math.round(right - left) + 1), height - 30);
  }

  #showReadout() {
    const item = this.#items[this.current];
    this.readout.classList.toggle("quiet", !item);
    say(this.readout, item ? this.options.textOf(item) : this.#idle);
  }

  #indexAt(event) {
    const { left, width } = this.frame.getBoundingClientRect();
    const x = event.clientX - left;
    return this.#items.findIndex((item) => {
      const [from, to] = this.options.boundsOf(item, this, width);
      return from <= x && x < Math.max(to, from + 2);
    });
  }

  #choose(index) {
    if (this.#items[index]) this.options.onChoose?.(this.#items[index]);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.#items.length - 1;
    const to = (index) => this.point(Math.min(last, Math.max(0, index)), { aloud: true });
    switch (event.key) {
      case "ArrowLeft": to(this.current < 0 ? last : this.current - 1); break;
      case "ArrowRight": to(this.current + 1); break;
      case "Home": to(0); break;
      case "End": to(last); break;
      case "Enter": this.#choose(this.current); break;
      case "Escape": this.point(-1); break;
      default: return;
    }
    event.preventDefault();
  }

  #fillTable() {
    const { columns } = this.options;
    const cell = (item, [, text, isNumber], i) =>
      (i ? h(isNumber ? "td.number" : "td", {}, text(item)) : h("th", { scope: "row" }, text(item)));
    fill(this.rows, h("table", {},
      h("thead", {}, h("tr", {}, columns.map(([name, , isNumber]) =>
        h(isNumber ? "th.number" : "th", { scope: "col" }, name)))),
      h("tbody", {}, this.#items.map((item) => h("tr", {}, columns.map((each, i) => cell(item, each, i)))))));
  }
}
