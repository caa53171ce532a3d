// Zones of effort: shares of the greatest heart rate, as `hrgate zones --maximum` counts them.

import { get } from "./api.js";
import { setting } from "./settings.js";

/** Where zone 1 to 5 begin, in shares of the greatest heart rate. */
export const shares = [0.5, 0.6, 0.7, 0.8, 0.9];
export const zoneNames = ["rest", "very light", "light", "moderate", "hard", "very hard"];

/**
 * The greatest heart rate that zones are reckoned from.
 * @returns {Promise<{maximum: number, origin: "chosen"|"age"}|null>} Null where neither it nor the age is
 * known.
 */
export async function zoneBasis() {
  const chosen = setting("maximum", null, true);
  if (chosen) return { maximum: chosen, origin: "chosen" };
  const { characteristics } = await get("/api/characteristics");
  const born = characteristics.find((each) => each.name === "dateOfBirth")?.value;
  if (!born) return null;
  const age = (Date.now() - Date.parse(born)) / (365.2425 * 86400_000);
  if (!(age > 0 && age < 130)) return null;
  // Tanaka, Monahan and Seals 2001.
  return { maximum: Math.round(208 - 0.7 * age), origin: "age" };
}

/** 0 (below all) to 5. */
export function zoneOf(rate, maximum) {
  let zone = 0;
  while (zone < shares.length && rate >= maximum * shares[zone]) zone += 1;
  return zone;
}
