// The settings that this browser stores. They contain no measurements.

import { shown } from "./api.js";

/** The store that the page was started for. */
const started = { owner: null, person: null, file: "" };

/**
 * Sets the person or the store that the page was started for. It is part of the keys of personal settings,
 * because another page may later use the same port, and the browser keeps the settings of both.
 */
export function knowSession({ people, person, store }) {
  started.owner = people?.find((each) => each.isOwner)?.name ?? null;
  started.person = person ?? null;
  // A store that was opened by its path belongs to no person, so settings are stored under its path.
  started.file = people?.length ? "" : `file:${store}`;
}

/**
 * The part of a key that identifies the displayed person. It does not depend on how the page was opened, and
 * is empty for the account owner.
 */
function whose() {
  const person = shown.person ?? started.person;
  return person === null || person === started.owner ? started.file : person;
}

function key(name, isPersonal) {
  return isPersonal ? `${name}.${whose()}` : name;
}

/** Returns a setting; with `isPersonal`, the one of the displayed person. */
export function setting(name, fallback, isPersonal = false) {
  try {
    const text = localStorage.getItem(key(name, isPersonal));
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
}

/** Saves a setting, or removes it if `value` is null. Without storage it does nothing. */
export function keepSetting(name, value, isPersonal = false) {
  try {
    if (value === null) localStorage.removeItem(key(name, isPersonal));
    else localStorage.setItem(key(name, isPersonal), JSON.stringify(value));
  } catch { /* private windows may have no storage */ }
}
