// The server's clock. Ages are computed with it, because a browser on another machine has another clock.

/** Difference between the server's clock and the browser's in milliseconds. */
let ahead = 0;
let isKnown = false;
/** Milliseconds. A smaller difference may come from the duration of a request. */
const delay = 1000;

/** Takes a time from the server. @param {number} here Time of its receipt by the browser's clock. */
export function hearServerClock(time, here = Date.now()) {
  const heard = time - here;
  // Of two similar differences the larger one is more accurate: its response was faster.
  if (isKnown && heard <= ahead && ahead - heard < delay) return;
  ahead = heard;
  isKnown = true;
}

/** The current time of the server in milliseconds since 1970. */
export function serverNow() {
  return Date.now() + ahead;
}
