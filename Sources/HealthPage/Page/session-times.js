// The times of a session as text, and the address of its page.

import { clock, day, sameDay } from "./format.js";

/** The start and end of a session as text: "17:44 to 18:31". */
export function sessionTimes({ start, end }) {
  return `${clock(start)} to ${sameDay(start, end) ? "" : `${day(end)}, `}${clock(end)}`;
}

/** The address of a session's page. A session is found by its source and any moment in it. */
export function sessionLink({ source, start }, context) {
  return context.link("session", { source, start: Math.round(start) });
}
