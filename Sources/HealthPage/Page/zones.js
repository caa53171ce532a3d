// Zones of effort: shares of the maximum heart rate, or limits that the reader entered; as in `hrgate zones`.

import { get, post } from "./api.js";
import { keepSetting, setting } from "./settings.js";

/** The lower bounds of zones 1 to 5 as percentages of the maximum heart rate. */
const percentages = [50, 60, 70, 80, 90];
export const zoneNames = ["rest", "very light", "light", "moderate", "hard", "very hard"];

/**
 * The maximum heart rate and the limits of zones. They are in the store, so that commands, programs and other
 * browsers have the same zones.
 * @returns {Promise<{maximum?: number, origin?: "chosen"|"age", bounds: number[], areLimits: boolean}|null>}
 *   `areLimits`: the bounds are limits that the reader entered. Null if neither these nor the maximum nor the
 *   age is known.
 */
export async function zoneBasis() {
  const { basis = null, limits = null } = await get("/api/maximum");
  return zonesOf(await withKept(basis), limits);
}

function zonesOf(basis, limits) {
  if (!basis && !limits) return null;
  return {
    ...basis, areLimits: Boolean(limits),
    bounds: limits ?? percentages.map((each) => (basis.maximum * each) / 100),
  };
}

/** Earlier versions kept the maximum heart rate in the browser. */
async function withKept(basis) {
  const kept = setting("maximum", null, true);
  if (!kept) return basis;
  if (basis?.origin !== "chosen") await post("/api/maximum", { maximum: Math.round(kept) });
  keepSetting("maximum", null, true);
  return basis?.origin === "chosen" ? basis : { maximum: Math.round(kept), origin: "chosen" };
}

/** The parameters with which a request names the zones. */
export function zoneParameters(basis) {
  return { maximum: basis?.maximum, bounds: basis?.areLimits ? basis.bounds.join() : null };
}

/** The zone of a heart rate: 0 (below all zones) to 5. */
export function zoneOf(rate, { bounds }) {
  return bounds.filter((bound) => rate >= bound).length;
}
