// Nights: their stages with names and colors, and requests for them. The server groups samples into nights.

import { get } from "./api.js";
import { clock, timeZone } from "./format.js";
import { aroundMoment } from "./ranges.js";

/** Stages from the top of a hypnogram to its bottom: name in JSON, name, color of the palette. */
export const stages = [
  ["awake", "Awake", "step-4"], ["rem", "REM", "step-1"], ["core", "Core", "step-2"],
  ["deep", "Deep", "step-5"], ["unspecified", "Asleep", "step-3"],
];

export function stageName(stage) {
  return stages.find(([each]) => each === stage)?.[1] ?? stage;
}

/**
 * Requests the nights from the start of the first day to the end of the last.
 * @param {{from: number, to: number, lowest?: boolean}} days `lowest`: whether to include the lowest heart
 *   rate of each night.
 * @returns {Promise<{unit: string, nights: object[]}>} The latest night first.
 */
export function fetchNights({ from, to, lowest = false }, signal) {
  return get("/api/nights", { from, to, zone: timeZone, lowest: lowest ? "yes" : null }, signal);
}

/** A link to the heart-rate chart around the lowest heart rate of a night, with the cursor on it. */
export function lowestLink({ lowest }, context) {
  return momentLink(lowest.time, context);
}

/** A link to the heart-rate chart around a time, with the cursor on it. */
export function momentLink(time, context) {
  return context.link("heart-rate", aroundMoment(time));
}

/** The local time of day in hours after the midnight of a day: 23:00 of the day before is −1. */
export function hoursFrom(day, time) {
  const midnight = new Date(day), date = new Date(time);
  const dayNumber = (each) => Date.UTC(each.getFullYear(), each.getMonth(), each.getDate()) / 86_400_000;
  const hours = date.getHours() + date.getMinutes() / 60 + date.getSeconds() / 3600;
  return (dayNumber(date) - dayNumber(midnight)) * 24 + hours;
}

/** Formats hours after midnight, as {@link hoursFrom} returns them, as a time of day. */
export function clockOfHours(hours) {
  return clock(new Date(2001, 0, 1, 0, Math.round(hours * 60)).getTime());
}
