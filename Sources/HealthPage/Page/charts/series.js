// What a chart draws: buckets (least, greatest, average of a stretch of time) or single values, from the
// server, at a step that fits the width. Both forms are made alike here: arrays, ascending in time.

import { get } from "../api.js";
import { timeZone, startOfDay } from "../format.js";
import { readable } from "../per-cent.js";
import { bucketed } from "./bucketing.js";

const second = 1000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;

/**
 * Steps that people count in. Those of a day and more begin at midnight of the reader's zone. From a quarter
 * of an hour on the server has whole hours.
 */
const steps = [
  second, 2 * second, 5 * second, 10 * second, 15 * second, 30 * second, minute, 2 * minute, 5 * minute,
  10 * minute, hour, 2 * hour, 4 * hour, day, 7 * day, 28 * day,
];
/** The width of a bar with its gap, in pixels, below which bars could not be told apart. */
const barRoom = 4;
/** A shorter stretch is asked for value by value. */
const singles = 30 * minute;

/**
 * @typedef {object} Buckets
 * @property {"buckets"} form
 * @property {number} step Milliseconds.
 * @property {number[]} start
 * @property {number[]} end
 * @property {(number|null)[]} low Null where there is no value. For sums 0.
 * @property {(number|null)[]} high
 * @property {(number|null)[]} average Null for sums.
 * @property {number[]} count
 * @property {number[]} [sums] Of buckets of several days, whose `high` is that of a day.
 * @property {boolean} [isUncounted] Of how many values they are is not known.
 */

/**
 * @typedef {object} Values
 * @property {"values"} form
 * @property {number[]} time
 * @property {number[]} end Where a value holds until; the same as `time` for an instant.
 * @property {number[]} value
 * @property {number[]} from Which of `sources`.
 * @property {{source: string, name: string}[]} sources
 * @property {boolean} [isMixed] Whether there are values of more than one.
 * @property {number[]} [marks] 0 where a beat is sound.
 */

/** The step for a stretch of time that is drawn on so many pixels; 0 where single values can be drawn. */
export function stepFor(span, width) {
  if (span <= singles / 2) return 0;
  const least = span / Math.max(1, width / barRoom);
  return steps.find((step) => step >= least) ?? 28 * day;
}

/** The step for sums: a day's is what people know, an hour's within a few days, and then what was written. */
export function stepForSums(span, width) {
  const least = span <= 3 * hour ? 0 : span <= 3 * day ? hour : day;
  return Math.max(least, stepFor(span, width));
}

/** The step for what is measured so rarely that each value can be drawn by itself. */
export function stepForRare(perDay) {
  // Half a width more is asked for on either side.
  return (span, width) => ((2 * span * perDay) / day <= 1500 ? 0 : Math.max(day, stepFor(span, width)));
}

/** `from` and `to` widened to multiples of the step. */
export function aligned(from, to, step) {
  if (step >= day) return { from: startOfPeriod(from, Math.round(step / day)), to };
  const unit = Math.max(step, second);
  // Two hours and more are counted from midnight, so that bars stand at hours that people know.
  const origin = step > hour ? startOfDay(from) : 0;
  return { from: origin + Math.floor((from - origin) / unit) * unit,
    to: origin + Math.ceil((to - origin) / unit) * unit };
}

/**
 * The bars that the server makes of a stretch, at most so many: Step in SeriesAnswer.swift.
 * @returns {{start: number, end: number, step: number}}
 */
export function gridOf(from, to, pixels) {
  const least = Math.max(1, Math.ceil((to - from) / second / pixels));
  const step = least < 900 ? least * second : Math.ceil(least / 3600) * hour;
  const unit = step < hour ? second : hour;
  return { start: Math.floor(from / unit) * unit, end: to, step };
}

/** How the average of a type is made, as the store has it. */
function averaging(type, unit) {
  return unit === "dBASPL" ? "level" : type === "heartRate" ? "timed" : "plain";
}

/**
 * Asks for a type between two times. Where bars are asked for, what is measured rarely comes as bars, too.
 * @returns {Promise<Buckets|Values>}
 */
export async function fetchSeries({ type, source, from, to, step, isSum = false, signal }) {
  const range = aligned(from, to, step);
  // Few samples come one by one, which of sums are no bars yet.
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

/** A Monday: weeks begin with one, wherever the chart is, so that bars stay when it is moved. */
const aMonday = new Date(2001, 0, 1);

/** Midnight of the day with which the days around a time begin, counted in so many. */
function startOfPeriod(time, days) {
  const date = new Date(startOfDay(time));
  // Noon is the same day, however the clocks were changed in between.
  const number = Math.floor((date.getTime() + 12 * hour - aMonday.getTime()) / day);
  date.setDate(date.getDate() - (((number % days) + days) % days));
  return date.getTime();
}

/** What `/api/series` answers, as {@link Buckets} or {@link Values}. */
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
 * Sums of weeks and months are shown as that of a day: no bar is higher than another only because it is of
 * more days. A week that is not over counts as far as it has come.
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

/** The index of the last element of an ascending array that is not above `value`; -1 where all are. */
export function lastNotAbove(array, value) {
  let low = 0, high = array.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (array[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The index of the element nearest to `value`; -1 where there is none. */
export function nearest(array, value) {
  const i = lastNotAbove(array, value);
  if (i < 0) return array.length ? 0 : -1;
  return i + 1 < array.length && array[i + 1] - value < value - array[i] ? i + 1 : i;
}
