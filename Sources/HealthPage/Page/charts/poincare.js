// Poincaré plot: each RR interval against the one before.

import { h, fill } from "../dom.js";
import { number } from "../format.js";
import { palette, onTheme, sharpContext } from "./palette.js";

/** Maximum number of rows. */
const mostRows = 500;

export class PoincarePlot {
  constructor() {
    this.canvas = h("canvas.square", { role: "img", "aria-label": "Poincaré plot" });
    this.element = h("figure", {}, this.canvas);
    this.body = h("div.scroll.long",
      { tabindex: 0, role: "region", "aria-label": "Pairs of intervals, as a table" });
    /** A table for readers who do not see the plot. */
    this.table = h("details", { ontoggle: () => this.#refill() }, h("summary", {}, "As a table"), this.body);
    this.pairs = [];
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.canvas);
    this.stopTheme = onTheme(() => this.draw());
  }

  close() {
    this.observer.disconnect();
    this.stopTheme();
  }

  /**
   * Forms pairs of consecutive intervals. An artifact, or an interval after a gap, is not in a pair.
   * @param {import("./series.js").Values} values
   */
  take(values, from, to, { sd1, sd2 } = {}) {
    this.pairs = [];
    const { time, value, marks } = values;
    for (let i = 1; i < time.length; i += 1) {
      if (time[i] < from || time[i] > to || marks?.[i] || marks?.[i - 1]) continue;
      // Intervals are consecutive if one ends where the next one begins.
      if (Math.abs(time[i] - value[i] - time[i - 1]) > 2) continue;
      this.pairs.push([value[i - 1], value[i]]);
    }
    this.axes = sd1 && sd2 ? { sd1, sd2 } : null;
    this.canvas.setAttribute("aria-label", `Poincaré plot of ${number(this.pairs.length)} pairs of intervals`
      + (this.axes ? `; SD1 ${number(sd1)} ms, SD2 ${number(sd2)} ms` : ""));
    this.draw();
    this.#refill();
  }

  #refill() {
    if (!this.table.open) return;
    const { pairs } = this;
    const caption = pairs.length > mostRows
      ? `The first ${number(mostRows)} of ${number(pairs.length)} pairs, in milliseconds`
      : "Pairs of intervals, in milliseconds";
    fill(this.body, h("table.narrow", {}, h("caption", {}, caption),
      h("thead", {}, h("tr", {}, ["An interval", "The next"].map((name) =>
        h("th.number", { scope: "col" }, name)))),
      h("tbody", {}, pairs.slice(0, mostRows).map((pair) => h("tr", {}, pair.map((interval) =>
        h("td.number", {}, number(interval))))))));
  }

  draw() {
    const size = this.canvas.clientWidth;
    if (!size) return;
    const pen = sharpContext(this.canvas, size, size);
    const colours = palette();
    pen.clearRect(0, 0, size, size);
    const [low, high, step] = this.#bounds();
    const left = 44, bottom = size - 26, top = 8, right = size - 8;
    const x = (value) => left + ((value - low) / (high - low)) * (right - left);
    const y = (value) => bottom - ((value - low) / (high - low)) * (bottom - top);
    pen.font = `12px ${colours.font}`;
    pen.fillStyle = colours.quiet;
    pen.lineWidth = 1;
    pen.strokeStyle = colours.grid;
    pen.beginPath();
    for (let value = low; value <= high; value += step) {
      pen.moveTo(Math.round(x(value)) + 0.5, top);
      pen.lineTo(Math.round(x(value)) + 0.5, bottom);
      pen.moveTo(left, Math.round(y(value)) + 0.5);
      pen.lineTo(right, Math.round(y(value)) + 0.5);
      pen.textAlign = "center";
      pen.textBaseline = "top";
      if (x(value) < right - 10) pen.fillText(number(value), x(value), bottom + 8);
      pen.textAlign = "right";
      pen.textBaseline = "middle";
      pen.fillText(number(value), left - 8, y(value));
    }
    pen.stroke();
    pen.strokeStyle = colours.hair;
    pen.beginPath();
    pen.moveTo(x(low), y(low));
    pen.lineTo(x(high), y(high));
    pen.stroke();
    pen.fillStyle = colours.accent;
    pen.globalAlpha = this.pairs.length > 800 ? 0.3 : 0.5;
    pen.beginPath();
    for (const [a, b] of this.pairs) {
      pen.moveTo(x(a) + 1.75, y(b));
      pen.arc(x(a), y(b), 1.75, 0, 2 * Math.PI);
    }
    pen.fill();
    pen.globalAlpha = 1;
    if (this.axes && this.pairs.length) this.#ellipse(pen, x, y, colours);
  }

  #bounds() {
    let low = Infinity, high = -Infinity;
    for (const [a, b] of this.pairs) {
      low = Math.min(low, a, b);
      high = Math.max(high, a, b);
    }
    if (low > high) [low, high] = [600, 1000];
    const step = high - low > 1200 ? 400 : high - low > 500 ? 200 : 100;
    return [Math.floor((low - 20) / step) * step, Math.ceil((high + 20) / step) * step, step];
  }

  /** The ellipse of SD1 (across the diagonal) and SD2 (along it). */
  #ellipse(pen, x, y, colours) {
    const mean = this.pairs.reduce((sum, [a]) => sum + a, 0) / this.pairs.length;
    const perMillisecond = x(1) - x(0);
    pen.strokeStyle = colours.ink;
    pen.lineWidth = 1.25;
    pen.beginPath();
    pen.ellipse(x(mean), y(mean), this.axes.sd2 * perMillisecond, this.axes.sd1 * perMillisecond,
      -Math.PI / 4, 0, 2 * Math.PI);
    pen.stroke();
  }
}
