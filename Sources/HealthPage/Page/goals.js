// The user's daily goals, such as active energy.

/**
 * The newest goal of each type that has not been removed.
 * @param {{goal: string, from: string, value?: number, unit: string}[]} goals The history of all goals.
 */
export function newestGoals(goals) {
  const newest = new Map();
  for (const goal of goals) {
    const other = newest.get(goal.goal);
    if (!other || !(other.from > goal.from)) newest.set(goal.goal, goal);
  }
  // A goal that was removed has no value.
  return new Map([...newest].filter(([, { value }]) => value !== undefined));
}
