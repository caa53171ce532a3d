// A chart over time, drawn on a canvas: range bars with the line of averages, or single values, and what
// stands in between. It shows what it has at once, asks for what the view needs, and never joins what was
// not measured.

import { h, say, reducedMotion } from "../dom.js";
import { palette, onTheme, sharpContext, hatch } from "./palette.js";
import { timeTicks, valueScale } from "./scale.js";
import { stepFor, lastNotAbove } from "./series.js";
import { clock, day, moment, number, sameDay, duration } from "../format.js";

const margin = { left: 44, right: 10, top: 14, bottom: 26 };
const leastSpan = 2000;
const greatestSpan = 60 * 366 * 86400_000;

export class TimeChart {
  /**
   * @param {object} options
   * @param {string} options.label What is drawn, for screen readers.
   * @param {string} options.unit As people say it: "beats a minute".
   * @param {(want: {from, to, step, signal}) => Promise<{source?, name?, data}[]>} options.load One layer for
   *   each source that is drawn by itself.
   * @param {(want) => Promise<object[]>} [options.gaps] Stretches with `start`, `end`, `text`.
   * @param {(view: {from, to, settled: boolean}) => void} [options.onView]
   * @param {(layers) => void} [options.onData]
   * @param {number} [options.holds] For so long a single value is joined to the next, in milliseconds.
   * @param {number} [options.room] The least span of the value axis.
   * @param {number} [options.digits]
   * @param {boolean} [options.grid] Whether to draw the squares of an electrocardiogram's paper.
   */
  constructor(options) {
    this.options = { holds: 10_000, room: 40, digits: 0, ...options };
    this.view = { from: Date.now() - 86400_000, to: Date.now() };
    this.layers = [];
    this.gapList = [];
    this.hidden = new Set();
    this.cursor = null;
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.readout = h("p.readout", { "aria-live": "off" }, "\u00a0");
    this.status = h("p.chart-status", { role: "status" });
    this.frame = h("div.chart-frame", {
      tabindex: 0, role: "application", "aria-roledescription": "chart", "aria-label": options.label,
      "aria-description": "Arrow keys go from value to value, plus and minus zoom, page up and page down turn the page.",
      onkeydown: (event) => this.#key(event),
      onblur: () => this.#point(null),
    }, this.canvas, this.status);
    this.element = h("figure.chart", {}, this.frame, this.readout);
    this.#listenToPointers();
    this.observer = new ResizeObserver(() => this.#resize());
    this.observer.observe(this.frame);
    this.stopTheme = onTheme(() => { this.pattern = null; this.redraw(); });
  }

  close() {
    this.observer.disconnect();
    this.stopTheme();
    this.loading?.abort();
    clearTimeout(this.timer);
    cancelAnimationFrame(this.animation);
  }

  // View ------------------------------------------------------------------------------------------------

  /** Shows another stretch of time; on request in a short movement. */
  show(from, to, { animated = false, now = false } = {}) {
    cancelAnimationFrame(this.animation);
    const target = this.#bounded(from, to);
    if (!animated || reducedMotion.matches || !this.layers.length) {
      this.#setView(target, now);
      return;
    }
    const origin = { ...this.view };
    const began = performance.now();
    this.#need(target, true);
    const step = (time) => {
      const share = Math.min(1, Math.max(0, (time - began) / 170));
      const eased = 1 - (1 - share) ** 3;
      this.view = {
        from: origin.from + (target.from - origin.from) * eased, to: origin.to + (target.to - origin.to) * eased,
      };
      if (share < 1) {
        this.draw();
        this.animation = requestAnimationFrame(step);
      } else {
        this.#setView(target, false);
      }
    };
    this.animation = requestAnimationFrame(step);
  }

  /** Zooms by a factor (below 1 shows less time), with `time` staying where it is. */
  zoom(factor, time = (this.view.from + this.view.to) / 2, options) {
    const span = Math.min(greatestSpan, Math.max(leastSpan, (this.view.to - this.view.from) * factor));
    const share = (time - this.view.from) / (this.view.to - this.view.from);
    this.show(time - span * share, time + span * (1 - share), options);
  }

  /** Moves by a share of the width. */
  pan(share, options) {
    const by = (this.view.to - this.view.from) * share;
    this.show(this.view.from + by, this.view.to + by, options);
  }

  /** Asks anew for what is shown. */
  refresh() {
    this.#fetch(this.view);
  }

  #bounded(from, to) {
    const span = Math.min(greatestSpan, Math.max(leastSpan, to - from));
    return { from, to: from + span };
  }

