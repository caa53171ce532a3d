// An image of a chart to save, with a heading, a description and a legend.

import { h } from "../dom.js";
import { fieldTime } from "../format.js";
import { palette, sharpContext } from "./palette.js";
import { paintLegend } from "./looks.js";

const edge = 20, between = 18;

/**
 * @param {object} of
 * @param {string} of.title
 * @param {string[]} [of.lines]
 * @param {number} of.width Size of the chart, together with `of.height`.
 * @param {number} of.height
 * @param {(pen, width: number, height: number) => void} of.paint
 * @param {object[]} [of.legend] Entries of `paintLegend`.
 * @returns {Promise<Blob>}
 */
export function pictureOf({ title, lines = [], width, height, paint, legend = [] }) {
  // A separate canvas, because a chart clears the one that it paints on.
  const chart = document.createElement("canvas");
  paint(sharpContext(chart, width, height), width, height);
  const canvas = document.createElement("canvas");
  const head = 44 + between * lines.length;
  const foot = paintLegend(canvas.getContext("2d"), legend, width);
  const whole = { width: width + 2 * edge, height: head + height + foot + edge };
  const pen = sharpContext(canvas, whole.width, whole.height);
  const { paper, ink, quiet, font } = palette();
  pen.fillStyle = paper;
  pen.fillRect(0, 0, whole.width, whole.height);
  pen.drawImage(chart, edge, head, width, height);
  pen.fillStyle = ink;
  pen.font = `600 15px ${font}`;
  pen.fillText(title, edge, 30, width);
  pen.font = `12px ${font}`;
  pen.fillStyle = quiet;
  lines.forEach((line, i) => pen.fillText(line, edge, 50 + between * i, width));
  paintLegend(pen, legend, width, { x: edge, y: head + height + 4 });
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

/**
 * The name of a file with the contents of a time range, in the form of the server's names
 * (DownloadName.swift): "2026-11-27 1720 to 1830 beats.csv".
 */
export function fileName({ from, to }, kind) {
  const [[first, begin], [last, end]] = [from, to].map((time) =>
    fieldTime(time).replace(":", "").split("T"));
  const until = first !== last ? ` to ${last} ${end}` : begin !== end ? ` to ${end}` : "";
  return `${first} ${begin}${until} ${kind}`;
}

/** Downloads a blob as a file. */
export function keepFile(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
