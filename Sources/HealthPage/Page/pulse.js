// The current heart rates, from the gateway or, without one, from the store.

import { ago } from "./format.js";
import { serverNow } from "./server-clock.js";

/** Milliseconds after which a value is no longer live. It is then small and has its age beside it. */
export const liveFor = 10_000;
/** Milliseconds after which a live value is gray, because a strap usually sends one every second. */
export const freshFor = 3000;
/** Milliseconds up to which a value's age is "just now". */
const justNow = 2000;
/** Duration of a trace in milliseconds. Beats are stored up to five minutes late. */
export const traceSpan = 300_000;
/** Milliseconds. If a value is older than the last one by more than this, the clock was set back. */
export const setBack = 5000;

/**
 * @typedef {object} Pulse
 * @property {string} source
 * @property {string} name
 * @property {number} [rate] Beats a minute.
 * @property {number} [time] Time of receipt.
 * @property {object} [monitor] Its entry in `/api/monitors`.
 */

/**
 * Combines the gateway's monitors with the newest values of the store.
 * @returns {Pulse[]} By name. Monitors without a value are included.
 */
export function pulses(monitors, latest) {
  const bySource = new Map();
  for (const monitor of monitors?.monitors ?? []) {
    const source = monitor.source ?? monitor.address;
    bySource.set(source, {
      source, name: monitor.name ?? monitor.address, rate: monitor.heartRate, time: monitor.time, monitor,
    });
  }
  for (const value of latest?.values ?? []) {
    const known = bySource.get(value.source);
    if (!known) bySource
      .set(value.source, { source: value.source, name: value.name, rate: value.value, time: value.time });
    else if (!(known.time >= value.time)) Object.assign(known, { rate: value.value, time: value.time });
  }
  return [...bySource.values()].sort((a, b) => a.name.localeCompare(b.name));
}

/**
 * Whether a heart rate is current: recent, above zero, and from a monitor that does not report lost contact.
 */
export function isLive(pulse, now = serverNow()) {
  return pulse.rate > 0 && now - pulse.time <= liveFor && pulse.monitor?.contact !== false;
}

/**
 * The state of a heart rate: whether it is live, whether it is fresh (a value that is not is gray), and its
 * age as text.
 */
export function ageOf(pulse, now = serverNow()) {
  const live = isLive(pulse, now);
  const fresh = live && now - pulse.time <= freshFor;
  const isNow = live && now - pulse.time < justNow;
  const text = !pulse.time ? "nothing measured yet" : isNow ? "just now" : ago(pulse.time, now);
  return { live, fresh, text };
}
