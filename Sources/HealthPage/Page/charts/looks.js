// The looks that distinguish sources: color, dashes and marks.

import { plain } from "../dom.js";
import { palette } from "./palette.js";

const styles = [
  { dash: [], shape: "dot" }, { dash: [6, 4], shape: "ring" }, { dash: [2, 3], shape: "square" },
];

/** The looks in order: accent, ink and amber as lines, then the same colors with rings, then with squares. */
export const looks = styles.flatMap((style) =>
  ["accent", "ink", "amber"].map((ink) => ({ ink, ...style })));

/** Paints marks of a shape in a color; null skips a point. */
export function paintMarks(pen, points, { colour, shape }, radius) {
  pen.beginPath();
  for (const point of points) {
    if (!point) continue;
    const [x, y] = point;
    if (shape === "square") {
      pen.rect(x - radius, y - radius, 2 * radius, 2 * radius);
    } else {
      pen.moveTo(x + radius, y);
      pen.arc(x, y, radius, 0, 2 * Math.PI);
    }
  }
  pen.fillStyle = shape === "ring" ? palette().paper : colour;
  pen.fill();
  if (shape !== "ring") return;
  pen.strokeStyle = colour;
  pen.lineWidth = Math.min(1.5, radius);
  pen.stroke();
}

const lineLength = 24, space = 22, lineHeight = 20;

/**
 * Paints a legend in as many lines as needed.
 * @param {{name: string, colour: string, dash: number[], shape?: string}[]} entries
 * @returns {number} Its height. Without `place` nothing is painted.
 */
export function paintLegend(pen, entries, width, place = null) {
  const { quiet, font } = palette();
  pen.font = `12px ${font}`;
  pen.textBaseline = "middle";
  pen.textAlign = "left";
  let x = 0, line = 0;
  for (const entry of entries) {
    const name = plain(entry.name);
    const room = lineLength + 6 + Math.min(width - lineLength - 6, pen.measureText(name).width);
    if (x > 0 && x + room > width) [x, line] = [0, line + 1];
    if (place) paintEntry(pen, entry, name, place.x + x, place.y + (line + 0.5) * lineHeight, room, quiet);
    x += room + space;
  }
  return entries.length ? (line + 1) * lineHeight : 0;
}

function paintEntry(pen, entry, name, x, y, room, quiet) {
  pen.strokeStyle = entry.colour;
  pen.lineWidth = 2;
  pen.setLineDash(entry.dash);
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x + lineLength, y);
  pen.stroke();
  pen.setLineDash([]);
  if (entry.shape) paintMarks(pen, [[x + lineLength / 2, y]], entry, 4);
  pen.fillStyle = quiet;
  pen.fillText(name, x + lineLength + 6, y, room - lineLength - 6);
}
