// Positions of lines and labels on the axes.

import { axisDate, clock } from "../format.js";

const second = 1000, minute = 60 * second, hour = 60 * minute, dayLength = 24 * hour;

const intraday = [
  1, 5, 10, 50, 100, 500, second, 2 * second, 5 * second, 10 * second, 30 * second, minute, 2 * minute,
  5 * minute,
  10 * minute, 30 * minute, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour,
];
const calendar = [
  { length: dayLength, days: 1 }, { length: 2 * dayLength, days: 2 }, { length: 7 * dayLength, weeks: 1 },
  { length: 30 * dayLength, months: 1 }, { length: 61 * dayLength, months: 2 },
  { length: 91 * dayLength, months: 3 },
  { length: 182 * dayLength, months: 6 }, { length: 365 * dayLength, months: 12 },
  { length: 1826 * dayLength, months: 60 },
];

/**
 * Ticks of a time axis at round times of the local time zone.
 * @returns {{time: number, label: string, strong: boolean}[]} At most one for each `room` pixels.
 */
export function timeTicks(from, to, width, room = 64) {
  const wanted = (to - from) / Math.max(1, width / room);
  const fine = intraday.find((step) => step >= wanted);
  if (fine) return intradayTicks(from, to, fine);
  return calendarTicks(from, to, calendar.find((step) => step.length >= wanted) ?? calendar.at(-1));
}

function intradayTicks(from, to, step) {
  const ticks = [];
  const midnight = new Date(from);
  midnight.setHours(0, 0, 0, 0);
  // Day by day, because a day on which the clocks change has 23 or 25 hours.
  for (let start = midnight.getTime(); start < to; start = nextDay(start)) {
    const end = nextDay(start);
    const first = Math.max(0, Math.ceil((from - start) / step));
    for (let time = start + first * step; time < end && time <= to; time += step) {
      const isMidnight = time === start;
      ticks.push({
        time, strong: isMidnight,
        label: isMidnight ? axisDate.day(time)
          : clock(time, { seconds: step < minute, milliseconds: step < second }),
      });
    }
  }
  return ticks;
}

function nextDay(time, days = 1) {
  const date = new Date(time);
  date.setDate(date.getDate() + days);
  return date.getTime();
}

function calendarTicks(from, to, step) {
  const ticks = [];
  const date = new Date(from);
  date.setHours(0, 0, 0, 0);
  if (step.months) {
    date.setMonth(step.months >= 12 ? 0 : date.getMonth() - (date.getMonth() % Math.min(12, step.months)), 1);
    if (step.months > 12) date.setFullYear(date.getFullYear() - (date.getFullYear() % (step.months / 12)));
  } else if (step.weeks) {
    date.setDate(date.getDate() - ((date.getDay() - weekStart + 7) % 7));
  } else if (step.days > 1) {
    date.setDate(1);
  }
  for (let guard = 0; date.getTime() <= to && guard < 400; guard += 1) {
    const time = date.getTime();
    const isYear = date.getMonth() === 0 && date.getDate() === 1;
    if (time >= from) {
      ticks.push({
        time, strong: isYear || (!step.months && date.getDate() === 1),
        label: axisDate[step.months ? (isYear || step.months >= 12 ? "year" : "month")
          : (step.days === 1 ? "day" : "date")](time),
      });
    }
    if (step.months) date.setMonth(date.getMonth() + step.months);
    else date.setDate(date.getDate() + (step.weeks ? 7 : step.days));
  }
  return ticks;
}

/** The first day of the local week: 0 is Sunday. */
export const weekStart = (() => {
  try {
    const locale = new Intl.Locale(navigator.language);
    const info = locale.getWeekInfo?.() ?? locale.weekInfo;
    return (info?.firstDay ?? 1) % 7;
  } catch {
    return 1;
  }
})();

/** Converts the minimum span of a value axis from beats a minute or milliseconds to another unit. */
export function roomFor(unit, room) {
  return room / ({ "count/s": 60, s: 1000 }[unit] ?? 1);
}

/** The number of digits for the labels of a value axis. */
export function digitsOfStep(step) {
  return step < 1 ? Math.max(2, Math.ceil(-Math.log10(step) - 1e-9)) : 0;
}

/**
 * A value axis that contains `least` to `greatest`, between round numbers.
 * @param {number} room The minimum span, so that noise does not fill the chart.
 */
export function valueScale(least, greatest, { room = 0, count = 6, zero = false } = {}) {
  let low = zero ? Math.min(0, least) : least;
  let high = greatest;
  if (!Number.isFinite(low) || !Number.isFinite(high)) [low, high] = [0, room || 1];
  if (high - low < room) {
    const middle = (high + low) / 2;
    [low, high] = zero ? [low, low + room] : [middle - room / 2, middle + room / 2];
  }
  const step = niceStep((high - low || 1) / count);
  low = Math.floor(low / step) * step;
  high = Math.ceil(high / step) * step;
  const ticks = [];
  for (let value = low; value <= high + step / 2; value += step) ticks.push(Number(value.toFixed(9)));
  return { low, high, step, ticks };
}

function niceStep(raw) {
  const power = 10 ** Math.floor(Math.log10(raw));
  const share = raw / power;
  // Use 2.5 only in steps of 25, 250 and so on: labels at 0.25 or 2.5 are not round numbers.
  return power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 2.5 && power >= 10 ? 2.5 : share <= 5 ? 5 : 10);
}
