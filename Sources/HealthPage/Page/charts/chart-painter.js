// Paints a chart over time: axes, gaps, range bars with the line of averages, single values, the cursor.

import { plain } from "../dom.js";
import { number } from "../format.js";
import { isUnworn } from "./absences.js";
import { hatch, palette } from "./palette.js";
import { timeTicks, valueScale } from "./scale.js";
import { lastNotAbove } from "./series.js";
import { valueAt } from "./chart-words.js";

export const margin = { left: 44, right: 10, top: 14, bottom: 26 };
/** A bar is no wider, however much room there is. */
const widestBar = 16;

/** Paints with a pen, for the screen or for a picture. */
export function paintChart(pen, chart, width, height) {
  const colours = palette();
  const layers = chart.shownLayers();
  const plot = { left: margin.left, top: margin.top, right: width - margin.right,
    bottom: height - margin.bottom };
  chart.scale = scaleOf(chart, layers);
  const { low, high } = chart.scale;
  const y = (value) => plot.bottom - ((value - low) / (high - low)) * (plot.bottom - plot.top);
  pen.clearRect(0, 0, width, height);
  pen.font = `12px ${colours.font}`;
  paintAxes(pen, chart, plot, y, colours);
  pen.save();
  pen.beginPath();
  pen.rect(plot.left, 0, plot.right - plot.left, height);
  pen.clip();
  paintGaps(pen, chart, plot, colours);
  layers.forEach((layer, i) => {
    if (layer.data.form === "values") paintValues(pen, chart, layer.data, y, chart.lookOf(layer));
    else paintBuckets(pen, chart, layer, y, i, layers.length);
  });
  pen.restore();
  if (chart.cursor) paintCursor(pen, chart, plot, y, colours, layers);
}

/** The value axis for what is in sight. */
function scaleOf(chart, layers) {
  const { from, to } = chart.view;
  const { room } = chart.options;
  let low = Infinity, high = -Infinity, isSum = false;
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
    pen.fillText(number(value, scale.step < 1 ? 2 : 0), plot.left - 5, at);
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

/** As many ticks as have room for their labels. */
function ticksOf(pen, { view: { from, to } }, width) {
  const usual = 64, between = 14;
  const ticks = timeTicks(from, to, width, usual);
  const widest = Math.max(0, ...ticks.map(({ label }) => widthOf(pen, label)));
  return widest + between <= usual ? ticks : timeTicks(from, to, width, widest + between);
}

const widths = new Map();

/** How wide a label is: measured once, since the same ones come with each frame. */
function widthOf(pen, label) {
  let width = widths.get(label);
  if (width === undefined) {
    if (widths.size > 2000) widths.clear();
    widths.set(label, width = pen.measureText(label).width);
  }
  return width;
}

/** The squares of an electrocardiogram's paper. */
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

/**
 * Hatches time in which nobody measured. A gap of one source beside another that measured is but a strip at
 * the bottom, and so is the time in which a strap was not worn.
 */
function paintGaps(pen, chart, plot, colours) {
  chart.pattern ??= hatch(pen);
  pen.textBaseline = "alphabetic";
  pen.textAlign = "left";
  const { blanks, shown } = chart.missing();
  paintStrips(pen, chart, plot, colours, shown);
  for (const gap of blanks) {
    const left = Math.max(plot.left, chart.x(gap.start));
    const right = Math.min(plot.right, chart.x(gap.end));
    const wide = right - left;
    if (wide < 3) continue;
    pen.fillStyle = chart.pattern;
    pen.fillRect(left, plot.top, wide, plot.bottom - plot.top);
    const room = pen.measureText(gap.text).width;
    if (wide <= room + 16) continue;
    pen.fillStyle = colours.paper;
    pen.fillRect(left + (wide - room) / 2 - 5, plot.top + 4, room + 10, 18);
    pen.fillStyle = colours.quiet;
    pen.fillText(gap.text, left + (wide - room) / 2, plot.top + 17);
  }
}

/** However short a gap was: a notch on the axis, of each source in its place, shows that there was one. */
function paintStrips(pen, chart, plot, colours, gaps) {
  const sources = chart.layers.map((layer) => layer.source);
  const isOne = sources.length < 2;
  for (const gap of gaps) {
    const left = Math.max(plot.left, chart.x(gap.start));
    const right = Math.min(plot.right, chart.x(gap.end ?? Date.now()));
    if (right < plot.left || left > plot.right) continue;
    const place = isOne ? 0 : sources.indexOf(gap.source);
    pen.fillStyle = isOne || place < 0 ? colours.quiet : chart.lookOf(chart.layers[place]).colour;
    // What was most likely not worn is told quietly.
    pen.globalAlpha = isUnworn(gap) ? 0.25 : 1;
    pen.fillRect(left, plot.bottom - 3 - 4 * Math.max(0, place), Math.max(2, right - left), 3);
  }
  pen.globalAlpha = 1;
}

/** Who is drawn how, in a line from `x` on. */
export function paintLegend(pen, chart, layers, x, y) {
  const { quiet } = palette();
  pen.textBaseline = "middle";
  pen.textAlign = "left";
  pen.lineWidth = 2;
  for (const layer of layers) {
    const { colour, dash } = chart.lookOf(layer);
    const name = plain(layer.name || layer.source);
    pen.strokeStyle = colour;
    pen.setLineDash(dash);
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x + 22, y);
    pen.stroke();
    pen.setLineDash([]);
    pen.fillStyle = quiet;
    pen.fillText(name, x + 28, y);
    x += 28 + pen.measureText(name).width + 24;
  }
}

