// What this browser remembers of how somebody likes to see things. No measurement is kept here.

import { shown } from "./api.js";

function key(name, isPersonal) {
  return isPersonal ? `${name}.${shown.person ?? ""}` : name;
}

/** A setting of this browser; of the person that is shown where `isPersonal`. */
export function setting(name, fallback, isPersonal = false) {
  try {
    const text = localStorage.getItem(key(name, isPersonal));
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
}

/** Keeps a setting, or forgets it where `value` is null. A browser that keeps nothing is no failure. */
export function keepSetting(name, value, isPersonal = false) {
  try {
    if (value === null) localStorage.removeItem(key(name, isPersonal));
    else localStorage.setItem(key(name, isPersonal), JSON.stringify(value));
  } catch { /* private windows may have no storage */ }
}
