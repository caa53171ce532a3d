// A chart over time. It shows what it has at once, asks for what its view needs, and never joins what was
// not measured.

import { h, say, reducedMotion } from "../dom.js";
import { palette, onTheme, sharpContext } from "./palette.js";
import { stepFor } from "./series.js";
import { describe } from "./chart-words.js";
import { listen } from "./chart-input.js";
import { margin, paintChart } from "./chart-painter.js";

const shortest = 2000;
const longest = 60 * 366 * 86400_000;
/** How long a movement to another stretch lasts, in milliseconds. */
const movement = 170;

export class TimeChart {
  /**
   * @param {object} options
   * @param {string} options.label What is drawn, for screen readers.
   * @param {string} options.unit As people say it: "beats a minute".
   * @param {(want: {from, to, step, signal}) => Promise<{source, name, data}[]>} options.load One layer for
   *   each source that is drawn by itself; `data` is `Buckets` or `Values` of series.js.
   * @param {(want) => Promise<object[]>} [options.gaps] Stretches with `start`, `end`, `text`.
   * @param {(view: {from, to, settled: boolean}) => void} [options.onView]
   * @param {(layers) => void} [options.onData]
   * @param {number} [options.holds] For so long a single value is joined to the next, in milliseconds.
   * @param {number} [options.room] The least span of the value axis.
   * @param {number} [options.digits]
   * @param {string} [options.marked] What a marked value is.
   * @param {boolean} [options.grid] Whether to draw the squares of an electrocardiogram's paper.
   */
  constructor(options) {
    this.options = { holds: 10_000, room: 40, digits: 0, marked: "an artefact", ...options };
    this.view = { from: Date.now() - 86400_000, to: Date.now() };
    this.layers = [];
    this.gaps = [];
    /** Sources that the reader does not want to see. */
    this.hidden = new Set();
    this.cursor = null;
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.readout = h("p.readout", { "aria-live": "off" }, "\u00a0");
    this.status = h("p.chart-status", { role: "status" });
    this.frame = h("div.chart-frame", {
      tabindex: 0, role: "application", "aria-roledescription": "chart", "aria-label": options.label,
      "aria-description": "Arrow keys go from value to value, plus and minus zoom, page up and down turn.",
    }, this.canvas, this.status);
    this.element = h("figure.chart", {}, this.frame, this.readout);
    listen(this);
    this.observer = new ResizeObserver(() => this.#resize());
    this.observer.observe(this.frame);
    this.stopTheme = onTheme(() => { this.pattern = null; this.redraw(); });
  }

  close() {
    this.observer.disconnect();
    this.stopTheme();
    this.loading?.abort();
    clearTimeout(this.timer);
    clearTimeout(this.settling);
    cancelAnimationFrame(this.animation);
    cancelAnimationFrame(this.pending);
  }

  // View ------------------------------------------------------------------------------------------------

  /** Shows another stretch of time; on request in a short movement. */
  show(from, to, { animated = false, now = false } = {}) {
    cancelAnimationFrame(this.animation);
    // What was about to be told is not where the chart is going.
    clearTimeout(this.settling);
    const target = { from, to: from + Math.min(longest, Math.max(shortest, to - from)) };
    if (!animated || reducedMotion.matches || !this.layers.length) return this.#setView(target, now);
    // What will be needed is asked for while the chart still moves.
    this.#need(target, true);
    const origin = { ...this.view };
    const began = performance.now();
    const frame = (time) => {
      const share = Math.min(1, Math.max(0, (time - began) / movement));
      if (share === 1) return this.#setView(target, false);
      const eased = 1 - (1 - share) ** 3;
      this.view = {
        from: origin.from + (target.from - origin.from) * eased,
        to: origin.to + (target.to - origin.to) * eased,
      };
      this.draw();
      this.animation = requestAnimationFrame(frame);
    };
    this.animation = requestAnimationFrame(frame);
  }

  /** Zooms by a factor (below 1 shows less time), with `time` staying where it is. */
  zoom(factor, time = (this.view.from + this.view.to) / 2, options) {
    const old = this.view.to - this.view.from;
    const span = Math.min(longest, Math.max(shortest, old * factor));
    const share = (time - this.view.from) / old;
    this.show(time - span * share, time + span * (1 - share), options);
  }

  /** Moves by a share of the width. */
  pan(share, options) {
    const by = (this.view.to - this.view.from) * share;
    this.show(this.view.from + by, this.view.to + by, options);
  }

  #setView(view, now) {
    this.view = view;
    this.redraw();
    this.options.onView?.({ ...view, settled: false });
    this.#need(view, now);
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.options.onView?.({ ...this.view, settled: true }), now ? 0 : 180);
  }

  // Data ------------------------------------------------------------------------------------------------

  /** Asks anew for what is shown. */
  refresh() {
    return this.#fetch(this.view);
  }

  /** Asks for data where what there is does not do. */
  #need(view, now) {
    const step = stepFor(view.to - view.from, this.width);
    // Where single values were asked for and there were too many, a shorter stretch has fewer.
    const span = view.to - view.from;
    const isFineEnough = (range) => step > 0 || range.isFinest || range.to - range.from <= 3 * span;
    const does = (range) => range?.step === step && range.from <= view.from && range.to >= view.to
      && isFineEnough(range);
    if (does(this.loaded) || does(this.wanted)) return;
    clearTimeout(this.timer);
    if (now) this.#fetch(view);
    else this.timer = setTimeout(() => this.#fetch(view), 70);
  }

  async #fetch(view) {
    clearTimeout(this.timer);
    this.loading?.abort();
    const loading = this.loading = new AbortController();
    const span = view.to - view.from;
    // Half a width more on either side, so that there is something to see while the chart is dragged.
    const want = this.wanted = {
      from: view.from - span / 2, to: view.to + span / 2, step: stepFor(span, this.width),
      signal: loading.signal,
    };
    this.element.setAttribute("aria-busy", "true");
    try {
      const [layers, gaps] = await Promise.all([this.options.load(want), this.options.gaps?.(want) ?? []]);
      if (loading.signal.aborted) return;
      want.isFinest = layers.every((layer) => layer.data.form === "values");
      Object.assign(this, { layers, gaps, loaded: want });
      say(this.status, "");
      this.options.onData?.(layers);
    } catch (error) {
      if (error.name === "AbortError" || loading.signal.aborted) return;
      say(this.status, error.message);
    } finally {
      if (this.loading === loading) {
        this.wanted = null;
        this.element.removeAttribute("aria-busy");
      }
    }
    if (this.cursor) say(this.readout, describe(this, this.cursor.time));
    this.redraw();
  }

  /** What is drawn: the sources that the reader wants to see. */
  shownLayers() {
    return this.layers.filter((layer) => !this.hidden.has(layer.source));
  }

  /** The accent for the first source, ink and grey for others. */
  colourOf(layer) {
    const { accent, ink, quiet } = palette();
    return [accent, ink, quiet][Math.max(0, this.layers.indexOf(layer)) % 3];
  }

  // Places ----------------------------------------------------------------------------------------------

  get width() { return Math.max(40, this.frame.clientWidth - margin.left - margin.right); }
  x(time) { return margin.left + ((time - this.view.from) / (this.view.to - this.view.from)) * this.width; }
  time(x) { return this.view.from + ((x - margin.left) / this.width) * (this.view.to - this.view.from); }

  /** Puts the cursor at a time, or takes it away; `aloud` has a screen reader tell what is there. */
  point(time, { aloud = false } = {}) {
    const isInside = time !== null && time >= this.view.from && time <= this.view.to;
    this.cursor = isInside ? { time } : null;
    this.readout.setAttribute("aria-live", aloud ? "polite" : "off");
    say(this.readout, isInside ? describe(this, time) : "\u00a0");
    this.redraw();
  }

  // Drawing ---------------------------------------------------------------------------------------------

  #resize() {
    this.#need(this.view, !this.loaded);
    this.draw();
  }

  /** Draws in the next frame. */
  redraw() {
    this.pending ||= requestAnimationFrame(() => this.draw());
  }

  draw() {
    cancelAnimationFrame(this.pending);
    this.pending = 0;
    const { clientWidth, clientHeight } = this.frame;
    if (!clientWidth || !clientHeight) return;
    const begun = performance.now();
    paintChart(sharpContext(this.canvas, clientWidth, clientHeight), this, clientWidth, clientHeight);
    this.frames = (this.frames ?? 0) + 1;
    if (this.frames % 500 === 0) performance.clearMeasures("chart-frame");
    performance.measure("chart-frame", { start: begun, end: performance.now() });
  }

  /** A picture of what is shown, with a heading. @returns {Promise<Blob>} */
  picture(title) {
    const { clientWidth: width, clientHeight: height } = this.frame;
    const chart = document.createElement("canvas");
    const { cursor } = this;
    this.cursor = null;
    paintChart(sharpContext(chart, width, height), this, width, height);
    this.cursor = cursor;
    const canvas = document.createElement("canvas");
    const pen = sharpContext(canvas, width + 32, height + 56);
    const colours = palette();
    pen.fillStyle = colours.paper;
    pen.fillRect(0, 0, width + 32, height + 56);
    pen.drawImage(chart, 16, 44, width, height);
    pen.fillStyle = colours.ink;
    pen.font = `600 15px ${colours.font}`;
    pen.fillText(title, 20, 30);
    return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  }
}
