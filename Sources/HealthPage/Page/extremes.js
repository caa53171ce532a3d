// The times of the lowest and highest value in a range, as links to these times on the chart.

import { h } from "./dom.js";
import { get } from "./api.js";
import { clock, moment, sameDay } from "./format.js";
import { aroundMoment } from "./ranges.js";

/** Milliseconds. For a longer range the server would have to read many hours, and the times matter less. */
const longest = 32 * 86400_000;

export class Extremes {
  #found = null;
  #key = "";

  /** @param {(parameters: object) => string} link Returns the address of the chart with these parameters. */
  constructor(link) {
    this.link = link;
  }

  /** Requests the times for a range. @returns {Promise<boolean>} Whether the range has values. */
  async ask({ type, from, to, source }, signal) {
    const key = JSON.stringify([type, from, to, source]);
    const isLong = to - from > longest;
    const answer = isLong ? null
      : await get("/api/extremes", { type, from, to, source }, signal).catch(() => null);
    if (signal.aborted) return false;
    this.#key = key;
    this.#found = answer;
    return Boolean(answer?.lowest);
  }

  /** The response for a range; null if the last request was for another range. */
  of({ type, from, to, source }) {
    return this.#key === JSON.stringify([type, from, to, source]) ? this.#found : null;
  }

  /** A link to the time of the lowest or highest value; null if it is not known. */
  linkTo(extreme, name, { from, to }) {
    if (!extreme) return null;
    const { time } = extreme;
    return h("a", {
      href: this.link(aroundMoment(time)), "aria-label": `${name}, ${moment(time)}`,
    }, sameDay(from, to - 1) ? clock(time) : moment(time));
  }
}
