// The beats that a trace draws: as a gateway tells them, and before those what the store has. What is stored
// comes in stretches of up to five minutes, exactly placed; what a gateway tells comes at once, and is placed
// by when it was received.

import { serverNow } from "./server-clock.js";
import { setBack, traceSpan } from "./pulse.js";

/** Intervals may end so far from when the last came, in milliseconds; where they do not, some are missing. */
const slack = 1500;
/** Where two beats lie further apart, none is joined to the other, in milliseconds. */
const longest = 3000;

export class LiveBeats {
  /** How many intervals the gateway has told in this run of it. */
  #count = 0;
  /** Its beats: the rate that each interval is, NaN where a run of beats begins. */
  #times = [];
  #rates = [];
  #stored = [];

  constructor(trace) {
    this.trace = trace;
  }

  /** Takes in what a gateway tells: how many intervals came in all, when the last did, and the last ones. */
  take({ count, time, rr }) {
    if (count === this.#count) return;
    if (time < this.#times.at(-1) - setBack) [this.#times, this.#rates, this.#stored] = [[], [], []];
    // A gateway that was started anew counts from 0.
    const missed = count - (count > this.#count ? this.#count : 0);
    const fresh = rr.slice(-missed);
    this.#count = count;
    const sum = fresh.reduce((all, each) => all + each, 0);
    const last = this.#times.at(-1);
    const isNext = missed <= rr.length && Math.abs(last + sum - time) <= slack;
    // What was not heard is in the store, or will be.
    if (missed > rr.length) [this.#times, this.#rates] = [[], []];
    let at = isNext ? last : Math.max(time - sum, this.#times.at(-1) ?? 0);
    if (!isNext) this.#add(at, NaN);
    for (const interval of fresh) this.#add(at += interval, 60_000 / interval);
    const old = this.#times.findIndex((each) => each > time - traceSpan - longest);
    if (old > 60) {
      this.#times.splice(0, old);
      this.#rates.splice(0, old);
    }
    this.#show();
  }

  /** Takes in beats as `/api/beats` gives them. */
  keep(segments) {
    this.#stored = segments;
    this.#show();
  }

  /** Whether the store may have beats by now that are not drawn: of a time before those that were told. */
  isMissing(now = serverNow()) {
    const first = this.#times[0];
    if (first === undefined) return true;
    const { start = -Infinity, rr = [] } = this.#stored.at(-1) ?? {};
    const known = start + rr.reduce((all, each) => all + each, 0);
    return first > now - traceSpan && known < first - longest;
  }

  #add(time, rate) {
    this.#times.push(time);
    this.#rates.push(rate);
  }

  /** What was told stays, so that nothing jumps; what is stored of earlier times stands before it. */
  #show() {
    const { trace } = this;
    trace.setBeats(this.#stored);
    const [first] = this.#times;
    if (first === undefined) return;
    const end = trace.beatTimes.findIndex((time) => time > first - 100);
    if (end >= 0) {
      trace.beatTimes.length = end;
      trace.beatRates.length = end;
    }
    // The first beat ends no interval that was told: one in the store right before it is joined to it.
    const isJoined = first - trace.beatTimes.at(-1) < longest;
    trace.beatTimes.push(...this.#times.slice(isJoined ? 1 : 0));
    trace.beatRates.push(...this.#rates.slice(isJoined ? 1 : 0));
  }
}
