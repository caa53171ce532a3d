// When a session was, and where its page is.

import { clock, day, sameDay } from "./format.js";

/** "17:44 to 18:31". */
export function sessionTimes({ start, end }) {
  return `${clock(start)} to ${sameDay(start, end) ? "" : `${day(end)}, `}${clock(end)}`;
}

/** The address of a session's page. A session is found by its source and any moment in it. */
export function sessionLink({ source, start }, context) {
  return context.link("session", { source, start: Math.round(start) });
}
