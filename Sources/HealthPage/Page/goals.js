// The user's daily goals, such as active energy.

/**
 * The goals that apply now, by type.
 * @param {{goal: string, from: string, value?: number, unit: string}[]} goals The history of all goals.
 */
export function currentGoals(goals) {
  const newest = new Map();
  for (const goal of goals) {
    const other = newest.get(goal.goal);
    if (!other || !(other.from > goal.from)) newest.set(goal.goal, goal);
  }
  // A goal that was removed has no value.
  return new Map([...newest].filter(([, { value }]) => value !== undefined));
}
