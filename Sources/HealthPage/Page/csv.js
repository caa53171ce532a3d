// Comma-separated values of the page's contents, in the same form as the server's (CSVText.swift).

import { plain } from "./dom.js";

/**
 * @param {string[]} heading
 * @param {(string|number|null)[][]} rows Null is an empty field.
 * @returns {Blob}
 */
export function csvOf(heading, rows) {
  const lines = [heading, ...rows].map((fields) => `${fields.map(field).join(",")}\n`);
  return new Blob(lines, { type: "text/csv" });
}

/** Formats a time as ISO 8601 in UTC, as the commands do. */
export function timeText(time) {
  return new Date(time).toISOString();
}

/** Returns a field. A text that a spreadsheet would evaluate as a formula gets a leading apostrophe. */
function field(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(Number(value.toFixed(6)));
  const text = plain(value);
  const harmless = /^[=+\-@]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
