// Blood pressures as pairs: formatting, and grouping for a chart.

import { number, startOfDay } from "./format.js";
import { digitsFor, shortType, unitName } from "./names.js";

const systolicType = "bloodPressureSystolic", diastolicType = "bloodPressureDiastolic";

/** Formats a blood pressure without its unit: "128/81". */
export function pairText(systolic, diastolic, unit) {
  // Show a fraction if there is one, as in the list of samples.
  const digits = Math.max(1, digitsFor(unit));
  return `${number(systolic, digits)}/${number(diastolic, digits)}`;
}

/**
 * Formats the members of a correlation as a blood pressure with its unit; null if they are something else.
 */
export function pressureText(members) {
  const valueOf = (type) => members.find((each) => shortType(each.type) === type);
  const [systolic, diastolic] = [valueOf(systolicType), valueOf(diastolicType)];
  if (!systolic || !diastolic || members.length !== 2 || systolic.unit !== diastolic.unit) return null;
  return `${pairText(systolic.value, diastolic.value, systolic.unit)} ${unitName(systolic.unit)}`;
}

/** Maximum number of groups on a chart. */
const mostGroups = 60;

/**
 * Groups readings for a chart. If there are few, each reading is a group; otherwise a group is a day, a week
 * or four weeks.
 * @param {{time: number[], systolic: number[], diastolic: number[]}} answer The response of `/api/pressures`.
 * @returns {{start: number, end: number, count: number, systolic: number[], diastolic: number[]}[]}
 *   `systolic` and `diastolic` contain the lowest, the average and the highest value.
 */
export function groupsOf({ time, systolic, diastolic }) {
  if (time.length <= mostGroups) {
    return time.map((start, i) => group(start, start, [systolic[i]], [diastolic[i]]));
  }
  for (const days of [1, 7, 28]) {
    const groups = Map.groupBy(time.keys(), (i) => startOfPeriod(time[i], days, time[0]));
    if (groups.size <= mostGroups || days === 28) {
      return [...groups].map(([start, all]) => group(start, startOfDay(start, days),
        all.map((i) => systolic[i]), all.map((i) => diastolic[i])));
    }
  }
  return [];
}

/**
 * The start of the period of `days` days that contains a time. Periods are counted from the day of the first
 * reading.
 */
function startOfPeriod(time, days, first) {
  const origin = startOfDay(first);
  const number = Math.round((startOfDay(time) - origin) / 86400_000);
  return startOfDay(origin, number - (number % days));
}

/**
 * One group of readings.
 * @param {number[]} systolic
 * @param {number[]} diastolic
 */
export function group(start, end, systolic, diastolic) {
  const of = (values) => [Math.min(...values), values.reduce((a, b) => a + b) / values.length,
    Math.max(...values)];
  return { start, end, count: systolic.length, systolic: of(systolic), diastolic: of(diastolic) };
}
