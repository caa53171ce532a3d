// Which look a source has on charts: the same one in every part, also after other sources have come.

import { keepSetting, setting } from "./settings.js";

/** The sources of a store in the order in which this browser has met them. */
const known = () => setting("sources", [], true);

/** Gives looks to the sources that have none yet, in this order. */
export function meetSources(sources) {
  const all = known();
  const fresh = sources.filter((each) => each && !all.includes(each));
  if (fresh.length) keepSetting("sources", [...all, ...new Set(fresh)], true);
}

/** The number of a source's look. */
export function lookOfSource(source) {
  const place = known().indexOf(source);
  if (place >= 0) return place;
  meetSources([source]);
  return Math.max(0, known().indexOf(source));
}