/**
 * Bars from least to greatest, and the line of averages. Of several sources each has its share of a bar's
 * room.
 */
function paintBuckets(pen, chart, layer, y, index, of) {
  const { data } = layer;
  const { colour, dash } = chart.lookOf(layer);
  const cuts = chart.missing().cuts.get(layer) ?? chart.gaps;
  const first = Math.max(0, lastNotAbove(data.end, chart.view.from));
  const averages = [];
  pen.fillStyle = colour;
  pen.globalAlpha = data.isSum ? 0.85 : 0.34;
  pen.beginPath();
  for (let i = first; i < data.start.length && data.start[i] <= chart.view.to; i += 1) {
    if (!data.count[i] || data.low[i] === null) { averages.push(null); continue; }
    const left = chart.x(data.start[i]), right = chart.x(data.end[i]);
    const room = (right - left) / of;
    const width = Math.max(1, Math.min(room * (room > 4 ? 0.64 : 0.8), widestBar));
    const x = left + room * (index + 0.5) - width / 2;
    const top = y(data.high[i]);
    const height = Math.max(2, y(data.low[i]) - top);
    const corner = data.isSum ? [2, 2, 0, 0] : Math.min(width, height) / 2;
    if (width >= 3) pen.roundRect(x, top, width, height, corner);
    else pen.rect(x, top, width, height);
    // Some answers leave out a stretch without values: it ends the line all the same, as a gap between two
    // bars does that both have values.
    const isApart = i > first && (data.start[i] > data.end[i - 1] + 1 || isGapBetween(chart, cuts, data, i));
    if (isApart) averages.push(null);
    averages.push(data.average[i] === null ? null : [x + width / 2, y(data.average[i])]);
  }
  pen.fill();
  pen.globalAlpha = 1;
  strokeLine(pen, averages, colour, 1.75, dash);
}

/** Whether a gap that is wide enough to be seen lies between the middles of a bar and the one before it. */
function isGapBetween(chart, gaps, data, i) {
  const from = (data.start[i - 1] + data.end[i - 1]) / 2, to = (data.start[i] + data.end[i]) / 2;
  const visible = (3 * (chart.view.to - chart.view.from)) / chart.width;
  return gaps.some(({ start, end = Date.now() }) => {
    if (end - start < visible) return false;
    const overlap = Math.min(end, to) - Math.max(start, from);
    return overlap >= Math.min(end - start, to - from) / 2;
  });
}

