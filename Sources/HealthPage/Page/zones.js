// Zones of effort: shares of the maximum heart rate, as in `hrgate zones --maximum`.

import { get } from "./api.js";
import { setting } from "./settings.js";

/** The lower bounds of zones 1 to 5 as shares of the maximum heart rate. */
export const shares = [0.5, 0.6, 0.7, 0.8, 0.9];
export const zoneNames = ["rest", "very light", "light", "moderate", "hard", "very hard"];

/**
 * The maximum heart rate for the zones.
 * @returns {Promise<{maximum: number, origin: "chosen"|"age"}|null>} Null if neither it nor the age is known.
 */
export async function zoneBasis() {
  const chosen = setting("maximum", null, true);
  if (chosen) return { maximum: chosen, origin: "chosen" };
  const { characteristics } = await get("/api/characteristics");
  const born = characteristics.find((each) => each.name === "dateOfBirth")?.value;
  if (!born) return null;
  const age = (Date.now() - Date.parse(born)) / (365.2425 * 86400_000);
  if (!(age > 0 && age < 130)) return null;
  // Formula of Tanaka, Monahan and Seals (2001).
  return { maximum: Math.round(208 - 0.7 * age), origin: "age" };
}

/** The zone of a heart rate: 0 (below all zones) to 5. */
export function zoneOf(rate, maximum) {
  let zone = 0;
  while (zone < shares.length && rate >= maximum * shares[zone]) zone += 1;
  return zone;
}