  #setView(view, now) {
    this.view = view;
    this.redraw();
    this.options.onView?.({ ...view, settled: false });
    this.#need(view, now);
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.options.onView?.({ ...this.view, settled: true }), now ? 0 : 180);
  }

  get width() { return Math.max(40, this.frame.clientWidth - margin.left - margin.right); }
  get height() { return Math.max(40, this.frame.clientHeight - margin.top - margin.bottom); }

  /** Asks for data where what there is does not do. */
  #need(view, now) {
    const step = stepFor(view.to - view.from, this.width);
    const has = this.loaded;
    if (has && has.step === step && has.from <= view.from && has.to >= view.to) return;
    clearTimeout(this.timer);
    if (now) this.#fetch(view);
    else this.timer = setTimeout(() => this.#fetch(view), 70);
  }

  async #fetch(view) {
    clearTimeout(this.timer);
    this.loading?.abort();
    const loading = this.loading = new AbortController();
    const span = view.to - view.from;
    const step = stepFor(span, this.width);
    const want = { from: view.from - span / 2, to: view.to + span / 2, step, signal: loading.signal };
    this.element.setAttribute("aria-busy", "true");
    try {
      const [layers, gaps] = await Promise.all([this.options.load(want), this.options.gaps?.(want) ?? []]);
      if (loading.signal.aborted) return;
      this.layers = layers;
      this.gapList = gaps;
      this.loaded = want;
      say(this.status, "");
      this.options.onData?.(layers);
    } catch (error) {
      if (error.name === "AbortError" || loading.signal.aborted) return;
      say(this.status, error.message);
    } finally {
      if (this.loading === loading) this.element.removeAttribute("aria-busy");
    }
    this.redraw();
  }

  // Pointer ---------------------------------------------------------------------------------------------

  #listenToPointers() {
    const { frame } = this;
    const pointers = new Map();
    let moved = 0;
    let pinch = null;
    const timeAt = (event) => this.time(event.clientX - frame.getBoundingClientRect().left);
    frame.addEventListener("pointerdown", (event) => {
      if (event.button > 0) return;
      cancelAnimationFrame(this.animation);
      pointers.set(event.pointerId, event);
      moved = 0;
      pinch = null;
      frame.setPointerCapture(event.pointerId);
      this.readout.setAttribute("aria-live", "off");
      if (event.pointerType !== "mouse") this.#point(timeAt(event));
    });
    frame.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) {
        this.readout.setAttribute("aria-live", "off");
        this.#point(timeAt(event));
        return;
      }
      pointers.set(event.pointerId, event);
      if (pointers.size === 2) {
        const [a, b] = [...pointers.values()];
        const width = Math.max(20, Math.abs(a.clientX - b.clientX));
        const centre = (timeAt(a) + timeAt(b)) / 2;
        if (pinch) {
          const share = (centre - this.view.from) / (this.view.to - this.view.from);
          const span = (this.view.to - this.view.from) * (pinch.width / width);
          this.show(pinch.centre - span * share, pinch.centre + span * (1 - share));
          pinch.width = width;
        } else {
          pinch = { width, centre };
        }
        return;
      }
      const by = event.clientX - before.clientX;
      moved += Math.abs(by);
      if (moved > 4 && by) this.pan(-by / this.width);
      if (moved > 4) frame.classList.add("dragged");
    });
    const up = (event) => {
      pointers.delete(event.pointerId);
      pinch = null;
      frame.classList.remove("dragged");
    };
    frame.addEventListener("pointerup", up);
    frame.addEventListener("pointercancel", up);
    frame.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse" && document.activeElement !== frame) this.#point(null);
    });
    frame.addEventListener("dblclick", (event) => this.zoom(0.4, timeAt(event), { animated: true }));
    frame.addEventListener("wheel", (event) => {
      event.preventDefault();
      const unit = event.deltaMode === 1 ? 16 : 1;
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan((event.deltaX * unit) / this.width);
      else this.zoom(Math.exp(Math.max(-240, Math.min(240, event.deltaY * unit)) * 0.0022), timeAt(event));
      this.#point(timeAt(event));
    }, { passive: false });
  }

  // Keys ------------------------------------------------------------------------------------------------

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const centre = this.cursor?.time;
    const options = { animated: true };
    switch (event.key) {
      case "ArrowLeft": this.#step(event.shiftKey ? -10 : -1); break;
      case "ArrowRight": this.#step(event.shiftKey ? 10 : 1); break;
      case "Home": this.#edge(1); break;
      case "End": this.#edge(-1); break;
      case "+": case "=": case "ArrowUp": this.zoom(0.5, centre, options); break;
      case "-": case "_": case "ArrowDown": this.zoom(2, centre, options); break;
      case "PageUp": this.pan(-0.9, options); break;
      case "PageDown": this.pan(0.9, options); break;
      case "Escape": this.#point(null); break;
      default: return;
    }
    event.preventDefault();
  }

  #step(by) {
    this.readout.setAttribute("aria-live", "polite");
    const layer = this.#visible()[0];
    if (!layer) return;
    const { data } = layer;
    const times = data.form === "values" ? data.time : data.start;
    const has = (i) => data.form === "values" || data.count[i] > 0;
    let i = this.cursor
      ? lastNotAbove(times, this.cursor.time) + by
      : (by > 0 ? lastNotAbove(times, this.view.from) + 1 : lastNotAbove(times, this.view.to));
    const way = Math.sign(by);
    while (i >= 0 && i < times.length && !has(i)) i += way;
    if (i < 0 || i >= times.length) return;
    const time = data.form === "values" ? times[i] : (data.start[i] + data.end[i]) / 2;
    if (time < this.view.from) this.pan(-0.5);
    else if (time > this.view.to) this.pan(0.5);
    this.#point(time);
  }

  #edge(way) {
    this.cursor = null;
    this.#step(way);
  }

  // What stands at a time -------------------------------------------------------------------------------

  x(time) { return margin.left + ((time - this.view.from) / (this.view.to - this.view.from)) * this.width; }
  time(x) { return this.view.from + ((x - margin.left) / this.width) * (this.view.to - this.view.from); }

  #visible() { return this.layers.filter((layer) => !this.hidden.has(layer.source)); }

  #point(time) {
    if (time !== null && (time < this.view.from || time > this.view.to)) time = null;
    this.cursor = time === null ? null : { time };
    say(this.readout, this.cursor ? this.describe(time) : "\u00a0");
    this.redraw();
  }

  /** What there is at a time, as a sentence. */
  describe(time) {
    const parts = [];
    let when = null;
    const layers = this.#visible();
    for (const layer of layers) {
      const found = this.#at(layer, time);
      if (!found) continue;
      when ??= found.when;
      const name = layers.length > 1 || found.name ? `${found.name ?? layer.name}: ` : "";
      parts.push(name + found.text);
    }
    if (parts.length) return `${when} · ${parts.join(" · ")}`;
    const gap = this.gapList.find((each) => each.start <= time && time < (each.end ?? Date.now()));
    const at = moment(time, { seconds: this.view.to - this.view.from < 7200_000 });
    if (!gap) return `${at} · nothing was measured`;
    return `${at} · no measurement: ${gap.text}, ${this.#gapText(gap)}`;
  }

  #gapText(gap) {
    if (!gap.end) return `since ${moment(gap.start)}`;
    return `${clock(gap.start)} to ${clock(gap.end)} (${duration(gap.end - gap.start)})`;
  }

  #at({ data }, time) {
    const { digits, unit } = this.options;
    if (data.form === "values") {
      const i = this.#nearest(data.time, time);
      if (i < 0 || Math.abs(this.x(data.time[i]) - this.x(time)) > 14) return null;
      const wrong = data.marks?.[i] ? ", an artefact" : "";
      return {
        when: moment(data.time[i], { milliseconds: data.time[i] % 1000 !== 0, seconds: true }),
        text: `${number(data.value[i], digits)} ${unit}${wrong}`,
        name: data.sources.length > 1 ? data.sources[data.from[i]]?.name : null,
      };
    }
    const i = lastNotAbove(data.start, time);
    if (i < 0 || data.end[i] <= time || !data.count[i]) return null;
    const when = bucketText(data.start[i], data.end[i]);
    const values = data.count[i] > 1 ? ` (${number(data.count[i])} values)` : "";
    if (data.isSum) return { when, text: `${number(data.high[i], digits)} ${unit}${values}` };
    const average = number(data.average[i], digits + 1);
    if (data.low[i] === data.high[i]) return { when, text: `${number(data.low[i], digits)} ${unit}${values}` };
    return { when, text: `${number(data.low[i], digits)} to ${number(data.high[i], digits)}, average ${average} ${unit}${values}` };
  }

  #nearest(times, time) {
    const i = lastNotAbove(times, time);
    if (i < 0) return times.length ? 0 : -1;
    return i + 1 < times.length && times[i + 1] - time < time - times[i] ? i + 1 : i;
  }

  // Drawing ---------------------------------------------------------------------------------------------

  #resize() {
    this.#need(this.view, !this.loaded);
    this.draw();
  }

  /** Draws in the next frame. */
  redraw() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => this.draw());
  }

  draw() {
    cancelAnimationFrame(this.pending);
    this.pending = 0;
    const begun = performance.now();
    const { clientWidth, clientHeight } = this.frame;
    if (!clientWidth || !clientHeight) return;
    const pen = sharpContext(this.canvas, clientWidth, clientHeight);
    this.paint(pen, clientWidth, clientHeight);
    performance.measure("chart-frame", { start: begun, end: performance.now() });
    if ((this.frames = (this.frames ?? 0) + 1) % 500 === 0) performance.clearMeasures("chart-frame");
  }

  /** Paints the chart with a pen, for the screen or for a picture. */
  paint(pen, width, height) {
    const colours = palette();
    const layers = this.#visible();
    const plot = { left: margin.left, top: margin.top, right: width - margin.right, bottom: height - margin.bottom };
    const scale = this.scale = this.#scale(layers);
    const y = (value) => plot.bottom - ((value - scale.low) / (scale.high - scale.low)) * (plot.bottom - plot.top);
    pen.clearRect(0, 0, width, height);
    pen.font = `12px ${colours.font}`;
    this.#paintAxes(pen, plot, scale, y, colours);
    pen.save();
    pen.beginPath();
    pen.rect(plot.left, 0, plot.right - plot.left, height);
    pen.clip();
    this.#paintGaps(pen, plot, colours);
    layers.forEach((layer, i) => this.#paintLayer(pen, layer.data, y, this.colourOf(layer), i, layers.length));
    pen.restore();
    if (this.cursor) this.#paintCursor(pen, plot, y, colours, layers);
  }

  /** The colour of a source: the accent for the first, ink and grey for others. */
  colourOf(layer) {
    const colours = palette();
    return [colours.accent, colours.ink, colours.quiet][Math.max(0, this.layers.indexOf(layer)) % 3];
  }

  #scale(layers) {
    let low = Infinity, high = -Infinity;
    let isSum = false;
    const { from, to } = this.view;
    for (const { data } of layers) {
      const starts = data.form === "values" ? data.time : data.start;
      const lows = data.form === "values" ? data.value : data.low;
      const highs = data.form === "values" ? data.value : data.high;
      isSum ||= Boolean(data.isSum);
      for (let i = Math.max(0, lastNotAbove(starts, from)); i < starts.length && starts[i] <= to; i += 1) {
        if ((data.end?.[i] ?? starts[i]) < from || lows[i] === null || lows[i] === undefined) continue;
        if (lows[i] < low) low = lows[i];
        if (highs[i] > high) high = highs[i];
      }
    }
    if (low > high) return this.scale ?? valueScale(0, this.options.room, { room: this.options.room });
    return valueScale(low, high, { room: this.options.room, zero: isSum });
  }

  #paintAxes(pen, plot, scale, y, colours) {
    const ticks = timeTicks(this.view.from, this.view.to, plot.right - plot.left);
    pen.lineWidth = 1;
    if (this.options.grid) this.#paintSquares(pen, plot, ticks, scale, y, colours);
    pen.strokeStyle = colours.hair;
    pen.fillStyle = colours.quiet;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    pen.beginPath();
    for (const value of scale.ticks) {
      const at = Math.round(y(value)) + 0.5;
      pen.moveTo(plot.left, at);
      pen.lineTo(plot.right, at);
      pen.fillText(number(value, scale.step < 1 ? 2 : 0), plot.left - 8, at);
    }
    pen.stroke();
    pen.textBaseline = "alphabetic";
    pen.textAlign = "left";
    pen.beginPath();
    let clear = -Infinity;
    for (const tick of ticks) {
      const at = Math.round(this.x(tick.time)) + 0.5;
      if (at < plot.left - 1 || at > plot.right) continue;
      pen.moveTo(at, plot.bottom);
      pen.lineTo(at, plot.bottom + (tick.strong ? 8 : 4));
      const width = pen.measureText(tick.label).width;
      const left = Math.min(at + 4, plot.right - width);
      if (left < clear) continue;
      pen.fillStyle = tick.strong ? colours.ink : colours.quiet;
      pen.fillText(tick.label, left, plot.bottom + 18);
      clear = left + width + 8;
    }
    pen.stroke();
  }

  #paintSquares(pen, plot, ticks, scale, y, colours) {
    pen.strokeStyle = colours.grid;
    pen.beginPath();
    const gap = ticks.length > 1 ? (this.x(ticks[1].time) - this.x(ticks[0].time)) / 5 : 20;
    const first = ticks.length ? this.x(ticks[0].time) : plot.left;
    for (let at = first - Math.ceil((first - plot.left) / gap) * gap; at <= plot.right; at += gap) {
      if (at < plot.left) continue;
      pen.moveTo(Math.round(at) + 0.5, plot.top);
      pen.lineTo(Math.round(at) + 0.5, plot.bottom);
    }
    for (let value = scale.low; value <= scale.high; value += scale.step / 4) {
      pen.moveTo(plot.left, Math.round(y(value)) + 0.5);
      pen.lineTo(plot.right, Math.round(y(value)) + 0.5);
    }
    pen.stroke();
  }

  #paintGaps(pen, plot, colours) {
    this.pattern ??= hatch(pen);
    pen.textBaseline = "alphabetic";
    pen.textAlign = "left";
    for (const gap of this.gapList) {
      const left = Math.max(plot.left, this.x(gap.start));
      const right = Math.min(plot.right, this.x(gap.end ?? Date.now()));
      if (right < plot.left || left > plot.right) continue;
      const wide = right - left;
      if (wide >= 3) {
        pen.fillStyle = this.pattern;
        pen.fillRect(left, plot.top, wide, plot.bottom - plot.top);
      }
      // However short it was: a notch on the axis shows that there was one.
      pen.fillStyle = colours.quiet;
      pen.fillRect(left, plot.bottom - 3, Math.max(2, wide), 3);
      const room = pen.measureText(gap.text).width;
      if (wide > room + 16) {
        pen.fillStyle = colours.paper;
        pen.fillRect(left + (wide - room) / 2 - 5, plot.top + 4, room + 10, 18);
        pen.fillStyle = colours.quiet;
        pen.fillText(gap.text, left + (wide - room) / 2, plot.top + 17);
      }
    }
  }

  #paintLayer(pen, data, y, colour, index, of) {
    if (data.form === "values") this.#paintValues(pen, data, y, colour);
    else this.#paintBuckets(pen, data, y, colour, index, of);
  }

  #paintBuckets(pen, data, y, colour, index, of) {
    const first = Math.max(0, lastNotAbove(data.end, this.view.from));
    pen.fillStyle = colour;
    pen.globalAlpha = data.isSum ? 0.85 : 0.34;
    pen.beginPath();
    const points = [];
    for (let i = first; i < data.start.length && data.start[i] <= this.view.to; i += 1) {
      if (!data.count[i] || data.low[i] === null) { points.push(null); continue; }
      const left = this.x(data.start[i]), right = this.x(data.end[i]);
      const room = (right - left) / of;
      const width = Math.max(1, Math.min(room * (room > 4 ? 0.64 : 0.8), 16));
      const centre = left + room * (index + 0.5);
      const top = y(data.high[i]);
      const height = Math.max(2, y(data.low[i]) - top);
      const x = centre - width / 2;
      if (width >= 3) pen.roundRect(x, top, width, height, data.isSum ? [2, 2, 0, 0] : Math.min(width, height) / 2);
      else pen.rect(x, top, width, height);
      // A stretch without values, which such answers leave out, ends the line.
      if (points.length && i > first && data.start[i] > data.end[i - 1] + 1) points.push(null);
      points.push(data.average[i] === null ? null : [left + (right - left) / 2, y(data.average[i])]);
    }
    pen.fill();
    pen.globalAlpha = 1;
    strokePoints(pen, points, colour, 1.75);
  }

  #paintValues(pen, data, y, colour) {
    const colours = palette();
    const first = Math.max(0, lastNotAbove(data.time, this.view.from) - 1);
    const perSource = new Map();
    for (let i = first; i < data.time.length; i += 1) {
      const time = data.time[i];
      let points = perSource.get(data.from[i]);
      if (!points) perSource.set(data.from[i], points = { list: [], rings: [], last: -Infinity });
      if (points.list.length && time - points.last > this.options.holds) points.list.push(null);
      const at = [this.x(time), y(data.value[i])];
      if (data.marks?.[i]) {
        points.rings.push(at);
        points.list.push(null);
      } else {
        points.list.push(at);
      }
      points.last = data.end[i];
      if (time > this.view.to) break;
    }
    const shown = [...perSource.values()].reduce((sum, each) => sum + each.list.length, 0);
    const radius = shown > this.width ? 0 : shown > this.width / 4 ? 1.5 : 3;
    let k = 0;
    for (const points of perSource.values()) {
      const paint = k === 0 ? colour : [colours.accent, colours.ink, colours.quiet][k % 3];
      strokePoints(pen, points.list, paint, radius > 2 ? 1.25 : 1.5, true);
      pen.fillStyle = paint;
      pen.beginPath();
      if (radius) {
        for (const point of points.list) {
          if (!point) continue;
          pen.moveTo(point[0] + radius, point[1]);
          pen.arc(point[0], point[1], radius, 0, 2 * Math.PI);
        }
      }
      pen.fill();
      pen.strokeStyle = colours.quiet;
      pen.lineWidth = 1.5;
      pen.beginPath();
      for (const [x, at] of points.rings) {
        pen.moveTo(x + 3.5, at);
        pen.arc(x, at, 3.5, 0, 2 * Math.PI);
      }
      pen.stroke();
      k += 1;
    }
  }

  #paintCursor(pen, plot, y, colours, layers) {
    let x = this.x(this.cursor.time);
    for (const { data } of layers) {
      if (data.form !== "values") continue;
      const i = this.#nearest(data.time, this.cursor.time);
      if (i < 0 || Math.abs(this.x(data.time[i]) - x) > 14) continue;
      x = this.x(data.time[i]);
      pen.fillStyle = colours.paper;
      pen.strokeStyle = colours.ink;
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(x, y(data.value[i]), 5, 0, 2 * Math.PI);
      pen.fill();
      pen.stroke();
      break;
    }
    pen.strokeStyle = colours.ink;
    pen.globalAlpha = 0.55;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(Math.round(x) + 0.5, plot.top - 6);
    pen.lineTo(Math.round(x) + 0.5, plot.bottom);
    pen.stroke();
    pen.globalAlpha = 1;
  }

  /** What is drawn between the edges, row by row: the table behind the chart. */
  rows(most = 500) {
    const rows = [];
    const { digits } = this.options;
    for (const layer of this.#visible()) {
      const { data } = layer;
      const times = data.form === "values" ? data.time : data.start;
      for (let i = Math.max(0, lastNotAbove(times, this.view.from)); i < times.length && times[i] < this.view.to; i += 1) {
        if (data.form === "values") {
          if (times[i] < this.view.from) continue;
          rows.push({ time: times[i], when: moment(times[i], { seconds: true }), value: number(data.value[i], digits),
            name: data.sources[data.from[i]]?.name ?? layer.name });
        } else {
          if (!data.count[i] || data.end[i] <= this.view.from) continue;
          rows.push({ time: times[i], when: bucketText(data.start[i], data.end[i]), low: number(data.low[i], digits),
            high: number(data.high[i], digits), average: number(data.average[i], digits + 1),
            count: number(data.count[i]), name: layer.name });
        }
        if (rows.length >= most) return rows;
      }
    }
    return rows;
  }

  /** A picture of what is shown, with a heading. @returns {Promise<Blob>} */
  picture(title) {
    const width = this.frame.clientWidth, height = this.frame.clientHeight;
    const canvas = document.createElement("canvas");
    const pen = sharpContext(canvas, width + 32, height + 56);
    const colours = palette();
    pen.fillStyle = colours.paper;
    pen.fillRect(0, 0, width + 32, height + 56);
    const chart = document.createElement("canvas");
    const cursor = this.cursor;
    this.cursor = null;
    this.paint(sharpContext(chart, width, height), width, height);
    this.cursor = cursor;
    pen.drawImage(chart, 16, 44, width, height);
    pen.fillStyle = colours.ink;
    pen.font = `600 15px ${colours.font}`;
    pen.fillText(title, 20, 30);
    return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  }
}

