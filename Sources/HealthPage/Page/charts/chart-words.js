// What a chart shows, in words: under the pointer, and row by row in the table behind it.

import { plain } from "../dom.js";
import { clock, day, duration, moment, number, sameDay } from "../format.js";
import { isUnworn } from "./absences.js";
import { lastNotAbove, nearest } from "./series.js";

/** A single value is found this near to the pointer, in pixels. */
const reach = 14;

/**
 * The index of the single value that stands at a time: one that is near on the screen, or that holds until
 * then; -1 where there is none.
 */
export function valueAt(chart, data, time) {
  const near = nearest(data.time, time);
  if (near >= 0 && Math.abs(chart.x(data.time[near]) - chart.x(time)) <= reach) return near;
  const before = lastNotAbove(data.time, time);
  return before >= 0 && time - data.end[before] <= chart.options.holds ? before : -1;
}

/** What there is at a time, as a sentence. */
export function describe(chart, time) {
  const layers = chart.shownLayers();
  const found = layers.map((layer) => ({ layer, ...at(chart, layer, time) })).filter((each) => each.text);
  if (!found.length) return describeAbsence(chart, time);
  const several = layers.length > 1;
  const texts = found
    .map(({ layer, name, text }) => (several || name ? `${plain(name ?? layer.name)}: ${text}` : text));
  return `${found[0].when} · ${texts.join(" · ")}`;
}

function describeAbsence(chart, time) {
  const when = moment(time, { seconds: chart.view.to - chart.view.from < 7200_000 });
  const gaps = chart.missing().shown.filter((each) => each.start <= time && time < (each.end ?? Date.now()));
  // A strap that has long been in a drawer explains nothing where another one lost its link.
  const gap = gaps.find((each) => !isUnworn(each)) ?? gaps.at(-1);
  if (gap && isUnworn(gap)) {
    const until = gap.end ? `${moment(gap.start)} to ${moment(gap.end)}` : `since ${moment(gap.start)}`;
    return `${when} · not worn, or out of reach: ${gap.text}, ${until}`;
  }
  if (!gap) return `${when} · nothing was measured`;
  const lasted = gap.end ? `${clock(gap.start)} to ${clock(gap.end)} (${duration(gap.end - gap.start)})`
    : `since ${moment(gap.start)}`;
  return `${when} · no measurement: ${gap.text}, ${lasted}`;
}

function at(chart, { data }, time) {
  const { digits, unit } = chart.options;
  if (data.form === "values") {
    const i = valueAt(chart, data, time);
    if (i < 0) return null;
    return {
      when: moment(data.time[i], { seconds: true, milliseconds: data.time[i] % 1000 !== 0 }),
      text: `${number(data.value[i], digits)} ${unit}${data.marks?.[i] ? `, ${chart.options.marked}` : ""}`,
      name: data.isMixed ? data.sources[data.from[i]]?.name : null,
    };
  }
  const i = lastNotAbove(data.start, time);
  if (i < 0 || data.end[i] <= time || !data.count[i]) return null;
  return { when: stretch(data.start[i], data.end[i]), text: bucketText(chart, data, i) };
}

function bucketText({ options: { digits, unit } }, data, i) {
  const values = data.count[i] > 1 ? ` (${number(data.count[i])} values)` : "";
  if (data.sums) {
    return `${number(data.high[i], digits)} ${unit} a day on average, ${number(data.sums[i], digits)} in all`;
  }
  if (data.isSum || data.low[i] === data.high[i]) return `${number(data.high[i], digits)} ${unit}${values}`;
  const range = `${number(data.low[i], digits)} to ${number(data.high[i], digits)}`;
  return `${range}, average ${number(data.average[i], digits + 1)} ${unit}${values}`;
}

function stretch(start, end) {
  if (end - start >= 20 * 3600_000) {
    // The last hour, because a day on which the clocks change ends at another hour.
    const last = end - 3600_000;
    return sameDay(start, last) ? day(start) : `${day(start)} – ${day(last)}`;
  }
  const seconds = end - start < 60_000;
  return `${moment(start, { seconds })} – ${clock(end, { seconds })}`;
}

/** What is drawn between the edges, at most so many rows: texts, as the table shows them. */
export function rowsOf(chart, most = 500) {
  const rows = [];
  const { digits } = chart.options;
  for (const { data, name } of chart.shownLayers()) {
    const times = data.form === "values" ? data.time : data.start;
    const { from, to } = chart.view;
    for (let i = Math.max(0, lastNotAbove(times, from)); i < times.length && times[i] < to; i += 1) {
      if (rows.length >= most) return rows;
      if (data.form === "values") {
        if (times[i] < from) continue;
        rows.push({
          when: moment(times[i], { seconds: true }),
          value: `${number(data.value[i], digits)}${data.marks?.[i] ? `, ${chart.options.marked}` : ""}`,
          name: data.sources[data.from[i]]?.name ?? name,
        });
      } else if (data.count[i] && data.end[i] > from) {
        rows.push({
          when: stretch(data.start[i], data.end[i]), low: number(data.low[i], digits),
          high: number(data.high[i], digits),
          average: number(data.average[i], digits + 1), count: number(data.count[i]), name,
        });
      }
    }
  }
  return rows;
}
