// A chart over time. It shows loaded data at once, loads the rest for its view, and draws no line across a
// gap.

import { h, say, reducedMotion } from "../dom.js";
import { palette, onTheme, sharpContext } from "./palette.js";
import { stepFor } from "./series.js";
import { arranged } from "./arrangement.js";
import { describe } from "./chart-words.js";
import { listen } from "./chart-input.js";
import { margin, paintChart } from "./chart-painter.js";
import { companionTexts, prepared } from "./companions.js";
import { looks } from "./looks.js";
import { pictureOf } from "./picture.js";

const shortest = 2000;
const longest = 60 * 366 * 86400_000;
/** Duration of an animated move in milliseconds. */
const movement = 170;

export class TimeChart {
  /**
   * @param {object} options
   * @param {string} options.label The contents, for screen readers.
   * @param {string} options.unit The unit for readers: "beats a minute".
   * @param {(want: {from, to, step, signal}) => Promise<{source, name, data}[]>} options.load Returns one
   *   layer for each source; `data` is `Buckets` or `Values` of series.js.
   * @param {(want) => Promise<object[]>} [options.gaps] Returns gaps with `start`, `end`, `text` and
   *   `source`.
   * @param {(want) => Promise<object[]>} [options.companions] Returns further series (companions.js).
   * @param {(view: {from, to, settled: boolean}) => void} [options.onView]
   * @param {(selection: {from, to}|null, isOver: boolean) => void} [options.onSelect] Called when the user
   *   selects a time; without it no time can be selected. `isOver` is false while the user drags.
   * @param {(layers) => void} [options.onData]
   * @param {number} [options.holds] How long a single value counts, in milliseconds.
   * @param {number} [options.joins] Maximum distance of two values that are joined by a line; by default as
   *   long as one counts.
   * @param {(span: number, width: number) => number} [options.stepOf] Returns the step for a time span.
   * @param {(source: string) => number} [options.placeOf] Returns the index of a source's look, which does
   *   not change.
   * @param {number} [options.room] The minimum span of the value axis.
   * @param {number} [options.digits]
   * @param {string} [options.marked] The name of a marked value.
   * @param {string} [options.idle] The readout while the pointer is elsewhere.
   * @param {boolean} [options.takesWheel] Whether the wheel zooms without focus.
   * @param {(pen, chart, plot) => void} [options.underlay] Paints what is behind gaps and layers.
   * @param {{from: number, to: number, colour: string}[]} [options.bands] Ranges of the value axis in which
   *   layers have another color, named as in `palette()`.
   * @param {boolean} [options.grid] Whether to draw the grid of electrocardiogram paper.
   */
  constructor(options) {
    this.options = {
      holds: 10_000, room: 40, digits: 0, marked: "an artifact", stepOf: stepFor,
      joins: options.holds ?? 10_000, ...options,
    };
    this.view = { from: Date.now() - 86400_000, to: Date.now() };
    /** Left edge of the plot, with room for the widest label of the value axis; and room on the right. */
    this.left = margin.left;
    this.right = margin.right;
    this.layers = [];
    this.gaps = [];
    /** Further series that are drawn as lines, such as the week before. */
    this.companions = [];
    /** The time that the user has selected, with `from` and `to`. */
    this.selection = null;
    /** Whether dragging selects a time instead of moving the chart. */
    this.isSelecting = false;
    /** The time at which a selection with the keyboard began. */
    this.marked = null;
    /** Sources that the user has hidden. */
    this.hidden = new Set();
    this.cursor = null;
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.readout = h("p.readout.quiet", { "aria-live": "off" });
    this.status = h("p.chart-status", { role: "status" });
    this.frame = h("div.chart-frame", {
      tabindex: 0, role: "application", "aria-roledescription": "chart", "aria-label": options.label,
      "aria-description": "Arrow keys go from value to value, plus and minus zoom, page up and down turn."
        + (options.onSelect ? " Space begins and ends a selection." : ""),
    }, this.canvas, this.status);
    this.element = h("figure.chart", {}, this.frame, this.readout);
    this.rest(this.options.idle);
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

  /** Shows another range, animated on request. */
  show(from, to, { animated = false, now = false } = {}) {
    cancelAnimationFrame(this.animation);
    // Cancel the pending announcement for screen readers, which is for the old range.
    clearTimeout(this.settling);
    const target = { from, to: from + Math.min(longest, Math.max(shortest, to - from)) };
    if (!animated || reducedMotion.matches || !this.layers.length) return this.#setView(target, now);
    // Request the data at once, while the animation is still running.
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

  /** Zooms by a factor (below 1 shows less time). `time` stays in place. */
  zoom(factor, time = (this.view.from + this.view.to) / 2, options) {
    const old = this.view.to - this.view.from;
    const span = Math.min(longest, Math.max(shortest, old * factor));
    const share = (time - this.view.from) / old;
    this.show(time - span * share, time + span * (1 - share), options);
  }

  /** Moves by a share of the width, but not into the future. */
  pan(share, options) {
    const ahead = Math.max(0, Date.now() - this.view.to);
    const by = Math.min((this.view.to - this.view.from) * share, ahead);
    if (!by) return;
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

  /** Reloads the visible range, or the range that the chart is moving to. */
  refresh(view = this.view) {
    return this.#fetch(view);
  }

  /** Pause between updates after commits in milliseconds. In a long range, new values are hardly a pixel. */
  get pause() {
    return Math.min(60_000, (this.view.to - this.view.from) / 6000);
  }

  /** Drops loaded data outside of the view, which may be out of date. */
  forget() {
    this.loaded = null;
  }

  /** Loads data if the loaded data does not cover the view. */
  #need(view, now) {
    const step = this.options.stepOf(view.to - view.from, this.width);
    // A single-value form shows more detail than bars. After zooming in, data that was loaded as bars is
    // loaded again, because the smaller range may have few enough values.
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
    // Also load half of the width on either side, so that dragging shows data immediately.
    const want = this.wanted = {
      from: view.from - span / 2, to: view.to + span / 2, step: this.options.stepOf(span, this.width),
      signal: loading.signal,
    };
    this.element.setAttribute("aria-busy", "true");
    try {
      const [layers, gaps, companions] = await Promise.all([
        this.options.load(want), this.options.gaps?.(want) ?? [], this.options.companions?.(want) ?? [],
      ]);
      if (loading.signal.aborted) return;
      this.companions = companions.map(prepared);
      want.isFinest = layers.every((layer) => layer.data.form === "values");
      Object.assign(this, { layers, gaps, loaded: want });
      this.arrangement();
      this.element.classList.toggle("several", layers.length > 1);
      say(this.status, "");
      this.options.onData?.(layers);
      // Draw now and not in the next frame, because code that waits for this request expects the chart to be
      // drawn.
      this.draw();
    } catch (error) {
      if (error.name === "AbortError" || loading.signal.aborted) return;
      say(this.status, error.message);
    } finally {
      if (this.loading === loading) {
        this.wanted = null;
        this.element.removeAttribute("aria-busy");
      }
    }
    this.#showReadout();
    this.redraw();
  }

  /** The layers of the sources that are not hidden. */
  shownLayers() {
    return this.layers.filter((layer) => !this.hidden.has(layer.source));
  }

  /** The look of a source (color, dashes and marks), which does not change. */
  lookOf(layer) {
    const place = Math.max(0, this.options.placeOf?.(layer.source) ?? this.layers.indexOf(layer));
    const look = looks[place % looks.length];
    return { ...look, colour: palette()[this.band?.colour ?? look.ink] };
  }

  /** The arrangement of layers and gaps, which is cached until the data or the hidden sources change. */
  arrangement() {
    const key = [...this.hidden].join("\n");
    const known = this.known;
    if (known?.layers !== this.layers || known.gaps !== this.gaps || known.key !== key) {
      const { layers, gaps } = this;
      this.known = { layers, gaps, key, ...arranged(this.shownLayers(), gaps, this.hidden) };
    }
    return this.known;
  }

  // Places ----------------------------------------------------------------------------------------------

  /** Width of the plot. The frame's width is cached, because reading it for each point is slow. */
  get width() {
    this.frameWidth ||= this.frame.clientWidth;
    return Math.max(40, this.frameWidth - this.left - this.right);
  }

  x(time) { return this.left + ((time - this.view.from) / (this.view.to - this.view.from)) * this.width; }
  time(x) { return this.view.from + ((x - this.left) / this.width) * (this.view.to - this.view.from); }

  /** Sets or removes the cursor; `aloud` announces its values to screen readers. */
  point(time, { aloud = false } = {}) {
    const isInside = time !== null && time >= this.view.from && time <= this.view.to;
    this.cursor = isInside ? { time } : null;
    this.readout.setAttribute("aria-live", aloud ? "polite" : "off");
    this.#showReadout();
    this.redraw();
  }

  /** Selects a time; null selects none. @param {boolean} isOver Whether the user has finished. */
  select(selection, isOver = true) {
    this.selection = selection;
    this.options.onSelect(selection, isOver);
    this.redraw();
  }

  /** Sets the readout for the time without a cursor. */
  rest(text = "\u00a0") {
    this.idle = text;
    this.#showReadout();
  }

  #showReadout() {
    this.readout.classList.toggle("quiet", !this.cursor);
    const time = this.cursor?.time;
    say(this.readout, this.cursor ? [describe(this, time), ...companionTexts(this, time)].join(" · ")
      : this.idle);
  }

  // Drawing ---------------------------------------------------------------------------------------------

  #resize() {
    this.frameWidth = this.frame.clientWidth;
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
    this.frameWidth = clientWidth;
    if (!clientWidth || !clientHeight) return;
    const begun = performance.now();
    paintChart(sharpContext(this.canvas, clientWidth, clientHeight), this, clientWidth, clientHeight);
    if (this.left !== this.shownLeft) {
      this.shownLeft = this.left;
      this.element.style.setProperty("--left", `${this.left}px`);
    }
    this.frames = (this.frames ?? 0) + 1;
    if (this.frames % 500 === 0) performance.clearMeasures("chart-frame");
    performance.measure("chart-frame", { start: begun, end: performance.now() });
  }

  /** An image of the visible chart. @returns {Promise<Blob>} */
  picture(title, lines = []) {
    const { clientWidth: width, clientHeight: height } = this.frame;
    const { cursor } = this;
    this.cursor = null;
    const legend = this.shownLayers().filter((layer) => layer.name)
      .map((layer) => ({ name: layer.name, ...this.lookOf(layer) }))
      .concat(this.companions.map(({ name, ink, dash }) => ({ name, dash, colour: palette()[ink] })));
    const picture = pictureOf({
      title, lines, width, height, legend,
      paint: (pen) => paintChart(pen, this, width, height),
    });
    this.cursor = cursor;
    return picture;
  }
}
