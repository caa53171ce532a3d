// The curve of an electrocardiogram, on the grid of its paper.

import { h, fill } from "../dom.js";
import { get } from "../api.js";
import { number } from "../format.js";
import { onTheme, palette, sharpContext } from "./palette.js";

/** Millimeters of paper per second and per millivolt. */
const perSecond = 25, perMillivolt = 10;
/** Seconds in a strip on a wide and on a narrow screen. */
const wide = 10, narrow = 5;
/** Maximum number of strips. Canvases have a maximum height. */
const mostStrips = 60;
/** Seconds without a voltage after which the line is interrupted. */
const longestGap = 0.1;

/** Creates the curve of a stored electrocardiogram. It is requested when it becomes visible. */
export function electrocardiogramCurve(uuid) {
  const canvas = h("canvas", { role: "img" });
  const caption = h("figcaption.quiet", {}, "Loading …");
  const element = h("figure.curve", {}, canvas, caption);
  let curve = null, isAsked = false;
  const draw = () => { if (curve && element.clientWidth) paint(canvas, curve, element.clientWidth); };
  const load = async () => {
    try {
      curve = await get("/api/electrocardiogram", { uuid });
      const { time, millivolts, isReduced } = curve;
      if (!time.length) {
        fill(caption, "No voltages are stored for this electrocardiogram.");
        canvas.hidden = true;
        return;
      }
      const [low, high] = boundsOf(millivolts).map((value) => number(value, 2));
      canvas.setAttribute("aria-label", `Curve of the electrocardiogram: ${number(time.at(-1), 1)} seconds,`
        + ` from ${low} to ${high} millivolts`);
      fill(caption, "25 mm/s, 10 mm/mV: the side of a small square is 0.04 s and 0.1 mV. From"
        + ` ${low} to ${high} mV.`, isReduced && " The curve is simplified; each peak is shown.",
        time.at(-1) > mostStrips * narrow && " Only its beginning is shown.");
      draw();
    } catch (error) {
      fill(caption, error.message);
      isAsked = false;
    }
  };
  let stop = null;
  new ResizeObserver(() => {
    if (!element.clientWidth) {
      stop?.();
      stop = null;
      return;
    }
    stop ??= onTheme(draw);
    if (!isAsked) {
      isAsked = true;
      load();
    } else {
      draw();
    }
  }).observe(element);
  return element;
}

/** The lowest and the highest of some values, and of `begin`. */
function boundsOf(values, begin = values[0]) {
  return values.reduce(([low, high], each) => [Math.min(low, each), Math.max(high, each)], [begin, begin]);
}

/** Paints the curve in strips, one below the other. */
function paint(canvas, { time, millivolts }, width) {
  const colours = palette();
  const seconds = width < 640 ? narrow : wide;
  const mm = width / (seconds * perSecond);
  // Whole large squares (0.5 mV) above and below the curve.
  const [low, high] = boundsOf(millivolts, 0).map((value, i) => {
    const square = i ? Math.ceil(value * 2 + 0.4) : Math.floor(value * 2 - 0.4);
    return Math.max(-20, Math.min(20, square)) / 2;
  });
  const strips = Math.min(mostStrips, Math.max(1, Math.ceil(time.at(-1) / seconds - 1e-6)));
  const each = (high - low) * perMillivolt * mm, space = 18;
  const height = strips * (each + space);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const pen = sharpContext(canvas, width, height);
  pen.clearRect(0, 0, width, height);
  pen.font = `12px ${colours.font}`;
  let i = 0;
  for (let strip = 0; strip < strips; strip += 1) {
    const top = strip * (each + space);
    paintGrid(pen, top, width, each, mm, colours);
    pen.fillStyle = colours.quiet;
    pen.fillText(`${number(strip * seconds)} s`, 0, top + each + 13);
    const y = (value) => top + (high - Math.max(low, Math.min(high, value))) * perMillivolt * mm;
    pen.strokeStyle = colours.ink;
    pen.lineWidth = 1.2;
    pen.lineJoin = "round";
    pen.beginPath();
    for (let last = -Infinity; i < time.length && time[i] < (strip + 1) * seconds; last = time[i], i += 1) {
      const x = (time[i] - strip * seconds) * perSecond * mm;
      if (time[i] - last > longestGap) pen.moveTo(x, y(millivolts[i]));
      else pen.lineTo(x, y(millivolts[i]));
    }
    pen.stroke();
  }
}

function paintGrid(pen, top, width, height, mm, colours) {
  for (const [step, alpha] of [[1, 0.5], [5, 1]]) {
    pen.strokeStyle = step === 1 ? colours.grid : colours.hair;
    pen.globalAlpha = alpha;
    pen.lineWidth = 1;
    pen.beginPath();
    for (let x = 0; x <= width + 0.5; x += step * mm) {
      pen.moveTo(Math.round(x) + 0.5, top);
      pen.lineTo(Math.round(x) + 0.5, top + height);
    }
    for (let y = 0; y <= height + 0.5; y += step * mm) {
      pen.moveTo(0, Math.round(top + y) + 0.5);
      pen.lineTo(width, Math.round(top + y) + 0.5);
    }
    pen.stroke();
  }
  pen.globalAlpha = 1;
}
