// Paints one source of a chart: range bars with a line of averages, or single values.

import { palette } from "./palette.js";
import { has } from "./arrangement.js";
import { lastNotAbove } from "./series.js";
import { paintMarks } from "./looks.js";

/** Maximum width of a bar in pixels. */
const widestBar = 16;
/** Maximum corner radius of a bar in pixels. */
const roundest = 6;
/** Minimum width of a visible gap in pixels. */
const leastGap = 3;

/**
 * Bars from minimum to maximum, and the line of averages. Bars of several sources for the same time share its
 * width.
 */
export function paintBuckets(pen, chart, layer, y) {
  const { data } = layer;
  const look = chart.lookOf(layer);
  const { place, among, before, cut, rhythm } = chart.arrangement().of.get(layer);
  const visible = (leastGap * (chart.view.to - chart.view.from)) / chart.width;
  const line = new Line();
  const bars = [];
  const first = Math.max(0, lastNotAbove(data.end, chart.view.from));
  for (let i = first; i < data.start.length && data.start[i] <= chart.view.to; i += 1) {
    if (!has(data, i)) continue;
    const left = chart.x(data.start[i]), right = chart.x(data.end[i]);
    const room = (right - left) / among[i];
    const width = Math.max(1, Math.min(room * (room > 4 ? 0.64 : 0.8), widestBar));
    const x = left + room * (place[i] + 0.5) - width / 2;
    const top = y(data.high[i]);
    bars.push([x, top, width, Math.max(2, y(data.low[i]) - top)]);
    if (data.average[i] === null) continue;
    const k = before[i];
    const isNext = k >= 0 && data.start[i] <= data.end[k] + 1;
    const isCut = k < 0 || (cut[i] > 0 && cut[i] >= visible);
    const isUsual = k >= 0 && data.start[i] - data.start[k] <= rhythm;
    line.add([x + width / 2, y(data.average[i])], isCut ? "apart" : isNext ? "joined" : isUsual ? "faint"
      : "apart");
  }
  paintBars(pen, bars, look, data.isSum);
  line.paint(pen, look, { width: 1.75, alpha: 1, radius: 2.5 });
}

function paintBars(pen, bars, { colour, shape }, isSum) {
  // Sources with ring marks have hollow bars if the bars are wide enough.
  const isHollow = shape === "ring" && !isSum && bars.some(([, , width]) => width >= 4);
  pen.beginPath();
  for (const [x, top, width, height] of bars) {
    const corner = isSum ? [2, 2, 0, 0] : shape === "square" ? 0 : Math.min(width, height, roundest) / 2;
    if (isHollow) pen.roundRect(x + 0.5, top, width - 1, height, corner);
    else if (width >= 3) pen.roundRect(x, top, width, height, corner);
    else pen.rect(x, top, width, height);
  }
  pen.globalAlpha = isSum ? 0.85 : isHollow ? 0.6 : 0.34;
  pen.fillStyle = pen.strokeStyle = colour;
  pen.lineWidth = 1;
  if (isHollow) pen.stroke();
  else pen.fill();
  pen.globalAlpha = 1;
}

/**
 * Single values, joined if they are close enough in time. If values are rare, the dots are more prominent
 * than the line.
 */
export function paintValues(pen, chart, layer, y) {
  const { data } = layer;
  const colours = palette();
  const look = chart.lookOf(layer);
  const { before, cut, rhythm } = chart.arrangement().of.get(layer);
  const { holds } = chart.options;
  const joins = Math.max(chart.options.joins, rhythm);
  const visible = (leastGap * (chart.view.to - chart.view.from)) / chart.width;
  const lines = new Map();
  for (let i = Math.max(0, lastNotAbove(data.time, chart.view.from) - 1); i < data.time.length; i += 1) {
    const of = data.from[i];
    let line = lines.get(of);
    if (!line) lines.set(of, line = new Line());
    const point = [chart.x(data.time[i]), y(data.value[i])];
    if (data.marks?.[i]) {
      line.ring(point);
    } else {
      const k = before[i];
      const distance = k >= 0 ? data.time[i] - data.end[k] : Infinity;
      const isCut = cut[i] > 0 && cut[i] >= visible;
      line.add(point, isCut || distance > joins ? "apart" : distance <= holds ? "joined" : "faint");
    }
    if (data.time[i] > chart.view.to) break;
  }
  [...lines.values()].forEach((line, k) => {
    const ink = k === 0 ? look : { ...look, colour: [colours.accent, colours.ink, colours.amber][k % 3] };
    line.paint(pen, ink, { width: 1.4, alpha: 0.75, radius: line.radius(), isDotted: true });
    line.paintRings(pen, colours.quiet);
  });
}

/** The points of one source. Each is joined to the one before, faintly joined, or separate. */
class Line {
  constructor() {
    this.points = [];
    this.joints = [];
    this.rings = [];
  }

  add(point, joint) {
    this.points.push(point);
    this.joints.push(this.isBroken || this.points.length === 1 ? "apart" : joint);
    this.isBroken = false;
  }

  /** Adds a marked value, which is drawn alone, without a line. */
  ring(point) {
    this.rings.push(point);
    this.isBroken = true;
  }

  /** Radius of the points; 0 if most of them would overlap. */
  radius() {
    const { points } = this;
    const share = (room) =>
      points.filter(([x], i) => i > 0 && x - points[i - 1][0] < room).length / Math.max(1, points.length);
    return share(2) > 0.5 ? 0 : share(7) > 0.5 ? 1.5 : 3;
  }

  paint(pen, look, { width, alpha, radius, isDotted = false }) {
    const { points, joints } = this;
    this.#stroke(pen, look, "joined", width, alpha);
    this.#stroke(pen, look, "faint", 1, 0.4);
    // Mark points that have no solid line on either side, because they would hardly be visible.
    const isAlone = (_, i) => joints[i] !== "joined" && joints[i + 1] !== "joined";
    const marks = isDotted && radius ? points : points.filter(isAlone);
    paintMarks(pen, marks, look, radius || 2);
  }

  #stroke(pen, { colour, dash }, joint, width, alpha) {
    const { points, joints } = this;
    if (!joints.includes(joint)) return;
    pen.strokeStyle = colour;
    pen.setLineDash(dash);
    pen.lineWidth = width;
    pen.lineJoin = "round";
    pen.globalAlpha = alpha;
    pen.beginPath();
    for (let i = 1; i < points.length; i += 1) {
      if (joints[i] !== joint) continue;
      if (joints[i - 1] !== joint || i === 1) pen.moveTo(points[i - 1][0], points[i - 1][1]);
      pen.lineTo(points[i][0], points[i][1]);
    }
    pen.stroke();
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }

  paintRings(pen, colour) {
    pen.strokeStyle = colour;
    pen.lineWidth = 1.5;
    pen.beginPath();
    for (const [x, at] of this.rings) {
      pen.moveTo(x + 3.5, at);
      pen.arc(x, at, 3.5, 0, 2 * Math.PI);
    }
    pen.stroke();
  }
}
