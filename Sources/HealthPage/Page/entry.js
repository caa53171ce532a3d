// The form that adds a sample by hand.

import { ask, field, fill, form, h, notice, say } from "./dom.js";
import { get, post } from "./api.js";
import { groupedTypes } from "./entry-types.js";
import { fieldTime } from "./format.js";
import { choiceName, typeName, typeNameInside, unitName } from "./names.js";
import { unitChoices } from "./unit-choices.js";

/**
 * Opens the form.
 * @param {string|null} type The type that is chosen first.
 * @param {(type: string) => void} added Called when a sample was stored.
 */
export async function addSample(type, added) {
  const { types } = await get("/api/entry");
  let chosen = types.find((each) => each.type === type) ?? types.find((each) => each.type === "bodyMass");
  const details = h("div.stack");
  const show = () => fill(details, detailsOf(chosen));
  const choice = h("select", {
    name: "type",
    onchange: ({ target }) => {
      chosen = types.find((each) => each.type === target.value);
      show();
    },
  }, groupedTypes(types).map(([name, some]) => h("optgroup", { label: name }, some.map((each) =>
    h("option", { value: each.type, selected: each.type === chosen.type }, typeName(each.type))))));
  show();
  const dialog = form({
    title: "Add data", confirm: "Add", fields: [field("Type", choice), details],
    submit: async (data) => {
      const request = requestOf(chosen, data);
      clearProblems(details);
      try {
        await postConfirmed(request);
      } catch (error) {
        if (!sayBeside(details, error)) throw error;
        // The error is already shown beside the field, so do not show it again.
        throw new Error("");
      }
      notice("Added.");
      added(chosen.type);
    },
  });
  // The type is already chosen, so focus the field for the value.
  dialog.querySelector("[name=value], [name=systolic], [name=choice]")?.focus();
}

/**
 * Creates a button that opens the form.
 * @param {string|null} type The type that is chosen first.
 * @param {string|null} text The text of the button; null for only a plus sign.
 * @param {(type: string) => void} added Called when a sample was stored.
 * @param {HTMLElement} problem Shows why the form cannot be opened.
 */
export function addButton(type, text, added, problem) {
  return h("button.add", {
    type: "button", "aria-label": text ? null : `Add ${typeNameInside(type)}`,
    onclick: () => addSample(type, added).catch((error) => say(problem, error.message)),
  }, h("span", { "aria-hidden": "true" }, "+"), text && ` ${text}`);
}

/** Sends the entry. If the value is probably a mistake, asks the user to confirm it. */
async function postConfirmed(request) {
  try {
    await post("/api/samples", request);
  } catch (error) {
    if (error.word !== "implausible") throw error;
    const unit = request.unit ? ` ${unitName(request.unit, request.type) || request.unit}` : "";
    const yes = await ask({
      title: "Is this right?", text: [`${typeName(request.type)}: ${request.value}${unit}`, error.message],
      confirm: "Add it", cancel: "Change it", danger: false,
    });
    if (!yes) throw error;
    await post("/api/samples", { ...request, confirmed: true });
  }
}

function clearProblems(details) {
  for (const each of details.querySelectorAll(".field > .problem")) each.remove();
  for (const each of details.querySelectorAll("[aria-invalid]")) {
    each.removeAttribute("aria-invalid");
    each.removeAttribute("aria-describedby");
  }
}

/** Shows an error beside the field that it is about. @returns {boolean} Whether there is such a field. */
function sayBeside(details, { field: name, message }) {
  const control = details.querySelector(`[name="${name}"]`)
    ?? (name === "value" && details.querySelector("[name=systolic], [name=choice]"));
  if (!control) return false;
  const id = `problem-of-${control.name}`;
  control.closest(".field").append(h("small.problem", { id, role: "alert" }, message));
  control.setAttribute("aria-invalid", "true");
  control.setAttribute("aria-describedby", id);
  control.focus();
  return true;
}

/**
 * Rejects pasted text with several numbers. The field would drop what is between them, and "73.2" and "72.9"
 * would become 73.2729.
 */
function rejectSeveral(event) {
  const fields = event.currentTarget.closest("form");
  clearProblems(fields);
  const numbers = event.clipboardData.getData("text").match(/\d+(?:[.,\u00a0\u202f]\d+)*/g) ?? [];
  if (numbers.length < 2) return;
  event.preventDefault();
  sayBeside(fields, { field: event.currentTarget.name, message: "Paste a single number." });
}

function detailsOf({ type, kind, unit, units, choices, needsDuration, mayBeOngoing, needs }) {
  const now = fieldTime(Date.now());
  const numberField = (label, name) => field(label, h("input", {
    type: "number", name, step: "any", required: true, inputmode: "decimal", onpaste: rejectSeveral,
  }));
  const optional = (label, name) =>
    field(label, h("input", {
      type: "number", name, step: "any", min: 0, inputmode: "decimal", onpaste: rejectSeveral,
    }));
  const time = (label, name, required, hint) => field(label, h("input", {
    type: "datetime-local", name, value: required ? now : "", max: now, required,
  }), hint);
  return [
    kind === "quantity" && numberField("Value", "value"),
    kind === "pressure" && [numberField("Systolic", "systolic"), numberField("Diastolic", "diastolic")],
    units && field("Unit", h("select", { name: "unit" }, unitChoices(type, units, unit).map((each) =>
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
