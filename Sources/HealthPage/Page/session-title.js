// The name of a session: the form that asks for it.

import { field, form, h, plain } from "./dom.js";
import { post } from "./api.js";

/**
 * Asks for the name of a session, and keeps it in the store.
 * @param {object} session Its `title` is set.
 * @param {string} label When it was.
 * @param {() => void} done Called when the name is stored.
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
