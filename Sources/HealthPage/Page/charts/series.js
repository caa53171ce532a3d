// Chart data from the server, with a step that fits the width: buckets (minimum, maximum and average of a
// step) or single values. Both are objects of arrays, ascending in time.

import { get } from "../api.js";
import { timeZone, startOfDay } from "../format.js";
import { readable } from "../per-cent.js";
import { bucketed } from "./bucketing.js";

const second = 1000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;

/**
 * Round steps. Days and longer steps begin at midnight in the local time zone. From 15 minutes on, the server
 * uses whole hours.
 */
const steps = [
  second, 2 * second, 5 * second, 10 * second, 15 * second, 30 * second, minute, 2 * minute, 5 * minute,
  10 * minute, hour, 2 * hour, 4 * hour, day, 7 * day, 28 * day,
];
/** Minimum width of a bar with its gap, in pixels. */
const barRoom = 4;
/** Milliseconds. For shorter ranges single values are requested. */
const singles = 30 * minute;

/**
 * @typedef {object} Buckets
 * @property {"buckets"} form
 * @property {number} step Milliseconds.
 * @property {number[]} start
 * @property {number[]} end
 * @property {(number|null)[]} low Null if there is no value; 0 for sums.
 * @property {(number|null)[]} high
 * @property {(number|null)[]} average Null for sums.
 * @property {number[]} count
 * @property {number[]} [sums] For buckets of several days: the whole sum. `high` is the sum per day.
 * @property {boolean} [isUncounted] Whether the number of values is unknown.
 */

/**
 * @typedef {object} Values
 * @property {"values"} form
 * @property {number[]} time
 * @property {number[]} end End of each value; the same as `time` for an instant.
 * @property {number[]} value
 * @property {number[]} from Index in `sources`.
 * @property {{source: string, name: string}[]} sources
 * @property {boolean} [isMixed] Whether there are values from several sources.
 * @property {number[]} [marks] 0 for a normal beat, otherwise an artifact.
 */

/** The step for a time span on a width in pixels; 0 for single values. */
export function stepFor(span, width) {
  if (span <= singles / 2) return 0;
  const least = span / Math.max(1, width / barRoom);
  return steps.find((step) => step >= least) ?? 28 * day;
}

/** The step for sums: days, hours for a few days, and single values for a few hours. */
export function stepForSums(span, width) {
  const least = span <= 3 * hour ? 0 : span <= 3 * day ? hour : day;
  return Math.max(least, stepFor(span, width));
}

/** Mean number of values of a type a day. */
export function valuesPerDay({ count, first, last }) {
  return (count * day) / Math.max(day, last - first);
}

/** Whether a type has few values a day. If so, each value is drawn, and lines cross days without values. */
export function isRare(type) {
  return valuesPerDay(type) <= 12;
}

/** Returns a function that computes the step for a type with few values a day, which can be drawn singly. */
export function stepForRare(perDay) {
  // The chart loads half of its width on either side, too, so the range that is loaded is twice the span.
  return (span, width) => ((2 * span * perDay) / day <= 1500 ? 0 : Math.max(day, stepFor(span, width)));
}

/** The step for a type, by time span and width. */
export function stepOfType(type) {
  if (type.style === "cumulative") return stepForSums;
  return isRare(type) ? stepForRare(valuesPerDay(type)) : stepFor;
}

/** `from` and `to` extended to multiples of the step. */
export function aligned(from, to, step) {
  if (step >= day) return { from: startOfPeriod(from, Math.round(step / day)), to };
  const unit = Math.max(step, second);
  // Steps of two hours and more are counted from midnight, so that bars begin at familiar times.
  const origin = step > hour ? startOfDay(from) : 0;
  return { from: origin + Math.floor((from - origin) / unit) * unit,
    to: origin + Math.ceil((to - origin) / unit) * unit };
}

/**
 * The steps into which the server divides a range, as `Step` in SeriesResponse.swift does.
 * @returns {{start: number, end: number, step: number}}
 */
export function gridOf(from, to, pixels) {
  const least = Math.max(1, Math.ceil((to - from) / second / pixels));
  const step = least < 900 ? least * second : Math.ceil(least / 3600) * hour;
  const unit = step < hour ? second : hour;
  return { start: Math.floor(from / unit) * unit, end: to, step };
}

