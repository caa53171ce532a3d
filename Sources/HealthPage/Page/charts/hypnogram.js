// The stages of a night over time.

import { clock, duration } from "../format.js";
import { stageName, stages } from "../nights.js";
import { ItemChart } from "./item-chart.js";
import { timeTicks } from "./scale.js";

const left = 64, right = 10, top = 12, bottom = 26;

/** @returns {ItemChart} With `show(night)`. */
export function hypnogram() {
  const chart = new ItemChart({
    label: "Hypnogram: the stages of the night", paint, boundsOf,
    textOf: ({ stage, start, end }) =>
      `${clock(start)} to ${clock(end)} · ${stageName(stage)} · ${duration(end - start)}`,
    columns: [
      ["From", ({ start }) => clock(start)], ["To", ({ end }) => clock(end)],
      ["Stage", ({ stage }) => stageName(stage)],
      ["Duration", ({ start, end }) => duration(end - start), true],
    ],
  });
  chart.show = (night) => {
    chart.night = night;
    chart.lanes = stages.filter(([stage]) =>
      stage !== "unspecified" || night.stages.some((each) => each.stage === stage));
    chart.take(night.stages, "Each block is a stage of sleep; the line below, time in bed.");
  };
  return chart;
}

function x(chart, time, width) {
  const { start, end } = chart.night;
  return left + ((time - start) / Math.max(1, end - start)) * (width - left - right);
}

function boundsOf({ start, end }, chart, width) {
  return [x(chart, start, width), x(chart, end, width)];
}

function paint(pen, chart, width, height, colours) {
  const { night, lanes } = chart;
  if (!night) return;
  const laneHeight = (height - top - bottom - 8) / lanes.length;
  const y = (lane) => top + lane * laneHeight;
  pen.textBaseline = "middle";
  pen.textAlign = "right";
  pen.strokeStyle = colours.hair;
  pen.lineWidth = 1;
  lanes.forEach(([, name], lane) => {
    pen.fillStyle = colours.quiet;
    pen.fillText(name, left - 8, y(lane + 0.5), left - 10);
    pen.beginPath();
    pen.moveTo(left, Math.round(y(lane + 1)) + 0.5);
    pen.lineTo(width - right, Math.round(y(lane + 1)) + 0.5);
    pen.stroke();
  });
  const laneOf = ({ stage }) => lanes.findIndex(([each]) => each === stage);
  // Changes of stage.
  pen.strokeStyle = colours.quiet;
  pen.globalAlpha = 0.6;
  pen.beginPath();
  night.stages.forEach((each, i) => {
    const before = night.stages[i - 1];
    if (!before || each.start - before.end > 60_000) return;
    pen.moveTo(x(chart, each.start, width), y(laneOf(before) + 0.5));
    pen.lineTo(x(chart, each.start, width), y(laneOf(each) + 0.5));
  });
  pen.stroke();
  pen.globalAlpha = 1;
  for (const each of night.stages) {
    const lane = laneOf(each);
    const [from, to] = boundsOf(each, chart, width);
    const inset = Math.min(6, laneHeight * 0.16);
    const wide = Math.max(1.5, to - from);
    pen.fillStyle = colours[lanes[lane][2]];
    pen.beginPath();
    pen.roundRect(from, y(lane) + inset, wide, laneHeight - 2 * inset, Math.min(4, wide / 2));
    pen.fill();
  }
  pen.fillStyle = colours.quiet;
  for (const { start, end } of night.inBed) {
    const from = x(chart, start, width);
    pen.fillRect(from, height - bottom - 4, Math.max(1, x(chart, end, width) - from), 2);
  }
  pen.textAlign = "center";
  for (const tick of timeTicks(night.start, night.end, width - left - right, 76)) {
    const at = x(chart, tick.time, width);
    if (at > left + 16 && at < width - 24) pen.fillText(tick.label, at, height - 10);
  }
}
