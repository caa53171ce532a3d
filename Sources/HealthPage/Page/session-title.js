// The name of a session, the form that changes it, and the totals of a workout.

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
      await post("/api/worn/title", {
        source: session.source, start: session.start, end: session.end, title,
      });
      session.title = title;
      done();
    },
  });
}
