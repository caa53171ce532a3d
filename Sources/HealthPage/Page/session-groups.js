// Sessions of several sources at the same time, which are one workout.

/**
 * Groups sessions of several sources at the same time, which are one workout. The first session of a group is
 * the one with a name, otherwise the one with the most values.
 * @param {object[]} sessions The latest first.
 */
export function groupsOf(sessions) {
  const groups = [];
  for (const each of sessions) {
    const group = groups.findLast((known) => known.some((other) => isSame(each, other))
      && known.every(({ source }) => source !== each.source));
    if (group) group.push(each);
    else groups.push([each]);
  }
  return groups.map((group) =>
    group.toSorted((a, b) => Boolean(b.title) - Boolean(a.title) || b.count - a.count));
}

/** Whether two sessions overlap by more than 80 % of the longer one. */
function isSame(a, b) {
  const common = Math.min(a.end, b.end) - Math.max(a.start, b.start);
  return common > 0.8 * Math.max(a.end - a.start, b.end - b.start);
}
