// The contents of a chart as comma-separated values: a row for each value or bar.

import { csvOf, timeText } from "../csv.js";
import { rowsOf } from "./chart-words.js";

/**
 * @param {object} chart A {@link TimeChart}.
 * @param {string} unit The unit as in program output.
 * @returns {Blob}
 */
export function chartCSV(chart, unit) {
  const { rows, isRange } = rowsOf(chart);
  if (!isRange) {
    return csvOf(["time", "value", "unit", "isArtefact", "sourceName", "sourceBundleIdentifier"],
      rows.map(({ time, layer: { data, name, source }, i }) => [
        timeText(time), data.value[i], unit, data.marks?.[i] ? "true" : "false", name, source,
      ]));
  }
  const columns = ["start", "end", "lowest", "highest", "average", "values", "unit", "sourceName",
    "sourceBundleIdentifier"];
  return csvOf(columns, rows.map(({ time, layer: { data, name, source }, i }) => {
    const isSingle = data.form === "values";
    const figures = isSingle ? [data.value[i], data.value[i], data.value[i], 1]
      : [data.low[i], data.high[i], data.average[i], data.isUncounted ? null : data.count[i]];
    return [timeText(time), timeText(data.end[i]), ...figures, unit, name, source];
  }));
}
