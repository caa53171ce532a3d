// The server's clock. Ages are computed with it, because a browser on another machine has another clock.

/** Difference between the server's clock and the browser's in milliseconds. */
let ahead = 0;
let isKnown = false;
/** Milliseconds. The difference can appear smaller by this much, because of the duration of a request. */
const delay = 1000;

/**
 * Updates the difference from a time that the server has sent.
 * @param {number} here When the browser received it, by the browser's clock.
 */
export function hearServerClock(time, here = Date.now()) {
  const heard = time - here;
  // The time that a response takes makes the difference appear smaller. So of two similar differences, the
  // larger one is more accurate.
  if (isKnown && heard <= ahead && ahead - heard < delay) return;
  ahead = heard;
  isKnown = true;
}

/** The current time of the server in milliseconds since 1970. */
export function serverNow() {
  return Date.now() + ahead;
}
