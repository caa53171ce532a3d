// Pointer, wheel and key input of a chart. One finger or the mouse drags; two fingers and the wheel zoom.
// With Shift, or after a button was pressed, dragging selects a time instead; with the keyboard, Space does.

import { lastNotAbove } from "./series.js";
import { has } from "./arrangement.js";
import { selectionOf } from "./selection.js";

/** Pixels. A pointer that moved less has clicked, not dragged. */
const slack = 4;

export function listen(chart) {
  listenToPointers(chart);
  listenToWheel(chart);
  chart.frame.addEventListener("keydown", (event) => key(chart, event));
  chart.frame.addEventListener("blur", () => chart.point(null));
}

function timeAt(chart, event) {
  return chart.time(event.clientX - chart.frame.getBoundingClientRect().left);
}

function listenToPointers(chart) {
  const { frame } = chart;
  const held = new Map();
  let moved = 0;
  let pinch = null;
  /** The time at which a selection began; null if dragging moves the chart. */
  let anchor = null;

  frame.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    held.set(event.pointerId, event);
    moved = 0;
    pinch = null;
    const selects = chart.options.onSelect && (chart.isSelecting || event.shiftKey) && held.size === 1;
    anchor = selects ? timeAt(chart, event) : null;
    frame.setPointerCapture(event.pointerId);
    if (event.pointerType !== "mouse") chart.point(timeAt(chart, event));
  });

  frame.addEventListener("pointermove", (event) => {
    const before = held.get(event.pointerId);
    if (!before) return chart.point(timeAt(chart, event));
    held.set(event.pointerId, event);
    if (held.size === 2) {
      pinch = pinched(chart, [...held.values()], pinch);
      return;
    }
    const by = event.clientX - before.clientX;
    moved += Math.abs(by);
    if (moved <= slack) return;
    if (anchor !== null) {
      chart.point(timeAt(chart, event));
      chart.select(selectionOf(chart, anchor, timeAt(chart, event)), false);
      return;
    }
    frame.classList.add("dragged");
    if (by) chart.pan(-by / chart.width);
  });

  const release = (event) => {
    held.delete(event.pointerId);
    // A press without a drag selects nothing.
    if (anchor !== null) chart.select(moved > slack ? chart.selection : null);
    anchor = null;
    pinch = null;
    frame.classList.remove("dragged");
  };
  frame.addEventListener("pointerup", release);
  frame.addEventListener("pointercancel", release);
  frame.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse" && document.activeElement !== frame) chart.point(null);
  });
  frame.addEventListener("dblclick", (event) => chart.zoom(0.4, timeAt(chart, event), { animated: true }));
}

/** Keeps the times under both fingers in place. */
function pinched(chart, [a, b], pinch) {
  const width = Math.max(20, Math.abs(a.clientX - b.clientX));
  const centre = (timeAt(chart, a) + timeAt(chart, b)) / 2;
  if (!pinch) return { width, centre };
  const { from, to } = chart.view;
  const share = (centre - from) / (to - from);
  const span = (to - from) * (pinch.width / width);
  chart.show(pinch.centre - span * share, pinch.centre + span * (1 - share));
  return { width, centre: pinch.centre };
}

/**
 * The wheel zooms vertically and moves horizontally. In a part with several charts it scrolls the page
 * instead. There it zooms only if the chart has the focus, or with Ctrl, as a trackpad's pinch gesture does.
 */
function listenToWheel(chart) {
  const { frame } = chart;
  frame.addEventListener("wheel", (event) => {
    const unit = event.deltaMode === 1 ? 16 : 1;
    const across = event.deltaX * unit, along = event.deltaY * unit;
    const isAcross = Math.abs(across) > Math.abs(along);
    const isMeant = chart.options.takesWheel || event.ctrlKey || document.activeElement === frame;
    if (!isAcross && !isMeant) return;
    event.preventDefault();
    if (isAcross) chart.pan(across / chart.width);
    else chart.zoom(Math.exp(Math.max(-240, Math.min(240, along)) * 0.0022), timeAt(chart, event));
    chart.point(timeAt(chart, event));
  }, { passive: false });
}

function key(chart, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const centre = chart.cursor?.time;
  const animated = { animated: true };
  switch (event.key) {
    case "ArrowLeft": step(chart, event.shiftKey ? -10 : -1); break;
    case "ArrowRight": step(chart, event.shiftKey ? 10 : 1); break;
    case "Home": chart.cursor = null; step(chart, 1); break;
    case "End": chart.cursor = null; step(chart, -1); break;
    case "+": case "=": case "ArrowUp": chart.zoom(0.5, centre, animated); break;
    case "-": case "_": case "ArrowDown": chart.zoom(2, centre, animated); break;
    case "PageUp": chart.pan(-0.9, animated); break;
    case "PageDown": chart.pan(0.9, animated); break;
    case " ":
      if (!chart.options.onSelect) return;
      mark(chart);
      break;
    case "Escape":
      chart.marked = null;
      if (chart.selection) chart.select(null);
      chart.point(null);
      break;
    default: return;
  }
  event.preventDefault();
}

/** Begins a selection at the cursor, which arrow keys extend, or ends it. */
function mark(chart) {
  if (chart.marked !== null) {
    chart.marked = null;
    chart.select(chart.selection);
  } else if (chart.cursor) {
    chart.marked = chart.cursor.time;
    chart.select(selectionOf(chart, chart.marked, chart.marked), false);
  }
}

/** Moves the cursor by a number of values of any visible source, and announces the value. */
function step(chart, by) {
  const stops = stopsOf(chart);
  const last = lastNotAbove(stops, chart.cursor?.time ?? chart.view.from);
  const i = chart.cursor ? last + by : by > 0 ? last + 1 : lastNotAbove(stops, chart.view.to);
  if (!(i >= 0 && i < stops.length)) return;
  if (stops[i] < chart.view.from) chart.pan(-0.5);
  else if (stops[i] > chart.view.to) chart.pan(0.5);
  chart.point(stops[i], { aloud: true });
  if (chart.marked !== null) chart.select(selectionOf(chart, chart.marked, stops[i]), false);
}

/** The times of the cursor's stops, ascending: single values and the centers of bars. */
function stopsOf(chart) {
  const arrangement = chart.arrangement();
  arrangement.stops ??= [...new Set(chart.shownLayers().flatMap(({ data }) => (data.form === "values"
    ? data.time : data.start.map((start, i) => (has(data, i) ? (start + data.end[i]) / 2 : null)))))]
    .filter((time) => time !== null).sort((a, b) => a - b);
  return arrangement.stops;
}
