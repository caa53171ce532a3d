// The times of a session as text, whether it is ongoing, and the address of its page.

import { clock, day, sameDay } from "./format.js";
import { serverNow } from "./server-clock.js";

/** Milliseconds without a heart rate after which a session is over, as in WearSessions.swift. */
const longestPause = 300_000;

/** The start and end of a session as text: "17:44 to 18:31". */
export function sessionTimes({ start, end }) {
  return `${clock(start)} to ${sameDay(start, end) ? "" : `${day(end)}, `}${clock(end)}`;
}

/**
 * The address of a session's page. A session is found by its source and any moment in it, or by the workout
 * that it is.
 */
export function sessionLink({ source, start, workout }, context) {
  return context.link("session", { source, start: Math.round(start), workout: workout?.uuid });
}

/** A session with the source of its heart rates, which may be another one than that of a workout. */
export function measured(session) {
  const { source, name, measuredBy = source, measuredByName = name } = session;
  return { ...session, source: measuredBy, name: measuredByName };
}

/** The duration of a session in milliseconds. That of a workout does not include its pauses. */
export function lengthOf({ start, end, workout }) {
  return workout ? workout.duration * 1000 : end - start;
}

/** Whether a session may still be measured. A workout is stored when it is over. */
export function isOngoing({ end, workout }) {
  return !workout && serverNow() - end < longestPause;
}
