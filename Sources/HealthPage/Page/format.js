// Numbers, times and durations in the browser's language and time zone.

import { serverNow } from "./server-clock.js";

/**
 * Languages that are written from right to left. Times are not formatted in them, because this would change
 * the order of the English words around a time.
 */
const rightToLeft = /^(ar|ckb|dv|fa|he|iw|ps|sd|ug|ur|yi)\b/i;

/** The user's languages, with the digits 0 to 9, because durations on this page have these digits, too. */
const locale = [...navigator.languages ?? [], "en-GB"].filter((each) => !rightToLeft.test(each))
  .map((each) => new Intl.Locale(each, { numberingSystem: "latn" }).toString());
const made = new Map();

function cached(key, make) {
  let value = made.get(key);
  if (!value) made.set(key, value = make());
  return value;
}

/** A number with at most (or, if `fixed`, exactly) this number of decimal digits. */
export function number(value, digits = 0, fixed = false) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return cached(`n${digits}${fixed}`, () => new Intl.NumberFormat(locale, {
    maximumFractionDigits: digits, minimumFractionDigits: fixed ? digits : 0,
  })).format(value);
}

/**
 * The name of the average of all readings of a time, in which a source that measures every second outweighs
 * one that measures every few minutes. Summary has another average: that of the daily averages. A single bar
 * of a chart has "average" for short, which is of all its readings, too.
 */
export const averageName = "average of all readings";

/** {@link averageName} at the start of a line. */
export const averageHeading = "Average of all readings";

/** A share from 0 to 1 as a percentage. */
export function percent(share, digits = 0) {
  if (share === null || share === undefined || !Number.isFinite(share)) return "–";
  return cached(`p${digits}`, () => new Intl.NumberFormat(locale, {
    style: "percent", maximumFractionDigits: digits,
  })).format(share);
}

const sizes = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];

/** A number of bytes: "83 MB". */
export function sizeText(bytes) {
  const step = bytes < 1000 ? 0 : Math.min(sizes.length - 1, Math.floor(Math.log10(bytes) / 3));
  return cached(`s${step}`, () => new Intl.NumberFormat(locale, {
    style: "unit", unit: sizes[step], unitDisplay: step ? "short" : "long",
    maximumFractionDigits: step > 2 ? 1 : 0,
  })).format(bytes / 1000 ** step);
}

function dateFormat(options) {
  return cached(JSON.stringify(options), () => new Intl.DateTimeFormat(locale, options));
}

/** A time of day in hours and minutes, optionally with seconds and milliseconds. */
export function clock(time, { seconds = false, milliseconds = false } = {}) {
  return dateFormat({
    hour: "numeric", minute: "2-digit", ...(seconds || milliseconds ? { second: "2-digit" } : {}),
    ...(milliseconds ? { fractionalSecondDigits: 3 } : {}),
  }).format(time);
}

/** A date: "Mon 23 Nov 2026". The year is left out if it is the current one. */
export function day(time, { weekday = "short", month = "short", year = "auto" } = {}) {
  const withYear = year === true
    || (year === "auto" && new Date(time).getFullYear() !== new Date().getFullYear());
  return dateFormat({
    ...(weekday ? { weekday } : {}), day: "numeric", month, ...(withYear ? { year: "numeric" } : {}),
  }).format(time);
}

/** A weekday: "Mon". */
export function weekday(time) {
  return dateFormat({ weekday: "short" }).format(time);
}

/** Formats the labels of a time axis, by the unit of its steps. */
export const axisDate = {
  day: (time) => dateFormat({ weekday: "short", day: "numeric" }).format(time),
  date: (time) => dateFormat({ day: "numeric", month: "short" }).format(time),
  month: (time) => dateFormat({ month: "short" }).format(time),
  year: (time) => dateFormat({ year: "numeric" }).format(time),
};

export function month(time) {
  return dateFormat({ month: "long", year: "numeric" }).format(time);
}

