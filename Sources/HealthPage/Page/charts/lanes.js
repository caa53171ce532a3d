// Blocks in lanes over time, such as stages of sleep and severities of a symptom.

import { timeTicks } from "./scale.js";

export const margin = { left: 64, right: 10, top: 12, bottom: 26 };

/**
 * Computes positions in a chart with lanes.
 * @param {{start: number, end: number}} time The time range of the chart.
 * @param {string[]} names The lanes from the top.
 */
export class Lanes {
  constructor({ start, end }, names, width, height, below = 0) {
    Object.assign(this, { start, end, names, width, height });
    this.laneHeight = (height - margin.top - margin.bottom - below) / names.length;
  }

  x(time) { return xOf(this, time, this.width); }

  /** The y coordinate of the upper edge of a lane. For `lane + 0.5`, that of its middle. */
  y(lane) { return margin.top + lane * this.laneHeight; }

  /** The names of the lanes with lines between them. */
  paintNames(pen, colours) {
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    pen.strokeStyle = colours.hair;
    pen.lineWidth = 1;
    this.names.forEach((name, lane) => {
      pen.fillStyle = colours.quiet;
      pen.fillText(name, margin.left - 8, this.y(lane + 0.5), margin.left - 10);
      pen.beginPath();
      pen.moveTo(margin.left, Math.round(this.y(lane + 1)) + 0.5);
      pen.lineTo(this.width - margin.right, Math.round(this.y(lane + 1)) + 0.5);
      pen.stroke();
    });
  }

  /** Paints a block in a lane. @param {number} least Minimum width in pixels. */
  paintBlock(pen, { start, end }, lane, colour, least = 1.5) {
    const from = this.x(start);
    const wide = Math.max(least, this.x(end) - from);
    const inset = Math.min(6, this.laneHeight * 0.16);
    pen.fillStyle = colour;
    pen.beginPath();
    pen.roundRect(from, this.y(lane) + inset, wide, this.laneHeight - 2 * inset, Math.min(4, wide / 2));
    pen.fill();
  }

  paintTimes(pen, colours) {
    pen.fillStyle = colours.quiet;
    pen.textAlign = "center";
    for (const tick of timeTicks(this.start, this.end, this.width - margin.left - margin.right, 76)) {
      const at = this.x(tick.time);
      if (at > margin.left + 16 && at < this.width - 24) pen.fillText(tick.label, at, this.height - 10);
    }
  }
}

/** The x coordinate of a time in a chart with a width. */
export function xOf({ start, end }, time, width) {
  const share = (time - start) / Math.max(1, end - start);
  return margin.left + share * (width - margin.left - margin.right);
}
