// Converts the recordings of `/api/beats` to chart data.

import { has, startsOf } from "./arrangement.js";
import { bucketed } from "./bucketing.js";
import { gridOf } from "./series.js";

/** Single intervals, each at the time of the beat that ends it. @returns {import("./series.js").Values} */
export function valuesOf({ source, name, segments }) {
  const data = { form: "values", time: [], value: [], from: [], marks: [], sources: [{ source, name }] };
  for (const { start, rr, marks } of segments) {
    let time = start;
    rr.forEach((interval, i) => {
      time += interval;
      data.time.push(time);
      data.value.push(interval);
      data.marks.push(marks?.[i] ?? 0);
      data.from.push(0);
    });
  }
  data.end = data.time;
  return data;
}

/**
 * Converts individual intervals to bars, in the same way as the server does for many intervals.
 * @returns {import("./series.js").Buckets}
 */
export function barsOf(recording, { from, to, pixels }) {
  return bucketed(valuesOf(recording), gridOf(from, to, pixels), null);
}

/** Bars from the ranges that the server returns for many intervals: only minimum and maximum of each step. */
export function bucketsOf({ start, step, low, high }) {
  const starts = low.map((_, i) => start + i * step);
  return {
    form: "buckets", step, start: starts, end: starts.map((time) => time + step), low, high,
    average: low.map(() => null), count: low.map((value) => (value === null ? 0 : 1)), isUncounted: true,
  };
}

/** Whether a chart has beats and gaps of its visible sources in its view. */
export function contentOf(chart) {
  const { gaps, hidden, view: { from, to } } = chart;
  const isSeen = (data, time, i) => has(data, i) && time <= to && (data.end ?? data.time)[i] >= from;
  return {
    hasBeats: chart.shownLayers().some(({ data }) => startsOf(data).some((time, i) => isSeen(data, time, i))),
    hasGaps: gaps.some(({ source, start, end }) =>
      !hidden.has(source) && start < to && (end ?? Infinity) > from),
  };
}