/** Date and time for tables and readouts. */
export function moment(time, options = {}) {
  return `${day(time, { weekday: options.weekday ?? null })}, ${clock(time, options)}`;
}

/** Two times as one text. The day is not repeated, and seconds are added for short ranges. */
export function span(from, to) {
  const options = to - from < 120_000 ? { seconds: true, milliseconds: to - from < 2000 } : {};
  if (sameDay(from, to)) return `${day(from)}, ${clock(from, options)} – ${clock(to, options)}`;
  return `${moment(from, options)} – ${moment(to, options)}`;
}

/** The start of something ongoing: "since today, 14:02", "since 3 Nov, 14:02". */
export function since(time, now = serverNow()) {
  return sameDay(time, now) ? `since today, ${clock(time)}` : `since ${moment(time)}`;
}

/** Two days as one text. `to` is exclusive. */
export function days(from, to) {
  const last = to - 1;
  if (sameDay(from, last)) return day(from, { weekday: "long", month: "long" });
  const format = dateFormat({ day: "numeric", month: "long", year: "numeric" });
  return format.formatRange ? format.formatRange(from, last)
    : `${format.format(from)} – ${format.format(last)}`;
}

export function sameDay(a, b) {
  return startOfDay(a) === startOfDay(b);
}

/**
 * The start of the day that contains a time, or of the day `later` days after it. Days may have 23 or 25
 * hours.
 */
export function startOfDay(time, later = 0) {
  const date = new Date(time);
  date.setDate(date.getDate() + later);
  date.setHours(0, 0, 0, 0);
  return date.getTime();
}

/** The local date of a time, as in forms and addresses: "2026-11-23". */
export function dateText(time) {
  const date = new Date(time);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((each) => String(each).padStart(2, "0")).join("-");
}

/** The local time of a `datetime-local` field, to the minute or the second: "2026-11-23T14:02". */
export function fieldTime(time, { seconds = false } = {}) {
  const date = new Date(time);
  const parts = [date.getHours(), date.getMinutes(), ...(seconds ? [date.getSeconds()] : [])];
  return `${dateText(time)}T${parts.map((each) => String(each).padStart(2, "0")).join(":")}`;
}

/** A duration in milliseconds as text: "3 h 12 min", "45 s". At most two units. */
export function duration(milliseconds) {
  if (!Number.isFinite(milliseconds)) return "–";
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 1) return milliseconds > 0 ? `${number(milliseconds)} ms` : "0 s";
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 && minutes < 10 ? `${minutes} min ${seconds % 60} s`
    : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return `${number(hours / 24, hours < 240 ? 1 : 0)} days`;
}

/** A duration without seconds, except if it is less than a minute: "9 min", "45 s". */
export function minutes(milliseconds) {
  return duration(milliseconds < 60_000 ? milliseconds : Math.floor(milliseconds / 60_000) * 60_000);
}

/** A duration in milliseconds as a stopwatch shows it: "0:07", "12:34", "1:02:03". */
export function stopwatch(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const two = (value) => String(value).padStart(2, "0");
  const minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60);
  return `${hours ? `${hours}:${two(minutes % 60)}` : minutes}:${two(seconds % 60)}`;
}

/** The age of something: "now", "12 s ago", "3 min ago", "yesterday, 14:02", "3 Nov, 14:02". */
export function ago(time, now = serverNow()) {
  const age = now - time;
  if (age < 1500) return "now";
  if (age < 60_000) return `${Math.round(age / 1000)} s ago`;
  if (age < 3600_000) return `${Math.floor(age / 60_000)} min ago`;
  if (sameDay(time, now)) return `today, ${clock(time)}`;
  if (sameDay(time, now - 86400_000)) return `yesterday, ${clock(time)}`;
  return moment(time);
}

/** The name of the local time zone: "Europe/Berlin". */
export const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** "1 sample", "2 samples". */
export function count(value, one, many = `${one}s`) {
  return `${number(value)} ${value === 1 ? one : many}`;
}
