// A section with the time in heart-rate zones in a time range.

import { fill, h } from "./dom.js";
import { get } from "./api.js";
import { number } from "./format.js";
import { zonesView } from "./beat-views.js";
import { serverNow } from "./server-clock.js";
import { zoneBasis, zoneParameters } from "./zones.js";

/** Minimum number of seconds in zones for which a source other than the main one is shown. */
const leastKnown = 60;

/**
 * Requests the time in zones and shows it. The source with the most time in zones comes first; the others are
 * in details.
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
    const [main, ...others] = sources.toSorted((a, b) => b.known - a.known);
    const some = others.filter(({ known }) => known >= leastKnown);
    put(place, heading, main && zonesView(main, some.length > 0, elapsed),
      some.length > 0 && h("details", {}, h("summary", {}, "Other sources"),
        h("div.stack", {}, some.map((each) => zonesView(each, true, elapsed)))),
      !sources.length && h("p.quiet", {}, "No heart rate in this time."),
      h("p.quiet", {}, h("small", {}, basis.areLimits ? "The limits are those that you entered. "
        : basis.origin === "age"
        ? `In percent of your maximum heart rate: ${number(basis.maximum)}, estimated from your age. `
        : `In percent of your maximum heart rate: ${number(basis.maximum)}. `, you("Change it"))));
  } catch (error) {
    if (error.name !== "AbortError") put(place, heading, h("p.problem", {}, error.message));
  } finally {
    if (!signal.aborted) place.removeAttribute("aria-busy");
  }
}
