// Charts of the last three months for the values that the gateway computes each day.

import { h } from "./dom.js";
import { days, startOfDay } from "./format.js";
import { digitsFor, unitName } from "./names.js";
import { ChartTable } from "./charts/chart-table.js";
import { fetchSeries, stepFor } from "./charts/series.js";
import { roomFor } from "./charts/scale.js";
import { TimeChart } from "./charts/time-chart.js";

const dayLength = 86_400_000;
/** Maximum number of days in a range for which each day is drawn, however narrow the chart is. */
const mostDays = 190;

/** Types, their names, and the minimum spans of their axes in beats a minute or milliseconds. */
const trends = [
  ["restingHeartRate", "Resting heart rate", 10],
  ["heartRateVariabilitySDNN", "Variability by day (SDNN)", 20],
];

/** Adds the charts. @returns {{renew: (types) => Promise<void>, close: () => void}} */
export function addTrends(place, types) {
  const charts = new Map();

  /** Draws the charts, and updates those with new data. */
  async function renew(types) {
    const drawn = [];
    for (const [name, ...trend] of trends) {
      const type = types.find((each) => each.type === name);
      if (!type) continue;
      const state = `${type.count} ${type.last}`;
      const known = charts.get(name);
      if (!known) charts.set(name, { state, chart: addTrend(place, type, ...trend) });
      else if (known.state !== state) {
        known.state = state;
        drawn.push(known.chart.refresh());
      }
    }
    await Promise.all(drawn);
  }

  renew(types);
  return { renew, close: () => charts.forEach(({ chart }) => chart.close()) };
}

function addTrend(place, { type, unit: symbol }, name, room) {
  const unit = unitName(symbol, type);
  const chart = new TimeChart({
    label: `${name}, ${unit}`, unit, digits: digitsFor(symbol, type), room: roomFor(symbol, room),
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

/** Says what a bar or a point stands for: a day or, in a long range, several days. */
function sayWhat(chart, unit) {
  const { from, to } = chart.view;
  const length = Math.round((chart.loaded?.step ?? dayLength) / dayLength);
  const each = length === 1 ? "Each day" : `Each ${length} days`;
  chart.rest(`${each}, ${days(from, to)}, in ${unit}.`);
}
