// Day, week, month and other ranges of the local calendar.

import { startOfDay, days, month, day } from "./format.js";
import { weekStart } from "./charts/scale.js";

export const rangeNames = [
  ["day", "Day"], ["night", "Night"], ["week", "Week"], ["month", "Month"], ["half", "6 months"],
  ["year", "Year"], ["all", "All"],
];

/**
 * The range around a time.
 * @param {{first: number, last: number}} bounds The times of the first and last data, for the range "all".
 * @returns {{from: number, to: number}} `to` is exclusive.
 */
export function rangeAround(name, time, bounds) {
  const start = new Date(startOfDay(time));
  const end = new Date(start);
  switch (name) {
    case "day": end.setDate(end.getDate() + 1); break;
    case "night": return nightAround(time);
    case "week":
      start.setDate(start.getDate() - ((start.getDay() - weekStart + 7) % 7));
      end.setTime(start.getTime());
      end.setDate(end.getDate() + 7);
      break;
    case "month":
      start.setDate(1);
      end.setTime(start.getTime());
      end.setMonth(end.getMonth() + 1);
      break;
    case "half":
      end.setDate(1);
      end.setMonth(end.getMonth() + 1);
      start.setTime(end.getTime());
      start.setMonth(start.getMonth() - 6);
      break;
    case "year":
      start.setMonth(0, 1);
      end.setTime(start.getTime());
      end.setFullYear(end.getFullYear() + 1);
      break;
    default: {
      const room = Math.max(3600_000, (bounds.last - bounds.first) * 0.01);
      return { from: bounds.first - room, to: bounds.last + room };
    }
  }
  return { from: start.getTime(), to: end.getTime() };
}

/** A time in the previous (-1) or next (1) range. */
export function shifted(name, range, by) {
  if (name === "half") {
    const date = new Date(range.to - 1);
    date.setDate(1);
    date.setMonth(date.getMonth() + 6 * by);
    return date.getTime();
  }
  // A night is from 20:00 to 10:00, so 12 hours after its end is in the next night.
  if (name === "night") return by < 0 ? range.from - 1 : range.to + 12 * 3600_000;
  return by < 0 ? range.from - 1 : range.to + 1;
}

/** The parameters of a link to a chart around a time, with the cursor on it. */
export function aroundMoment(time) {
  const around = 10 * 60_000;
  return { from: Math.round(time - around), to: Math.round(time + around), point: time };
}

/**
 * The night, from 20:00 to 10:00 local time, that contains a time. For a time between 10:00 and 20:00, the
 * night before.
 */
function nightAround(time) {
  const date = new Date(time);
  if (date.getHours() >= 20) date.setDate(date.getDate() + 1);
  const end = date.setHours(10, 0, 0, 0);
  date.setDate(date.getDate() - 1);
  return { from: date.setHours(20, 0, 0, 0), to: end };
}

/** Whether a range is the latest one. A night is the latest one until the next night begins at 20:00. */
export function isLatest(name, { to }, now = Date.now()) {
  return to > now || (name === "night" && shifted(name, { to }, 1) - 2 * 3600_000 > now);
}

/** The time that represents a range in an address. A night is represented by the day on which it ends. */
export function dayOfRange(name, { from, to }) {
  return name === "night" ? to : from;
}

/** The title of a range: "Monday, 23 November", "November 2026". */
export function rangeTitle(name, { from, to }) {
  if (name === "month") return month(from);
  if (name === "year") return String(new Date(from).getFullYear());
  if (name === "night") return `Night to ${day(to, { weekday: "long", month: "long", year: true })}`;
  if (name === "day") return day(from, { weekday: "long", month: "long", year: true });
  return days(from, to);
}
