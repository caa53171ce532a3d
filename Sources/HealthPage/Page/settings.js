// What this browser remembers of how somebody likes to see things. No measurement is kept here.

import { shown } from "./api.js";

/** Whose store the page was started for, as the session says. */
const started = { owner: null, person: null, file: "" };

/**
 * Takes in whose data the page shows where nobody is chosen. A server on the same port may be started for
 * somebody else the next time, and this browser keeps things of both.
 */
export function knowSession({ people, person, store }) {
  started.owner = people?.find((each) => each.isOwner)?.name ?? null;
  started.person = person ?? null;
  // A file belongs to nobody of those whom a user keeps: it has settings of its own.
  started.file = people?.length ? "" : `file:${store}`;
}

/** The same for a person however one got there; empty for the owner. */
function whose() {
  const person = shown.person ?? started.person;
  return person === null || person === started.owner ? started.file : person;
}

function key(name, isPersonal) {
  return isPersonal ? `${name}.${whose()}` : name;
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
