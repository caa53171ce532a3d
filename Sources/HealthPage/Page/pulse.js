// What is known of each heart at this moment: of the gateway where one tells it, else of the store.

import { ago } from "./format.js";
import { serverNow } from "./server-clock.js";

/** An older value is not live: it looks otherwise, and its age is said. */
export const liveFor = 10_000;
/** A strap tells each second: a value that is older than this is still shown large, but not as one of now. */
export const freshFor = 3000;
/** So young a value has no age that is worth a number, in milliseconds. */
const justNow = 2000;
/**
 * How much of the past a trace shows, in milliseconds. Beats are stored in stretches of up to five minutes.
 */
export const traceSpan = 300_000;
/** Who is told of a time so much before the last one was told by a clock that has been set back. */
export const setBack = 5000;

/**
 * @typedef {object} Pulse
 * @property {string} source
 * @property {string} name
 * @property {number} [rate] Beats a minute.
 * @property {number} [time] Of its receipt.
 * @property {object} [monitor] What `/api/monitors` says of it.
 */

/**
 * Joins what the gateway tells of its monitors with the newest of the store.
 * @returns {Pulse[]} By name. A monitor without a value is among them.
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
 * Whether a pulse is of now: fresh, above zero, and from a monitor that does not say it has lost the skin.
 */
export function isLive(pulse, now = serverNow()) {
  return pulse.rate > 0 && now - pulse.time <= liveFor && pulse.monitor?.contact !== false;
}

/**
 * How a pulse stands: whether it is live; whether it looks as one of now, too, and is not grey; and its age,
 * which is said with it.
 */
export function ageOf(pulse, now = serverNow()) {
  const live = isLive(pulse, now);
  const fresh = live && now - pulse.time <= freshFor;
  const isNow = live && now - pulse.time < justNow;
  const text = !pulse.time ? "nothing measured yet" : isNow ? "just now" : ago(pulse.time, now);
  return { live, fresh, text };
}
