// Blood pressures as pairs: their text, and groups of them for a chart.

import { number, startOfDay } from "./format.js";
import { digitsFor, shortType, unitName } from "./names.js";

const systolicType = "bloodPressureSystolic", diastolicType = "bloodPressureDiastolic";

/** "128/81". */
export function pairText(systolic, diastolic, unit) {
  // A value with a fraction keeps it, as in the list of samples.
  const digits = Math.max(1, digitsFor(unit));
  return `${number(systolic, digits)}/${number(diastolic, digits)}`;
}

/** The members of a correlation as a pair with its unit; null if they are not a blood pressure. */
export function pressureText(members) {
  const valueOf = (type) => members.find((each) => shortType(each.type) === type);
  const [systolic, diastolic] = [valueOf(systolicType), valueOf(diastolicType)];
  if (!systolic || !diastolic || members.length !== 2 || systolic.unit !== diastolic.unit) return null;
  return `${pairText(systolic.value, diastolic.value, systolic.unit)} ${unitName(systolic.unit)}`;
}

/** Maximum number of groups on a chart. */
const mostGroups = 60;

/**
 * Readings in groups: single ones if there are few, and otherwise those of a day, a week or four weeks.
 * @param {{time: number[], systolic: number[], diastolic: number[]}} answer Of `/api/pressures`.
 * @returns {{start: number, end: number, count: number, systolic: number[], diastolic: number[]}[]} Of
 *   systolic and diastolic the lowest, the average and the highest.
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

/** The start of the period of `days` days, counted from the first reading's day. */
function startOfPeriod(time, days, first) {
  const origin = startOfDay(first);
  const number = Math.round((startOfDay(time) - origin) / 86400_000);
  return startOfDay(origin, number - (number % days));
}

function group(start, end, systolic, diastolic) {
  const of = (values) => [Math.min(...values), values.reduce((a, b) => a + b) / values.length,
    Math.max(...values)];
  return { start, end, count: systolic.length, systolic: of(systolic), diastolic: of(diastolic) };
}
