// A section with the time in heart-rate zones in a time range.

import { fill, h } from "./dom.js";
import { get } from "./api.js";
import { number } from "./format.js";
import { zonesView } from "./beat-views.js";
import { serverNow } from "./server-clock.js";
import { zoneBasis, zoneParameters } from "./zones.js";

/**
 * Requests the time in zones and shows it.
 * @param {HTMLElement} place
 * @param {{from: number, to: number, source?: string|string[]}} options
 * @param {object} context The context of the part.
 * @param {object} how
 * @param {AbortSignal} how.signal
 * @param {(place, ...content) => void} [how.put] Inserts the response: `fill`, or `refill` during an update.
 */
export async function showZones(place, options, context, { signal, put = fill }) {
  const heading = h("h2", {}, "Zones");
  // During an update, the section keeps its content until the response arrives.
  if (put === fill) place.setAttribute("aria-busy", "true");
  const you = (text) => h("a", { href: context.link("you") }, text);
  try {
    const basis = await zoneBasis();
    if (!basis) {
      put(place, heading,
        h("p.quiet", {}, "Zones need your maximum heart rate or your date of birth. ", you("Enter one.")));
      return;
    }
    const { sources } = await get("/api/zones", { ...options, ...zoneParameters(basis) }, signal);
    const elapsed = Math.min(options.to, serverNow()) - options.from;
    put(place, heading, sources.map((each) => zonesView(each, sources.length > 1, elapsed)),
      !sources.length && h("p.quiet", {}, "No heart rate in this time."),
      h("p.quiet", {}, h("small", {}, basis.areLimits ? "The limits are those that you entered. "
        : basis.origin === "age"
        ? `Shares of ${number(basis.maximum)} beats a minute, estimated from your age: 208 − 0.7 × age. `
        : `Shares of ${number(basis.maximum)} beats a minute, your maximum heart rate. `, you("Change it"))));
  } catch (error) {
    if (error.name !== "AbortError") put(place, heading, h("p.problem", {}, error.message));
  } finally {
    if (!signal.aborted) place.removeAttribute("aria-busy");
  }
}
