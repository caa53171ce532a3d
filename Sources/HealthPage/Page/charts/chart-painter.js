// Paints a chart over time: axes, gaps, layers and cursor.

import { number } from "../format.js";
import { palette } from "./palette.js";
import { digitsOfStep, timeTicks, valueScale } from "./scale.js";
import { lastNotAbove } from "./series.js";
import { paintInBands } from "./bands.js";
import { boundsOf, ownScale, paintCompanions, paintOwnAxis, roomOf } from "./companions.js";
import { paintGaps } from "./gap-painter.js";
import { paintBuckets, paintValues } from "./layer-painter.js";
import { paintSelection } from "./selection.js";
import { standing } from "./standing.js";

export const margin = { left: 44, right: 10, top: 14, bottom: 26 };
/** Pixels between a label of the value axis and the plot, and between the label and the left edge. */
const labelGap = 5, labelEdge = 4;

/** Paints a chart on the screen or in a picture. */
export function paintChart(pen, chart, width, height) {
  const colours = palette();
  const layers = chart.shownLayers();
  pen.clearRect(0, 0, width, height);
  pen.font = `12px ${colours.font}`;
  chart.scale = scaleOf(chart, layers);
  chart.left = Math.max(margin.left, labelEdge + labelGap
    + Math.ceil(Math.max(...chart.scale.ticks.map((value) => widthOf(pen, labelOf(value, chart.scale))))));
  const own = ownScale(chart.companions, chart.view);
  chart.right = own ? roomOf(own, (label) => widthOf(pen, label)) : margin.right;
  const plot = { left: chart.left, top: margin.top, right: width - chart.right,
    bottom: height - margin.bottom };
  const { low, high } = chart.scale;
  const y = (value) => plot.bottom - ((value - low) / (high - low)) * (plot.bottom - plot.top);
  paintAxes(pen, chart, plot, y, colours);
  if (own) paintOwnAxis(pen, own, plot);
  pen.save();
  pen.beginPath();
  pen.rect(plot.left, 0, plot.right - plot.left, height);
  pen.clip();
  chart.options.underlay?.(pen, chart, plot);
  paintGaps(pen, chart, plot, colours);
  for (const layer of layers) {
    const paint = layer.data.form === "values" ? paintValues : paintBuckets;
    paintInBands(pen, chart, plot, y, () => paint(pen, chart, layer, y));
  }
  paintCompanions(pen, chart, plot, own);
  paintSelection(pen, chart, plot, colours);
  pen.restore();
  if (chart.cursor) paintCursor(pen, chart, plot, y, colours);
}

/** Returns the scale of the value axis for the visible values. */
function scaleOf(chart, layers) {
  const { from, to } = chart.view;
  const { room } = chart.options;
  let [low, high] = boundsOf(chart.companions, chart.view);
  let isSum = false;
  for (const { data } of layers) {
    const starts = data.form === "values" ? data.time : data.start;
    const lows = data.form === "values" ? data.value : data.low;
    const highs = data.form === "values" ? data.value : data.high;
    isSum ||= Boolean(data.isSum);
    for (let i = Math.max(0, lastNotAbove(starts, from)); i < starts.length && starts[i] <= to; i += 1) {
      if (data.end[i] < from || lows[i] === null) continue;
      if (lows[i] < low) low = lows[i];
      if (highs[i] > high) high = highs[i];
    }
  }
  if (low > high) return chart.scale ?? valueScale(0, room, { room });
  return valueScale(low, high, { room, zero: isSum });
}

function labelOf(value, scale) {
  return number(value, digitsOfStep(scale.step));
}

function paintAxes(pen, chart, plot, y, colours) {
  const ticks = ticksOf(pen, chart, plot.right - plot.left);
  const { scale } = chart;
  pen.lineWidth = 1;
  if (chart.options.grid) paintSquares(pen, chart, plot, ticks, y, colours);
  pen.strokeStyle = colours.hair;
  pen.fillStyle = colours.quiet;
  pen.textBaseline = "middle";
  pen.textAlign = "right";
  pen.beginPath();
  for (const value of scale.ticks) {
    const at = Math.round(y(value)) + 0.5;
    pen.moveTo(plot.left, at);
    pen.lineTo(plot.right, at);
    pen.fillText(labelOf(value, scale), plot.left - labelGap, at);
  }
  pen.textBaseline = "alphabetic";
  pen.textAlign = "left";
  let clear = -Infinity;
  for (const tick of ticks) {
    const at = Math.round(chart.x(tick.time)) + 0.5;
    if (at < plot.left - 1 || at > plot.right) continue;
    pen.moveTo(at, plot.bottom);
    pen.lineTo(at, plot.bottom + (tick.strong ? 8 : 4));
    const width = widthOf(pen, tick.label);
    const left = at + 4;
    if (left < clear || left + width > plot.right) continue;
    pen.fillStyle = tick.strong ? colours.ink : colours.quiet;
    pen.fillText(tick.label, left, plot.bottom + 18);
    clear = left + width + 8;
  }
  pen.stroke();
}

/** Returns the ticks of the time axis. If their labels are wide, there are fewer. */
function ticksOf(pen, { view: { from, to } }, width) {
  const usual = 64, between = 14;
  const ticks = timeTicks(from, to, width, usual);
  const widest = Math.max(0, ...ticks.map(({ label }) => widthOf(pen, label)));
  return widest + between <= usual ? ticks : timeTicks(from, to, width, widest + between);
}

const widths = new Map();

/** The width of a label. It is cached, because the same labels are needed for each frame. */
export function widthOf(pen, label) {
  let width = widths.get(label);
  if (width === undefined) {
    if (widths.size > 2000) widths.clear();
    widths.set(label, width = pen.measureText(label).width);
  }
  return width;
}

/** The grid of electrocardiogram paper. */
function paintSquares(pen, chart, plot, ticks, y, colours) {
  pen.strokeStyle = colours.grid;
  pen.beginPath();
  const gap = ticks.length > 1 ? (chart.x(ticks[1].time) - chart.x(ticks[0].time)) / 5 : 20;
  const first = ticks.length ? chart.x(ticks[0].time) : plot.left;
  for (let at = first - Math.floor((first - plot.left) / gap) * gap; at <= plot.right; at += gap) {
    pen.moveTo(Math.round(at) + 0.5, plot.top);
    pen.lineTo(Math.round(at) + 0.5, plot.bottom);
  }
  const { low, high, step } = chart.scale;
  for (let value = low; value <= high; value += step / 4) {
    pen.moveTo(plot.left, Math.round(y(value)) + 0.5);
    pen.lineTo(plot.right, Math.round(y(value)) + 0.5);
  }
  pen.stroke();
}

/** A line at the pointer, or at the single value near it, and a ring around each value in the readout. */
function paintCursor(pen, chart, plot, y, colours) {
  const singles = standing(chart, chart.cursor.time).filter(({ layer }) => layer.data.form === "values");
  const points = singles.map(({ layer: { data }, i }) => [chart.x(data.time[i]), y(data.value[i])]);
  pen.fillStyle = colours.paper;
  pen.strokeStyle = colours.ink;
  pen.lineWidth = 2;
  for (const [x, at] of points) {
    pen.beginPath();
    pen.arc(x, at, 5, 0, 2 * Math.PI);
    pen.fill();
    pen.stroke();
  }
  const x = points[0]?.[0] ?? chart.x(chart.cursor.time);
  pen.globalAlpha = 0.55;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(Math.round(x) + 0.5, plot.top - 6);
  pen.lineTo(Math.round(x) + 0.5, plot.bottom);
  pen.stroke();
  pen.globalAlpha = 1;
}
