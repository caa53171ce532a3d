// The name of a session and the note about it, the forms that change them, and the totals of a workout.

import { field, form, h, plain } from "./dom.js";
import { post } from "./api.js";
import { number } from "./format.js";
import { choiceName, digitsFor, unitName } from "./names.js";

/** The name that the user gave a session, otherwise the activity of its workout; empty without both. */
export function sessionName({ title, activity }) {
  return title || (activity ? choiceName(activity) : "");
}

/** The distance and the energy of a workout, as far as it has them. */
export function totalsOf({ totalDistance, totalEnergyBurned } = {}) {
  return [totalDistance, totalEnergyBurned].filter(Boolean)
    .map(({ value, unit }) => `${number(value, digitsFor(unit))} ${unitName(unit)}`);
}

/** The fields of a request that identify a session. */
function addressOf({ source, start, end, workout }) {
  return { source, start, end, workout: workout?.uuid };
}

/**
 * Asks for the name of a session, and saves it in the store.
 * @param {object} session The session. Its `title` is updated.
 * @param {string} label The text that identifies the session in the heading of the form.
 * @param {() => void} done Called when the name is saved.
 */
export function nameSession(session, label, done) {
  form({
    title: `Name of ${label}`, confirm: "Save", text: "Saved in the store. Leave it empty to remove it.",
    fields: field("Name", h("input", {
      type: "text", name: "title", maxlength: 100, value: plain(session.title), autocomplete: "off",
    })),
    submit: async (data) => {
      const title = data.get("title").trim() || null;
      await post("/api/worn/title", { ...addressOf(session), title });
      session.title = title;
      done();
    },
  });
}

/**
 * Asks for the note about a session, and saves it in the store.
 * @param {object} session The session.
 * @param {string|null} note The current note.
 * @param {string} label The text that identifies the session in the heading of the form.
 * @param {(note: string|null) => void} done Called when the note is saved.
 */
export function noteSession(session, note, label, done) {
  form({
    title: `Note on ${label}`, confirm: "Save", text: "Saved in the store. Leave it empty to remove it.",
    fields: field("Note", h("textarea", { name: "note", rows: 5, maxlength: 2000, value: note ?? "" })),
    submit: async (data) => {
      const text = data.get("note").replaceAll("\r\n", "\n").trim() || null;
      await post("/api/worn/note", { ...addressOf(session), note: text });
      done(text);
    },
  });
}

/** The lines of a note as elements. */
export function noteLines(note) {
  return note.split("\n").map((line, i) => [i > 0 && h("br"), h("bdi", {}, plain(line))]);
}
