// Time asleep as a shade behind a chart over time.

import { startOfDay } from "../format.js";
import { fetchNights } from "../nights.js";
import { palette } from "./palette.js";

/** Milliseconds. In a longer range, a night would be only a few pixels wide. */
const longest = 16 * 86400_000;

export class SleepShade {
  #asked = "";
  #nights = [];
  #loading = null;

  /** @param {() => void} onChange Called when the nights have changed. */
  constructor(onChange) {
    this.onChange = onChange;
  }

  /**
   * Requests the nights of a range and draws them. If the request fails, the shade stays as it is. Unlike the
   * requests for values, this one is canceled only if the range needs other days, not by each zoom.
   */
  async ask({ from, to }) {
    const isLong = to - from > 2 * longest;
    const days = { from: startOfDay(from, -1), to: startOfDay(to, 2) };
    const key = isLong ? "" : JSON.stringify(days);
    if (key === this.#asked) return;
    this.close();
    this.#asked = key;
    this.#loading = new AbortController();
    const answer = isLong ? { nights: [] } : await fetchNights(days, this.#loading.signal).catch(() => null);
    if (this.#asked !== key) return;
    if (!answer) {
      this.#asked = "";
      return;
    }
    this.#nights = answer.nights;
    this.onChange();
  }

  close() {
    this.#loading?.abort();
  }

  /** Returns the periods of sleep that overlap a range. */
  within({ from, to }) {
    if (to - from > longest) return [];
    return this.#nights.flatMap(({ asleep, naps }) => [asleep, ...naps])
      .filter((each) => each && each.start < to && each.end > from);
  }

  paint(pen, chart, plot) {
    pen.fillStyle = palette()["step-1"];
    pen.globalAlpha = 0.14;
    for (const { start, end } of this.within(chart.view)) {
      const left = Math.max(plot.left, chart.x(start)), right = Math.min(plot.right, chart.x(end));
      if (right > left) pen.fillRect(left, plot.top, right - left, plot.bottom - plot.top);
    }
    pen.globalAlpha = 1;
  }
}
