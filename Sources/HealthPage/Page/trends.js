// Three months of what the gateway derives each day.

import { h } from "./dom.js";
import { days, startOfDay } from "./format.js";
import { ChartTable } from "./charts/chart-table.js";
import { fetchSeries, stepFor } from "./charts/series.js";
import { TimeChart } from "./charts/time-chart.js";

const dayLength = 86_400_000;
/** So many days are drawn one by one, however narrow the chart is. */
const mostDays = 190;

const trends = [
  ["restingHeartRate", "Resting heart rate", "beats a minute", 10],
  ["heartRateVariabilitySDNN", "Variability by day (SDNN)", "ms", 20],
];

/** @returns {() => void} What ends them. */
export function addTrends(place, types) {
  const shown = trends.filter(([type]) => types.some((each) => each.type === type));
  const charts = shown.map((trend) => addTrend(place, ...trend));
  return () => charts.forEach((chart) => chart.close());
}

function addTrend(place, type, name, unit, room) {
  const chart = new TimeChart({
    label: `${name}, ${unit}`, unit, room,
    stepOf: (span, width) => (span <= mostDays * dayLength ? dayLength
      : Math.max(dayLength, stepFor(span, width))),
    load: async (want) => [{ source: "", name: "", data: await fetchSeries({ ...want, type }) }],
  });
  chart.frame.classList.add("low");
  const table = new ChartTable(chart, () => `${name}, ${unit}`);
  chart.options.onData = () => {
    table.refill();
    sayWhat(chart, unit);
  };
  chart.options.onView = ({ settled }) => {
    if (!settled) return;
    table.refill();
    sayWhat(chart, unit);
  };
  place.append(h("div.stack", {}, h("h2", {}, name), chart.element, table.element));
  chart.show(startOfDay(Date.now(), -90), startOfDay(Date.now(), 1), { now: true });
  return chart;
}

/** What a bar or a point is of, which depends on how much time is in sight. */
function sayWhat(chart, unit) {
  const { from, to } = chart.view;
  const length = Math.round((chart.loaded?.step ?? dayLength) / dayLength);
  const each = length === 1 ? "Each day" : `Each ${length} days`;
  chart.rest(`${each}, ${days(from, to)}, in ${unit}.`);
}
