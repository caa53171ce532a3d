// Further series that a chart shows as lines: an earlier period behind it, or another type with an axis of
// its own.

import { number } from "../format.js";
import { has } from "./arrangement.js";
import { palette } from "./palette.js";
import { digitsOfStep, valueScale } from "./scale.js";
import { lastNotAbove, nearest } from "./series.js";

/**
 * @typedef {object} Companion
 * @property {string} name
 * @property {object} data `Buckets` or `Values` of series.js.
 * @property {string} ink Name of its color in `palette()`.
 * @property {number[]} dash
 * @property {boolean} [hasOwnAxis] Whether its values are of another unit, with labels on the right.
 * @property {string} [unit] The unit for readers, if it is another one.
 * @property {number} digits
 */

/** Pixels between the plot and the labels on its right, and between these labels and the right edge. */
const labelGap = 6, labelEdge = 4;
/** Maximum distance of a single value from the pointer in pixels. */
const reach = 14;
/**
 * A line joins two points if their distance is at most this number of steps (bars) or usual distances
 * (values).
 */
const crossed = 3;

/** Returns data with later times, to draw an earlier period behind the current one. */
export function movedBy(data, offset) {
  const moved = (times) => times.map((time) => time + offset);
  return data.form === "values" ? { ...data, time: moved(data.time), end: moved(data.end) }
    : { ...data, start: moved(data.start), end: moved(data.end) };
}

/** Returns the value that is drawn for an element: the value itself, the mean of a bar, or its sum. */
function valueOf(data, i) {
  return data.form === "values" ? data.value[i] : data.average[i] ?? data.high[i];
}

/** The points of a further series as time and value. */
function pointsOf({ data }) {
  const points = [];
  const times = data.form === "values" ? data.time : data.start;
  for (let i = 0; i < times.length; i += 1) {
    if (!has(data, i)) continue;
    points.push([data.form === "values" ? times[i] : (times[i] + data.end[i]) / 2, valueOf(data, i)]);
  }
  return points;
}

/** The distance up to which two points are joined. */
function joinOf({ data }, points) {
  if (data.form === "buckets") return (crossed * data.step) || Infinity;
  const distances = points.slice(1).map(([time], i) => time - points[i][0]).sort((a, b) => a - b);
  return Math.max(60_000, crossed * (distances[Math.ceil(0.9 * distances.length) - 1] ?? Infinity));
}

/** Adds to a series its points and the distance up to which they are joined. Called once for loaded data. */
export function prepared(companion) {
  const points = pointsOf(companion);
  return { ...companion, points, join: joinOf(companion, points) };
}

/** The visible part of the points. */
function seen({ points }, { from, to }) {
  return points.filter(([time]) => time >= from && time <= to);
}

/** The lowest and highest visible value of the companions that share the chart's axis. */
export function boundsOf(companions, view) {
  const values = companions.filter((each) => !each.hasOwnAxis)
    .flatMap((each) => seen(each, view).map(([, value]) => value));
  return values.length ? [Math.min(...values), Math.max(...values)] : [Infinity, -Infinity];
}

/** The scale of the axis on the right; null if no series has an axis of its own. */
export function ownScale(companions, view) {
  const companion = companions.find((each) => each.hasOwnAxis);
  if (!companion) return null;
  const values = seen(companion, view).map(([, value]) => value);
  const scale = values.length
    ? valueScale(Math.min(...values), Math.max(...values), { zero: Boolean(companion.data.isSum) })
    : valueScale(0, 1);
  return { ...scale, ink: companion.ink };
}

/** Room for the labels on the right, in pixels. */
export function roomOf(scale, widthOf) {
  const widths = scale.ticks.map((tick) => widthOf(labelOf(tick, scale)));
  return labelGap + labelEdge + Math.ceil(Math.max(...widths));
}

function labelOf(value, scale) {
  return number(value, digitsOfStep(scale.step));
}

/** Paints the axis on the right. Its line has the color of the values, which is too light for labels. */
export function paintOwnAxis(pen, scale, plot) {
  const colours = palette();
  pen.strokeStyle = colours[scale.ink];
  pen.lineWidth = 2;
  pen.beginPath();
  pen.moveTo(plot.right + 1, plot.top);
  pen.lineTo(plot.right + 1, plot.bottom);
  pen.stroke();
  pen.fillStyle = colours.quiet;
  pen.textBaseline = "middle";
  pen.textAlign = "left";
  for (const value of scale.ticks) {
    pen.fillText(labelOf(value, scale), plot.right + labelGap, yOf(scale, plot)(value));
  }
  pen.textBaseline = "alphabetic";
}

function yOf({ low, high }, plot) {
  return (value) => plot.bottom - ((value - low) / (high - low)) * (plot.bottom - plot.top);
}

/** Paints the lines. @param {object|null} own The scale of the axis on the right. */
export function paintCompanions(pen, chart, plot, own) {
  for (const companion of chart.companions) {
    const y = yOf(companion.hasOwnAxis ? own : chart.scale, plot);
    pen.strokeStyle = pen.fillStyle = palette()[companion.ink];
    pen.lineWidth = 1.75;
    pen.lineJoin = "round";
    pen.setLineDash(companion.dash);
    pen.beginPath();
    const { points, join } = companion;
    points.forEach(([time, value], i) => {
      if (i > 0 && time - points[i - 1][0] <= join) pen.lineTo(chart.x(time), y(value));
      else pen.moveTo(chart.x(time), y(value));
    });
    pen.stroke();
    pen.setLineDash([]);
    // Mark points that have no line on either side, because they would not be visible.
    const isFar = (i) => !(points[i] && points[i - 1]) || points[i][0] - points[i - 1][0] > join;
    points.forEach(([time, value], i) => {
      if (!isFar(i) || !isFar(i + 1)) return;
      pen.beginPath();
      pen.arc(chart.x(time), y(value), 2.5, 0, 2 * Math.PI);
      pen.fill();
    });
  }
}

/** The values at a time as texts: "week before 64.2 beats a minute". */
export function companionTexts(chart, time) {
  return chart.companions.flatMap((companion) => {
    const { data, name, unit, digits } = companion;
    const i = indexAt(chart, data, time);
    if (i < 0) return [];
    return [`${name} ${number(valueOf(data, i), digits, true)} ${unit}`.trim()];
  });
}

function indexAt(chart, data, time) {
  if (data.form === "buckets") {
    const i = lastNotAbove(data.start, time);
    return i >= 0 && time < data.end[i] && has(data, i) ? i : -1;
  }
  const i = nearest(data.time, time);
  return i >= 0 && Math.abs(chart.x(data.time[i]) - chart.x(time)) <= reach ? i : -1;
}