function strokePoints(pen, points, colour, width, thin = false) {
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.lineJoin = "round";
  pen.globalAlpha = thin ? 0.75 : 1;
  pen.beginPath();
  let isDown = false;
  let lone = null;
  const dots = [];
  for (const point of points) {
    if (!point) {
      if (lone) dots.push(lone);
      lone = null;
      isDown = false;
    } else if (isDown) {
      pen.lineTo(point[0], point[1]);
      lone = null;
    } else {
      pen.moveTo(point[0], point[1]);
      isDown = true;
      lone = point;
    }
  }
  if (lone) dots.push(lone);
  pen.stroke();
  pen.globalAlpha = 1;
  // A value with nothing on either side would be a line without length.
  pen.fillStyle = colour;
  pen.beginPath();
  for (const [x, y] of dots) {
    pen.moveTo(x + width, y);
    pen.arc(x, y, width, 0, 2 * Math.PI);
  }
  pen.fill();
}

function bucketText(start, end) {
  const span = end - start;
  if (span >= 20 * 3600_000) {
    // The last hour, because a day on which the clocks change ends at another hour.
    const last = end - 3600_000;
    return sameDay(start, last) ? day(start) : `${day(start)} – ${day(last)}`;
  }
  const seconds = span < 60_000;
  return `${moment(start, { seconds })} – ${clock(end, { seconds })}`;
}
