// Per cent as people read them: for programs 97 % is 0.97, as HealthKit has it.

const values = ["value", "min", "max", "average", "sum", "low", "high", "sums"];
const holders = ["latest", "now", "before", "intervals", "statistics"];

/**
 * An answer of the server with its figures as they stand before the name of their unit: those in per cent are
 * shares of a hundred, all others what they were.
 */
export function readable(answer, unit = answer?.unit) {
  if (unit !== "%" || !answer) return answer;
  const read = { ...answer };
  for (const key of values) read[key] = timesHundred(answer[key]);
  for (const key of holders) {
    const held = answer[key];
    read[key] = Array.isArray(held) ? held.map((each) => readable(each, unit)) : readable(held, unit);
  }
  // What was absent is so afterwards, too.
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
}

function timesHundred(value) {
  if (Array.isArray(value)) return value.map(timesHundred);
  return typeof value === "number" ? value * 100 : value;
}
