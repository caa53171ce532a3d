// Zones of effort: shares of the maximum heart rate, as in `hrgate zones --maximum`.

import { get, post } from "./api.js";
import { keepSetting, setting } from "./settings.js";

/** The lower bounds of zones 1 to 5 as shares of the maximum heart rate. */
export const shares = [0.5, 0.6, 0.7, 0.8, 0.9];
export const zoneNames = ["rest", "very light", "light", "moderate", "hard", "very hard"];

/**
 * The maximum heart rate for the zones. It is in the store, so that commands and other browsers have the same
 * zones.
 * @returns {Promise<{maximum: number, origin: "chosen"|"age"}|null>} Null if neither the maximum nor the age
 *   is known.
 */
export async function zoneBasis() {
  const { basis = null } = await get("/api/maximum");
  // Earlier versions stored the maximum in the browser. Move it to the store.
  const kept = setting("maximum", null, true);
  if (!kept) return basis;
  if (basis?.origin !== "chosen") await post("/api/maximum", { maximum: Math.round(kept) });
  keepSetting("maximum", null, true);
  return basis?.origin === "chosen" ? basis : { maximum: Math.round(kept), origin: "chosen" };
}

/** The zone of a heart rate: 0 (below all zones) to 5. */
export function zoneOf(rate, maximum) {
  let zone = 0;
  while (zone < shares.length && rate >= maximum * shares[zone]) zone += 1;
  return zone;
}
