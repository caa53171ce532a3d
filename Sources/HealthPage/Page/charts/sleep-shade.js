// Time asleep as a shade behind a chart over time.

import { startOfDay } from "../format.js";
import { fetchNights } from "../nights.js";
import { palette } from "./palette.js";

/** Of a longer range a night is a few pixels. */
const longest = 16 * 86400_000;

export class SleepShade {
  #asked = "";
  #nights = [];
  #loading = null;

  /** @param {() => void} onChange Called when there are other nights. */
  constructor(onChange) {
    this.onChange = onChange;
  }

  /**
   * Requests the nights of a range and draws them. A request that fails leaves the chart as it is. The
   * requests of the chart's values do not cancel this one: while the reader zooms, many ranges have the same
   * nights.
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

  /** The times asleep that a range has. */
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
