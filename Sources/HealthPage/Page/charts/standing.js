// What of a chart's layers stands at a time: what the readout tells, and where the cursor is drawn.

import { has } from "./arrangement.js";
import { lastNotAbove, nearest } from "./series.js";

/** A single value is found this near to the pointer, in pixels. */
const reach = 14;

/**
 * Of each layer what there is at a time. Beside a bar single values are told only of the same stretch: so
 * nothing is said of an hour that is of another.
 * @returns {{layer: object, i: number}[]} In the order of the layers.
 */
export function standing(chart, time) {
  const layers = chart.shownLayers();
  const bar = layers.map((layer) => barAt(layer, time)).find(Boolean);
  return layers.map((layer) => {
    if (layer.data.form === "buckets") return barAt(layer, time);
    const i = bar ? valueWithin(chart, layer.data, time, bar) : valueAt(chart, layer.data, time);
    return i < 0 ? null : { layer, i };
  }).filter(Boolean);
}

function barAt(layer, time) {
  const { data } = layer;
  if (data.form !== "buckets") return null;
  const i = lastNotAbove(data.start, time);
  return i >= 0 && time < data.end[i] && has(data, i) ? { layer, i } : null;
}

/** The single value that is near on the screen, or that holds until then; -1 where there is none. */
function valueAt(chart, data, time) {
  const near = nearest(data.time, time);
  if (near >= 0 && isNear(chart, data, near, time)) return near;
  const before = lastNotAbove(data.time, time);
  return before >= 0 && time - data.end[before] <= chart.options.holds ? before : -1;
}

/** The nearest one within a bar. */
function valueWithin(chart, data, time, { layer, i }) {
  const start = layer.data.start[i], end = layer.data.end[i];
  const near = nearest(data.time, time);
  const inside = [near, near - 1, near + 1].find((k) => data.time[k] >= start && data.time[k] < end) ?? -1;
  return inside >= 0 && isNear(chart, data, inside, time) ? inside : -1;
}

function isNear(chart, data, i, time) {
  return Math.abs(chart.x(data.time[i]) - chart.x(time)) <= reach;
}
