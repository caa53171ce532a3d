// The beats of a trace. The gateway reports beats at once, with the time of their receipt. The store has them
// up to five minutes later, with exact times. Beats from before the page was opened come from the store.

import { serverNow } from "./server-clock.js";
import { setBack, traceSpan } from "./pulse.js";

/**
 * Milliseconds. If the sum of the intervals differs from the time since the last beat by more than this, some
 * intervals are missing.
 */
const slack = 1500;
/** Milliseconds. Beats that are farther apart are not joined. */
const longest = 3000;

export class LiveBeats {
  /** The gateway's count of intervals. */
  #count = 0;
  /** Times of the gateway's beats and the heart rate of each interval; NaN at the start of a run. */
  #times = [];
  #rates = [];
  #stored = [];

  constructor(trace) {
    this.trace = trace;
  }

  /**
   * Adds the beats that the gateway reports: the count of all intervals, the receipt time of the last one,
   * and the last intervals.
   */
  take({ count, time, rr }) {
    if (count === this.#count) return;
    if (time < this.#times.at(-1) - setBack) [this.#times, this.#rates, this.#stored] = [[], [], []];
    // A restarted gateway counts from 0.
    const missed = count - (count > this.#count ? this.#count : 0);
    const fresh = rr.slice(-missed);
    this.#count = count;
    const sum = fresh.reduce((all, each) => all + each, 0);
    const last = this.#times.at(-1);
    const isNext = missed <= rr.length && Math.abs(last + sum - time) <= slack;
    // Some intervals are missing in this report. The store will have them, so drop the earlier beats here.
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

  /** Sets the beats from the store, as `/api/beats` returns them. */
  keep(segments) {
    this.#stored = segments;
    this.#show();
  }

  /** Whether the store may contain earlier beats that are not drawn yet. */
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

  /**
   * Passes all beats to the trace: first those from the store, then those from the gateway. Beats from the
   * gateway are not replaced by their exact times, so that nothing jumps.
   */
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
    // The first beat has no interval of its own. Leave it out if a stored beat is right before it, which then
    // is the start of its interval.
    const isJoined = first - trace.beatTimes.at(-1) < longest;
    trace.beatTimes.push(...this.#times.slice(isJoined ? 1 : 0));
    trace.beatRates.push(...this.#rates.slice(isJoined ? 1 : 0));
  }
}
