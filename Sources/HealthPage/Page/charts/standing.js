// The values of a chart at a time, for the readout and the cursor.

import { has } from "./arrangement.js";
import { lastNotAbove, nearest } from "./series.js";

/** Maximum distance of a single value from the pointer in pixels. */
const reach = 14;

/**
 * The value of each layer at a time. If there is a bar, only single values within the bar's time are
 * included, so that all values in a readout are of the same hour.
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

/** The single value near the pointer, or the last one that still counts at that time; -1 without a value. */
function valueAt(chart, data, time) {
  const near = nearest(data.time, time);
  if (near >= 0 && isNear(chart, data, near, time)) return near;
  const before = lastNotAbove(data.time, time);
  return before >= 0 && time - data.end[before] <= chart.options.holds ? before : -1;
}

/** The nearest value within the time of a bar. */
function valueWithin(chart, data, time, { layer, i }) {
  const start = layer.data.start[i], end = layer.data.end[i];
  const near = nearest(data.time, time);
  const inside = [near, near - 1, near + 1].find((k) => data.time[k] >= start && data.time[k] < end) ?? -1;
  return inside >= 0 && isNear(chart, data, inside, time) ? inside : -1;
}

function isNear(chart, data, i, time) {
  return Math.abs(chart.x(data.time[i]) - chart.x(time)) <= reach;
}