/** How the store computes averages of a type. */
function averaging(type, unit) {
  return unit === "dBASPL" ? "level" : type === "heartRate" ? "timed" : "plain";
}

/**
 * Requests a type between two times. If `step` is not 0, single values are converted to buckets.
 * @returns {Promise<Buckets|Values>}
 */
export async function fetchSeries({ type, source, from, to, step, isSum = false, signal }) {
  const range = aligned(from, to, step);
  // Request sums by interval. For few samples, `/api/series` would return single samples instead of sums.
  if (step >= day || (isSum && step >= hour)) {
    const every = step >= day ? `${step / day}d` : `${step / hour}h`;
    const answer = await get("/api/statistics", {
      type, source, from: range.from, to: range.to, every, zone: timeZone,
    }, signal);
    return bucketsOfIntervals(readable(answer), step);
  }
  const pixels = step === 0 ? 1000 : Math.min(2000, Math.max(1, Math.round((range.to - range.from) / step)));
  const data = bucketsOrValues(readable(
    await get("/api/series", { type, source, from: range.from, to: range.to, pixels }, signal)));
  if (step === 0 || isSum || data.form === "buckets") return data;
  return bucketed(data, gridOf(range.from, range.to, pixels), averaging(type, data.unit));
}

/** A Monday. Weeks are counted from it, so that bars stay in place when the chart is moved. */
const aMonday = new Date(2001, 0, 1);

/** Midnight of the first day of a period of some days that contains a time. */
function startOfPeriod(time, days) {
  const date = new Date(startOfDay(time));
  // Count days at noon, because a change of the clocks moves midnight by an hour.
  const number = Math.floor((date.getTime() + 12 * hour - aMonday.getTime()) / day);
  date.setDate(date.getDate() - (((number % days) + days) % days));
  return date.getTime();
}

/** The response of `/api/series` as {@link Buckets} or {@link Values}. */
export function bucketsOrValues(answer) {
  if (answer.form === "samples") {
    return {
      form: "values", unit: answer.unit, time: answer.time, end: answer.end ?? answer.time,
      value: answer.value,
      from: answer.from ?? new Array(answer.time.length).fill(0), sources: answer.sources ?? [],
      isMixed: answer.from?.some((source) => source !== answer.from[0]) ?? false,
      statistics: answer.statistics,
    };
  }
  const length = answer.count?.length ?? answer.low.length;
  const start = Array.from({ length }, (_, i) => answer.start + i * answer.step);
  return {
    form: "buckets", unit: answer.unit, step: answer.step, start,
    end: start.map((time) => time + answer.step),
    low: answer.sum ? answer.sum.map((value) => (value === null ? null : 0)) : answer.low,
    high: answer.sum ?? answer.high,
    average: answer.sum ? new Array(length).fill(null) : answer.average,
    count: answer.count ?? answer.low.map((value) => (value === null ? 0 : 1)), isSum: Boolean(answer.sum),
    statistics: answer.statistics,
  };
}

/**
 * Sums of weeks and months are shown per day, so that a bar is not higher because of more days. The current
 * week is divided by the days that have passed.
 */
function bucketsOfIntervals(answer, step) {
  const intervals = answer.intervals;
  const isSum = intervals.some((each) => each.sum !== undefined);
  const isOfDays = isSum && step > day;
  const daysOf = ({ start, end }) => Math.max(1, Math.round((Math.min(end, Date.now()) - start) / day));
  return {
    ...(isOfDays ? { sums: intervals.map((each) => each.sum) } : {}),
    form: "buckets", unit: answer.unit, step, start: intervals.map((each) => each.start),
    end: intervals.map((each) => each.end),
    low: intervals.map((each) => (isSum ? 0 : each.min)),
    high: intervals
      .map((each) => (isOfDays ? each.sum / daysOf(each) : isSum ? each.sum : each.max)),
    average: intervals.map((each) => (isSum ? null : each.average)),
    count: intervals.map((each) => each.count), isSum,
  };
}

/** The index of the last element of an ascending array that is at most `value`; -1 if all are greater. */
export function lastNotAbove(array, value) {
  let low = 0, high = array.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (array[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The index of the element nearest to `value`; -1 if the array is empty. */
export function nearest(array, value) {
  const i = lastNotAbove(array, value);
  if (i < 0) return array.length ? 0 : -1;
  return i + 1 < array.length && array[i + 1] - value < value - array[i] ? i + 1 : i;
}
