// The server's clock, by which everything is timed that it tells: a browser on another machine, at the other
// end of a tunnel, has another one, and by that an age would be wrong.

/** How much later it is there than here, in milliseconds. */
let ahead = 0;
let isKnown = false;
/** What the server says comes so much later than it was said, in milliseconds: that is not its clock. */
const delay = 1000;

/**
 * Takes in what time it was there.
 * @param {number} here When that was, by this browser's clock.
 */
export function hearServerClock(time, here = Date.now()) {
  const heard = time - here;
  // Of two that tell the same clock the one that took less time is right.
  if (isKnown && heard <= ahead && ahead - heard < delay) return;
  ahead = heard;
  isKnown = true;
}

/** What time it is for the server, in milliseconds since 1970. */
export function serverNow() {
  return Date.now() + ahead;
}
