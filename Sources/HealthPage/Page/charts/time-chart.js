// A chart over time. It shows what it has at once, asks for what its view needs, and never joins what was
// not measured.

import { h, say, reducedMotion } from "../dom.js";
import { palette, onTheme, sharpContext } from "./palette.js";
import { stepFor } from "./series.js";
import { arranged } from "./arrangement.js";
import { describe } from "./chart-words.js";
import { listen } from "./chart-input.js";
import { margin, paintChart } from "./chart-painter.js";
import { looks } from "./looks.js";
import { pictureOf } from "./picture.js";

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
   * @param {(want) => Promise<object[]>} [options.gaps] Stretches with `start`, `end`, `text`, and the
   *   `source` of which nothing came.
   * @param {(view: {from, to, settled: boolean}) => void} [options.onView]
   * @param {(layers) => void} [options.onData]
   * @param {number} [options.holds] For so long a single value is joined to the next, in milliseconds.
   * @param {number} [options.joins] So far apart two values may be and still have a line between them; as
   *   long as one holds where nothing is said.
   * @param {(span: number, width: number) => number} [options.stepOf] The step for a stretch of time.
   * @param {(source: string) => number} [options.placeOf] Which look a source has, always the same one.
   * @param {number} [options.room] The least span of the value axis.
   * @param {number} [options.digits]
   * @param {string} [options.marked] What a marked value is.
   * @param {string} [options.idle] What is said below where nothing is pointed at.
   * @param {boolean} [options.takesWheel] Whether the wheel zooms also where the chart has no focus.
   * @param {boolean} [options.grid] Whether to draw the squares of an electrocardiogram's paper.
   */
  constructor(options) {
    this.options = {
      holds: 10_000, room: 40, digits: 0, marked: "an artefact", stepOf: stepFor,
      joins: options.holds ?? 10_000, ...options,
    };
    this.view = { from: Date.now() - 86400_000, to: Date.now() };
    /** Where the plot begins, which has room for the widest label of the value axis. */
    this.left = margin.left;
    this.layers = [];
    this.gaps = [];
    /** Sources that the reader does not want to see. */
    this.hidden = new Set();
    this.cursor = null;
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.readout = h("p.readout.quiet", { "aria-live": "off" });
    this.status = h("p.chart-status", { role: "status" });
    this.frame = h("div.chart-frame", {
      tabindex: 0, role: "application", "aria-roledescription": "chart", "aria-label": options.label,
      "aria-description": "Arrow keys go from value to value, plus and minus zoom, page up and down turn.",
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

  /** Moves by a share of the width, but not into the future: nothing is measured there yet. */
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

  /** Asks anew for what is shown, or will be in a moment. */
  refresh(view = this.view) {
    return this.#fetch(view);
  }

  /** For so long what is committed can wait, in milliseconds: of a long time it is hardly a pixel. */
  get pause() {
    return Math.min(60_000, (this.view.to - this.view.from) / 6000);
  }

  /** What was loaded beyond the view is not what is there now: whoever moves asks anew. */
  forget() {
    this.loaded = null;
  }

  /** Asks for data where what there is does not do. */
  #need(view, now) {
    const step = this.options.stepOf(view.to - view.from, this.width);
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
      from: view.from - span / 2, to: view.to + span / 2, step: this.options.stepOf(span, this.width),
      signal: loading.signal,
    };
    this.element.setAttribute("aria-busy", "true");
    try {
      const [layers, gaps] = await Promise.all([this.options.load(want), this.options.gaps?.(want) ?? []]);
      if (loading.signal.aborted) return;
      want.isFinest = layers.every((layer) => layer.data.form === "values");
      Object.assign(this, { layers, gaps, loaded: want });
      this.arrangement();
      this.element.classList.toggle("several", layers.length > 1);
      say(this.status, "");
      this.options.onData?.(layers);
      // Who waits until nothing is asked for any more then sees it.
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
    this.#tell();
    this.redraw();
  }

  /** What is drawn: the sources that the reader wants to see. */
  shownLayers() {
    return this.layers.filter((layer) => !this.hidden.has(layer.source));
  }

  /** The look of a source: a colour with dashes and marks, always the same. */
  lookOf(layer) {
    const place = Math.max(0, this.options.placeOf?.(layer.source) ?? this.layers.indexOf(layer));
    return { ...looks[place % looks.length], colour: palette()[looks[place % looks.length].ink] };
  }

  /** What is drawn, and what is missing: made anew where there is other data, or a source is hidden. */
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

  /** How wide the plot is. The frame is measured when it changes: asked for each point it takes its time. */
  get width() {
    this.frameWidth ||= this.frame.clientWidth;
    return Math.max(40, this.frameWidth - this.left - margin.right);
  }

  x(time) { return this.left + ((time - this.view.from) / (this.view.to - this.view.from)) * this.width; }
  time(x) { return this.view.from + ((x - this.left) / this.width) * (this.view.to - this.view.from); }

  /** Puts the cursor at a time, or takes it away; `aloud` has a screen reader tell what is there. */
  point(time, { aloud = false } = {}) {
    const isInside = time !== null && time >= this.view.from && time <= this.view.to;
    this.cursor = isInside ? { time } : null;
    this.readout.setAttribute("aria-live", aloud ? "polite" : "off");
    this.#tell();
    this.redraw();
  }

  /** Says what the chart is of, where nothing is pointed at. */
  rest(text = "\u00a0") {
    this.idle = text;
    this.#tell();
  }

  #tell() {
    this.readout.classList.toggle("quiet", !this.cursor);
    say(this.readout, this.cursor ? describe(this, this.cursor.time) : this.idle);
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
    if (this.left !== this.toldLeft) {
      this.toldLeft = this.left;
      this.element.style.setProperty("--left", `${this.left}px`);
    }
    this.frames = (this.frames ?? 0) + 1;
    if (this.frames % 500 === 0) performance.clearMeasures("chart-frame");
    performance.measure("chart-frame", { start: begun, end: performance.now() });
  }

  /**
   * A picture of what is shown.
   * @returns {Promise<Blob>}
   */
  picture(title, lines = []) {
    const { clientWidth: width, clientHeight: height } = this.frame;
    const { cursor } = this;
    this.cursor = null;
    const legend = this.shownLayers().filter((layer) => layer.name)
      .map((layer) => ({ name: layer.name, ...this.lookOf(layer) }));
    const picture = pictureOf({
      title, lines, width, height, legend,
      paint: (pen) => paintChart(pen, this, width, height),
    });
    this.cursor = cursor;
    return picture;
  }
}
