// A sample of any type as text: its time, value and details.

import { h, named } from "./dom.js";
import { clock, count, duration, moment, number } from "./format.js";
import { doseText, electrocardiogramText, findingRows } from "./findings.js";
import { choiceName, digitsFor, shortType, typeName, unitName } from "./names.js";
import { readable } from "./per-cent.js";
import { pressureText } from "./pressures.js";

/** The time of a sample. Single heart rates have milliseconds, because there may be several in a second. */
export function whenText({ type, start, end }) {
  const options = {
    seconds: true, milliseconds: shortType(type) === "heartRate" && start % 1000 !== 0,
  };
  if (end === undefined || end === start) return moment(start, options);
  return `${moment(start, { seconds: true })} – ${clock(end, { seconds: true })}`;
}

/** The value of a sample. */
export function valueText(sample) {
  const { value, unit, beatCount, valueName, activityType, members, electrocardiogram, dose }
    = readable(sample);
  if (beatCount !== undefined) return count(beatCount, "beat");
  if (activityType) return workoutText(sample);
  if (members) {
    return pressureText(members)
      ?? members.map((each) => `${typeName(each.type)} ${valueText(each)}`).join(", ");
  }
  if (valueName) return choiceName(valueName);
  if (electrocardiogram) return electrocardiogramText(electrocardiogram);
  if (dose) return doseText(dose);
  if (value === undefined || value === null) return "";
  if (typeof value !== "number") return String(value);
  const type = shortType(sample.type), usual = digitsFor(unit, type);
  // Small values of types without decimals, such as the energy of a few seconds, would become 0.
  const digits = usual === 0 && Math.abs(value) >= 10 ? 0 : Math.max(2, usual);
  return `${number(value, digits)} ${unitName(unit, type)}`.trim();
}

/** The activity of a workout, with its duration and totals. */
export function workoutText(workout) {
  const { activityType, totalEnergyBurned, totalDistance, totalSwimmingStrokeCount, totalFlightsClimbed }
    = workout;
  const total = (each, word = "") =>
    each && `${number(each.value, digitsFor(each.unit), true)} ${word || unitName(each.unit)}`;
  return [
    choiceName(activityType), duration(workout.duration * 1000), total(totalDistance),
    total(totalEnergyBurned), total(totalSwimmingStrokeCount, "strokes"),
    total(totalFlightsClimbed, "flights"),
  ].filter(Boolean).join(", ");
}

/** The events and activities of a workout with their times. */
export function workoutRows({ events = [], activities = [] }) {
  const when = ({ start, end }) => {
    const [from, to] = [start, end].map((time) => time && clock(time, { seconds: true }));
    return to && to !== from ? `${from} – ${to}` : from;
  };
  const row = (name, all, word) =>
    all.length ? [[name, all.map((each) => `${choiceName(each[word])}, ${when(each)}`).join("; ")]] : [];
  return [...row("Activities", activities, "activityType"), ...row("Events", events, "type")];
}

/** The identifier, source, device and metadata of a sample. */
export function detailsOf(sample) {
  const rows = [["Identifier", sample.uuid], ["Source", sample.source.bundleIdentifier]];
  const device = sample.device ?? {};
  const deviceText = [device.name, device.manufacturer, device.model, device.firmwareVersion]
    .filter(Boolean).join(", ");
  if (deviceText) rows.push(["Device", deviceText]);
  if (sample.activityType) rows.push(...workoutRows(sample));
  rows.push(...findingRows(sample));
  for (const [key, value] of Object.entries(sample.metadata ?? {})) {
    const text = value !== null && typeof value === "object"
      ? (value.unit !== undefined ? `${number(readable(value).value, 3)} ${value.unit}`
        : JSON.stringify(value))
        : String(value);
    rows.push([key.replace(/^HKMetadataKey/, ""), text]);
  }
  return h("dl.detail", {},
    rows.map(([name, value]) => h("div", {}, h("dt", {}, named(name)), h("dd", {}, named(value)))));
}
