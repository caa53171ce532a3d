// The moving heart rate of the last five minutes: the monitor's values as a line and, if they are known,
// single beats.

import { duration, number } from "../format.js";
import { palette, sharpContext } from "./palette.js";
import { reducedMotion } from "../dom.js";
import { serverNow } from "../server-clock.js";
import { liveFor, setBack, traceSpan } from "../pulse.js";

/** Pixels by which the trace must move before it is drawn again. */
const leastMove = 0.5;

export class Trace {
  constructor(canvas) {
    this.canvas = canvas;
    /** Times in ascending order, and their heart rates. */
    this.times = [];
    this.rates = [];
    /** Time of the last value that came from the event stream, not from the store. */
    this.latest = -Infinity;
    /** Times of beats and the heart rate of each interval; NaN at the start of a run of beats. */
    this.beatTimes = [];
    this.beatRates = [];
    /** The time and the contents of the last drawing. */
    this.drawn = { time: -Infinity, state: "" };
  }

  /**
   * Adds a value, unless it is older than the last one. If the server's clock was set back, the trace starts
   * from scratch.
   */
  add(time, rate) {
    if (!(rate > 0)) return;
    if (time < this.latest - setBack) [this.times, this.rates] = [[], []];
    this.latest = time;
    if (this.times.length && time <= this.times.at(-1)) return;
    this.times.push(time);
    this.rates.push(rate);
    const old = this.times.findIndex((each) => each > time - traceSpan - liveFor);
    if (old > 60) {
      this.times.splice(0, old);
      this.rates.splice(0, old);
    }
  }

  /** Sets the initial values from the store. */
  seed(times, rates) {
    const later = this.times.findIndex((time) => time > (times.at(-1) ?? 0));
    const newTimes = later < 0 ? [] : this.times.slice(later);
    const newRates = later < 0 ? [] : this.rates.slice(later);
    this.times = [...times, ...newTimes];
    this.rates = [...rates, ...newRates];
  }

  /** Sets the beats, as `/api/beats` returns them. */
  setBeats(segments) {
    this.beatTimes = [];
    this.beatRates = [];
    for (const { start, rr, marks } of segments) {
      let time = start;
      this.beatTimes.push(time);
      this.beatRates.push(NaN);
      rr.forEach((interval, i) => {
        time += interval;
        this.beatTimes.push(time);
        this.beatRates.push(marks?.[i] ? NaN : 60_000 / interval);
      });
    }
  }

  /**
   * Draws the trace if there is new data, or if the trace has moved by half a pixel since the last drawing. A
   * trace of five minutes moves by about three pixels a second, so more frequent drawing would look the same.
   */
  step(now = serverNow()) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const { times, beatTimes } = this;
    const state = [width, height, times.length, times.at(-1), beatTimes.length, beatTimes.at(-1)].join();
    const moved = (Math.abs(now - this.drawn.time) / traceSpan) * width;
    if (state === this.drawn.state && moved < leastMove) return;
    this.drawn = { time: now, state };
    this.draw(now);
  }

  draw(now = serverNow()) {
    const begun = performance.now();
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    const pen = sharpContext(this.canvas, width, height);
    const colours = palette();
    const from = (reducedMotion.matches ? Math.floor(now / 1000) * 1000 : now) - traceSpan;
    const x = (time) => ((time - from) / traceSpan) * width;
    const [low, high] = this.#bounds(from);
    const y = (rate) => height - 6 - ((rate - low) / (high - low)) * (height - 12);
    pen.clearRect(0, 0, width, height);
    this.#squares(pen, width, height, from, x, y, low, high, colours);
    this.#line(pen, this.beatTimes, this.beatRates, x, y, from, colours.ink, 1, 0.5, 3000);
    this.#line(pen, this.times, this.rates, x, y, from, colours.accent, 2, 1, liveFor);
    this.#scale(pen, height, y, low, high, colours);
    performance.measure("trace-frame", { start: begun, end: performance.now() });
    if ((this.frames = (this.frames ?? 0) + 1) % 500 === 0) performance.clearMeasures("trace-frame");
  }

  #bounds(from) {
    let low = Infinity, high = -Infinity;
    for (const [times, rates] of [[this.times, this.rates], [this.beatTimes, this.beatRates]]) {
      for (let i = times.length - 1; i >= 0 && times[i] >= from; i -= 1) {
        if (!(rates[i] > 0)) continue;
        if (rates[i] < low) low = rates[i];
        if (rates[i] > high) high = rates[i];
      }
    }
    if (low > high) [low, high] = [50, 90];
    const room = Math.max(0, 24 - (high - low)) / 2;
    // Round the limits of the axis to multiples of four, so that it does not change with each value.
    return [Math.floor((low - room) / 4) * 4, Math.ceil((high + room) / 4) * 4];
  }

  #squares(pen, width, height, from, x, y, low, high, colours) {
    for (const [every, strength] of [[6000, 0.55], [30_000, 1]]) {
      pen.strokeStyle = colours.grid;
      pen.globalAlpha = strength;
      pen.lineWidth = 1;
      pen.beginPath();
      for (let time = Math.ceil(from / every) * every; x(time) <= width; time += every) {
        pen.moveTo(Math.round(x(time)) + 0.5, 0);
        pen.lineTo(Math.round(x(time)) + 0.5, height);
      }
      const step = every === 6000 ? 4 : 20;
      for (let rate = Math.ceil(low / step) * step; rate <= high; rate += step) {
        pen.moveTo(0, Math.round(y(rate)) + 0.5);
        pen.lineTo(width, Math.round(y(rate)) + 0.5);
      }
      pen.stroke();
    }
    pen.globalAlpha = 1;
  }

  /**
   * The labels of the value axis and of the duration, on the left because the newest values are on the right.
   */
  #scale(pen, height, y, low, high, colours) {
    pen.font = `11px ${colours.font}`;
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    const write = (text, at) => {
      pen.globalAlpha = 0.8;
      pen.fillStyle = colours.paper;
      pen.fillRect(1, at - 7, pen.measureText(text).width + 4, 14);
      pen.globalAlpha = 1;
      pen.fillStyle = colours.quiet;
      pen.fillText(text, 3, at);
    };
    for (let rate = Math.ceil(low / 20) * 20; rate <= high; rate += 20) {
      if (y(rate) > 8 && y(rate) < height - 24) write(number(rate), y(rate));
    }
    write(duration(traceSpan), height - 9);
  }

  #line(pen, times, values, x, y, from, colour, width, alpha, holds) {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.lineJoin = "round";
    pen.globalAlpha = alpha;
    pen.beginPath();
    let last = -Infinity;
    for (let i = 0; i < times.length; i += 1) {
      if (times[i] < from - holds) continue;
      if (!(values[i] > 0)) { last = -Infinity; continue; }
      if (times[i] - last > holds) pen.moveTo(x(times[i]), y(values[i]));
      else pen.lineTo(x(times[i]), y(values[i]));
      last = times[i];
    }
    pen.stroke();
    pen.globalAlpha = 1;
  }
}
