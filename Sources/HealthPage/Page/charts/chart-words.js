// Texts of a chart: the readout under the pointer, and the rows of the table.

import { plain } from "../dom.js";
import { serverNow } from "../server-clock.js";
import { clock, day, duration, moment, number, sameDay } from "../format.js";
import { isUnworn } from "./absences.js";
import { has } from "./arrangement.js";
import { lastNotAbove } from "./series.js";
import { standing } from "./standing.js";

/** The values at a time as a sentence. A time that several values share is stated once. */
export function describe(chart, time) {
  const found = standing(chart, time);
  if (!found.length) return describeAbsence(chart, time);
  const several = chart.shownLayers().length > 1;
  const groups = new Map();
  for (const { layer, i } of found) {
    const { when, text, name } = entryOf(chart, layer, i, found.length === 1);
    if (!groups.has(when)) groups.set(when, []);
    groups.get(when).push(several || name ? `${plain(name ?? layer.name)}: ${text}` : text);
  }
  const unit = found.length > 1 ? unitOf(chart) : "";
  return `${[...groups].map(([when, texts]) => [when, ...texts].join(" · ")).join("; ")}${unit}`;
}

function describeAbsence(chart, time) {
  const when = moment(time, { seconds: chart.view.to - chart.view.from < 7200_000 });
  if (time > serverNow()) return `${when} · still to come`;
  const gaps = chart.arrangement().shown
    .filter((each) => each.start <= time && time < (each.end ?? Date.now()));
  // A gap of a strap that was not worn is mentioned only if there is no other one.
  const gap = gaps.find((each) => !isUnworn(each)) ?? gaps.at(-1);
  if (!gap) return `${when} · nothing was measured`;
  const isOne = chart.layers.length < 2 && (!gap.source || !chart.layers[0]?.source
    || chart.layers[0].source === gap.source);
  const whose = isOne || !gap.name ? "" : ` of ${plain(gap.name)}`;
  if (isUnworn(gap)) {
    const until = gap.end ? `${moment(gap.start)} to ${moment(gap.end)}` : `since ${moment(gap.start)}`;
    const worn = whose ? `${plain(gap.name)} was not worn` : "not worn";
    return `${when} · ${worn}, or out of reach: ${gap.text}, ${until}`;
  }
  const seconds = gap.end && gap.end - gap.start < 600_000;
  const lasted = gap.end
    ? `${clock(gap.start, { seconds })} to ${clock(gap.end, { seconds })} (${duration(gap.end - gap.start)})`
    : `since ${moment(gap.start)}`;
  return `${when} · no measurement${whose}: ${gap.text}, ${lasted}`;
}

function unitOf({ options: { unit } }) {
  return unit ? ` ${unit}` : "";
}

/** One value as text. If there are several, only the last has the unit. */
function entryOf(chart, { data }, i, isAlone) {
  const { digits, marked } = chart.options;
  const unit = isAlone ? unitOf(chart) : "";
  if (data.form !== "values") {
    return { when: stretch(data.start[i], data.end[i]), text: bucketText(data, i, digits, unit, isAlone) };
  }
  return {
    when: moment(data.time[i], { seconds: true, milliseconds: data.time[i] % 1000 !== 0 }),
    text: `${number(data.value[i], digits, true)}${unit}${data.marks?.[i] ? `, ${marked}` : ""}`,
    name: data.isMixed ? data.sources[data.from[i]]?.name : null,
  };
}

/** A bar as text. The number of values is left out if there are several bars. */
function bucketText(data, i, digits, unit, isAlone) {
  const exactly = (value) => number(value, digits, true);
  const [low, high, mean] = [data.low[i], data.high[i], data.average[i]];
  if (data.sums) return `${exactly(high)}${unit} a day on average, ${exactly(data.sums[i])} in all`;
  const values = data.count[i] > 1 && isAlone ? ` (${number(data.count[i])} values)` : "";
  if (data.isSum || low === high) return `${exactly(high)}${unit}${values}`;
  const middle = mean === null ? "" : `, average ${number(mean, digits, true)}`;
  return `${exactly(low)} to ${exactly(high)}${middle}${unit}${values}`;
}

function stretch(start, end) {
  if (end - start >= 20 * 3600_000) {
    // Name the days of the first and the last hour. A day has 23 to 25 hours, because the clocks may change.
    const last = end - 3600_000;
    return sameDay(start, last) ? day(start) : `${day(start)} – ${day(last)}`;
  }
  const seconds = end - start < 60_000;
  return `${moment(start, { seconds })} – ${clock(end, { seconds })}`;
}

/**
 * Returns the visible values and bars as texts for the table, ascending in time. If there are bars, a single
 * value is listed as a bar of one value.
 * @returns {{rows: object[], isRange: boolean}}
 */
export function rowsOf(chart) {
  const layers = chart.shownLayers();
  const isRange = layers.some(({ data }) => data.form === "buckets");
  const rows = [];
  for (const layer of layers) {
    const { data } = layer;
    const times = data.form === "values" ? data.time : data.start;
    const { from, to } = chart.view;
    for (let i = Math.max(0, lastNotAbove(times, from)); i < times.length && times[i] < to; i += 1) {
      const isSeen = data.form === "values" ? times[i] >= from : has(data, i) && data.end[i] > from;
      if (isSeen) rows.push({ time: times[i], layer, i });
    }
  }
  rows.sort((a, b) => a.time - b.time);
  return { rows, isRange };
}

/** A row of {@link rowsOf} as text. */
export function rowText(chart, { layer: { data, name }, i }, isRange) {
  const { digits, marked } = chart.options;
  if (data.form === "values") {
    const value = `${number(data.value[i], digits, true)}${data.marks?.[i] ? `, ${marked}` : ""}`;
    return {
      when: moment(data.time[i], { seconds: true }), name: data.sources[data.from[i]]?.name ?? name, value,
      ...(isRange ? { low: value, high: value, average: number(data.value[i], digits, true),
        count: number(1) } : {}),
    };
  }
  return {
    when: stretch(data.start[i], data.end[i]), name, low: number(data.low[i], digits, true),
    high: number(data.high[i], digits, true),
    average: data.average[i] === null ? "–" : number(data.average[i], digits, true),
    count: data.isUncounted ? "–" : number(data.count[i]),
  };
}