function paintValues(pen, chart, data, y, { colour, dash }) {
  const colours = palette();
  const tracks = tracksOf(chart, data, y);
  const shown = tracks.reduce((sum, track) => sum + track.points.length, 0);
  const radius = shown > chart.width ? 0 : shown > chart.width / 4 ? 1.5 : 3;
  tracks.forEach((track, k) => {
    const ink = k === 0 ? colour : [colours.accent, colours.ink, colours.quiet][k % 3];
    // Between values that are rare a line says less than the dots do.
    const isSparse = chart.options.joins > chart.options.holds;
    pen.globalAlpha = isSparse ? 0.4 : 0.75;
    strokeLine(pen, track.points, ink, isSparse ? 1 : 1.4, dash);
    pen.globalAlpha = 1;
    if (radius) fillDots(pen, track.points, ink, radius);
    pen.strokeStyle = colours.quiet;
    pen.lineWidth = 1.5;
    pen.beginPath();
    for (const [x, at] of track.rings) {
      pen.moveTo(x + 3.5, at);
      pen.arc(x, at, 3.5, 0, 2 * Math.PI);
    }
    pen.stroke();
  });
}

/** The points of each source; null where what follows is not joined to what came before. */
function tracksOf(chart, data, y) {
  const tracks = new Map();
  for (let i = Math.max(0, lastNotAbove(data.time, chart.view.from) - 1); i < data.time.length; i += 1) {
    let track = tracks.get(data.from[i]);
    if (!track) tracks.set(data.from[i], track = { points: [], rings: [], last: -Infinity });
    if (track.points.length && data.time[i] - track.last > chart.options.joins) track.points.push(null);
    const point = [chart.x(data.time[i]), y(data.value[i])];
    if (data.marks?.[i]) {
      track.rings.push(point);
      track.points.push(null);
    } else {
      track.points.push(point);
    }
    track.last = data.end[i];
    if (data.time[i] > chart.view.to) break;
  }
  return [...tracks.values()];
}

function paintCursor(pen, chart, plot, y, colours, layers) {
  let x = chart.x(chart.cursor.time);
  for (const { data } of layers) {
    if (data.form !== "values") continue;
    const i = valueAt(chart, data, chart.cursor.time);
    if (i < 0) continue;
    x = chart.x(data.time[i]);
    pen.fillStyle = colours.paper;
    pen.strokeStyle = colours.ink;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.arc(x, y(data.value[i]), 5, 0, 2 * Math.PI);
    pen.fill();
    pen.stroke();
    break;
  }
  pen.strokeStyle = colours.ink;
  pen.globalAlpha = 0.55;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(Math.round(x) + 0.5, plot.top - 6);
  pen.lineTo(Math.round(x) + 0.5, plot.bottom);
  pen.stroke();
  pen.globalAlpha = 1;
}

/** A line through points, broken at each null. */
function strokeLine(pen, points, colour, width, dash = []) {
  pen.strokeStyle = colour;
  pen.setLineDash(dash);
  pen.lineWidth = width;
  pen.lineJoin = "round";
  pen.beginPath();
  const alone = [];
  points.forEach((point, i) => {
    if (!point) return;
    if (points[i - 1]) return pen.lineTo(point[0], point[1]);
    pen.moveTo(point[0], point[1]);
    // With nothing on either side it would be a line without length.
    if (!points[i + 1]) alone.push(point);
  });
  pen.stroke();
  pen.setLineDash([]);
  fillDots(pen, alone, colour, width);
}

function fillDots(pen, points, colour, radius) {
  pen.fillStyle = colour;
  pen.beginPath();
  for (const point of points) {
    if (!point) continue;
    pen.moveTo(point[0] + radius, point[1]);
    pen.arc(point[0], point[1], radius, 0, 2 * Math.PI);
  }
  pen.fill();
}
