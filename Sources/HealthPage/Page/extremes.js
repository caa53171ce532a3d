// When the lowest and the highest value of a time were measured, as links to those moments on the chart.

import { h } from "./dom.js";
import { get } from "./api.js";
import { clock, moment, sameDay } from "./format.js";
import { aroundMoment } from "./ranges.js";

/** Of a longer time the hours that the server looks at are many, and the value matters more than its time. */
const longest = 32 * 86400_000;

export class Extremes {
  #found = null;
  #key = "";

  /** @param {(parameters: object) => string} link The address of the chart with these parameters. */
  constructor(link) {
    this.link = link;
  }

  /** @returns {Promise<boolean>} Whether there are times to show that there were not. */
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

  /** What is known of a time; nothing of another one. */
  of({ type, from, to, source }) {
    return this.#key === JSON.stringify([type, from, to, source]) ? this.#found : null;
  }

  /** A link to the moment of a value; null if it is not known. */
  linkTo(extreme, name, { from, to }) {
    if (!extreme) return null;
    const { time } = extreme;
    return h("a", {
      href: this.link(aroundMoment(time)), "aria-label": `${name}, ${moment(time)}`,
    }, sameDay(from, to - 1) ? clock(time) : moment(time));
  }
}
