// The form that adds a sample by hand.

import { field, fill, form, h, notice } from "./dom.js";
import { get, post } from "./api.js";
import { dateText } from "./format.js";
import { choiceName, typeName, unitName } from "./names.js";

/**
 * Opens the form.
 * @param {string|null} type The type that is chosen first.
 * @param {(type: string) => void} added Called when a sample was stored.
 */
export async function addSample(type, added) {
  const { types } = await get("/api/entry");
  types.sort((a, b) => typeName(a.type).localeCompare(typeName(b.type)));
  let chosen = types.find((each) => each.type === type) ?? types.find((each) => each.type === "bodyMass");
  const details = h("div.stack");
  const show = () => fill(details, detailsOf(chosen));
  const choice = h("select", {
    name: "type",
    onchange: ({ target }) => {
      chosen = types.find((each) => each.type === target.value);
      show();
    },
  }, types.map((each) =>
    h("option", { value: each.type, selected: each.type === chosen.type }, typeName(each.type))));
  show();
  form({
    title: "Add data", confirm: "Add", fields: [field("Type", choice), details],
    submit: async (data) => {
      await post("/api/samples", requestOf(chosen, data));
      notice("Added.");
      added(chosen.type);
    },
  });
}

function detailsOf({ type, kind, unit, units, choices, needsDuration, mayBeOngoing, needs }) {
  const now = localTime(Date.now());
  const numberField = (label, name) => field(label, h("input", {
    type: "number", name, step: "any", required: true, inputmode: "decimal",
  }));
  const optional = (label, name) =>
    field(label, h("input", { type: "number", name, step: "any", min: 0, inputmode: "decimal" }));
  const time = (label, name, required, hint) => field(label, h("input", {
    type: "datetime-local", name, value: required ? now : "", max: now, required,
  }), hint);
  return [
    kind === "quantity" && numberField("Value", "value"),
    kind === "pressure" && [numberField("Systolic", "systolic"), numberField("Diastolic", "diastolic")],
    units && field("Unit", h("select", { name: "unit" }, units.map((each) =>
      h("option", { value: each, selected: each === unit }, unitName(each, type) || each)))),
    choices && field(kind === "workout" ? "Activity" : "Value", h("select", { name: "choice" },
      choices.map((each) => h("option", { value: each }, choiceName(each))))),
    needs === "reason" && field("Reason", h("select", { name: "reason" },
      ["basal", "bolus"].map((each) => h("option", { value: each }, choiceName(each))))),
    needs === "cycleStart"
      && field("First day of the cycle", h("input", { type: "checkbox", name: "cycle" })),
    time(needsDuration || mayBeOngoing ? "Start" : "Time", "start", true),
    (needsDuration || mayBeOngoing || kind === "category" || kind === "quantity") && time("End", "end",
      needsDuration, needsDuration ? null : mayBeOngoing ? "Empty: ongoing." : "Empty: one moment."),
    kind === "workout" && [optional("Energy, in kcal", "energy"), optional("Distance, in km", "distance")],
  ];
}

function requestOf({ type, kind, choices, mayBeOngoing, needs }, data) {
  const text = (name) => data.get(name)?.trim() || null;
  const [start, end] = ["start", "end"].map((name) => text(name) && new Date(text(name)).getTime());
  const value = kind === "quantity" ? text("value")
    : kind === "pressure" ? `${text("systolic")}/${text("diastolic")}` : choices ? text("choice") : null;
  const withUnit = (name, unit) => text(name) && `${text(name)}${unit}`;
  return {
    type, value, unit: text("unit"), start, end: end ?? (mayBeOngoing ? null : start),
    ...(kind === "workout" && { energy: withUnit("energy", "kcal"), distance: withUnit("distance", "km") }),
    ...(needs === "reason" && { reason: text("reason") }),
    ...(needs === "cycleStart" && { cycleStart: data.get("cycle") === "on" }),
  };
}

/** The local time to the minute, in the format of a datetime-local field. */
function localTime(milliseconds) {
  const date = new Date(milliseconds);
  const [hours, minutes] = [date.getHours(), date.getMinutes()].map((each) => String(each).padStart(2, "0"));
  return `${dateText(milliseconds)}T${hours}:${minutes}`;
}
