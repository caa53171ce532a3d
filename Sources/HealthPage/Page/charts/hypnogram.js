// The stages of a night over time.

import { clock, duration } from "../format.js";
import { stageName, stages } from "../nights.js";
import { ItemChart } from "./item-chart.js";
import { Lanes, margin, xOf } from "./lanes.js";

/** Creates a chart of a night's stages. @returns {ItemChart} With a method `show(night)`. */
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

function boundsOf({ start, end }, { night }, width) {
  return [xOf(night, start, width), xOf(night, end, width)];
}

function paint(pen, { night, lanes: shown }, width, height, colours) {
  if (!night) return;
  const lanes = new Lanes(night, shown.map(([, name]) => name), width, height, 8);
  lanes.paintNames(pen, colours);
  const laneOf = ({ stage }) => shown.findIndex(([each]) => each === stage);
  // Paint vertical lines at the times at which the stage changes.
  pen.strokeStyle = colours.quiet;
  pen.globalAlpha = 0.6;
  pen.beginPath();
  night.stages.forEach((each, i) => {
    const before = night.stages[i - 1];
    if (!before || each.start - before.end > 60_000) return;
    pen.moveTo(lanes.x(each.start), lanes.y(laneOf(before) + 0.5));
    pen.lineTo(lanes.x(each.start), lanes.y(laneOf(each) + 0.5));
  });
  pen.stroke();
  pen.globalAlpha = 1;
  for (const each of night.stages) {
    const lane = laneOf(each);
    lanes.paintBlock(pen, each, lane, colours[shown[lane][2]]);
  }
  pen.fillStyle = colours.quiet;
  for (const { start, end } of night.inBed) {
    pen.fillRect(lanes.x(start), height - margin.bottom - 4, Math.max(1, lanes.x(end) - lanes.x(start)), 2);
  }
  lanes.paintTimes(pen, colours);
}
