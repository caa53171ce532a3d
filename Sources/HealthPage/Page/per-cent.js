// Percentages for readers. In program output 97 % is 0.97, as in HealthKit.

const values = ["value", "min", "max", "average", "sum", "low", "high", "mean", "sums"];
const holders = ["latest", "now", "before", "normal", "intervals", "statistics"];

/** A response with figures in the displayed unit: shares become percentages, all others stay unchanged. */
export function readable(answer, unit = answer?.unit) {
  if (unit !== "%" || !answer) return answer;
  const read = { ...answer };
  for (const key of values) read[key] = timesHundred(answer[key]);
  for (const key of holders) {
    const held = answer[key];
    read[key] = Array.isArray(held) ? held.map((each) => readable(each, unit)) : readable(held, unit);
  }
  // Absent values stay absent.
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
}

function timesHundred(value) {
  if (Array.isArray(value)) return value.map(timesHundred);
  return typeof value === "number" ? value * 100 : value;
}
