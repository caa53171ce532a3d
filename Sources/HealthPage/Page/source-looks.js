// Assigns looks (color, dashes and marks) to sources. A source has the same look on all charts, even if
// further sources are added.

import { keepSetting, setting } from "./settings.js";

/** The sources of a store, in the order in which this browser first received them. */
const known = () => setting("sources", [], true);

/** Assigns looks to those of the given sources that have none yet. */
export function meetSources(sources) {
  const all = known();
  const fresh = sources.filter((each) => each && !all.includes(each));
  if (fresh.length) keepSetting("sources", [...all, ...new Set(fresh)], true);
}

/** The index of a source's look. */
export function lookOfSource(source) {
  const place = known().indexOf(source);
  if (place >= 0) return place;
  meetSources([source]);
  return Math.max(0, known().indexOf(source));
}
