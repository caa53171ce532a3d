// Times are ISO 8601 in UTC with microseconds in JSON and in addresses, as in hrgate --json, and milliseconds
// since 1970 in this page.

/** The fields of requests and responses that contain a time. */
const fields = new Set(["start", "end", "from", "to", "time", "first", "last", "asked", "opened", "lastUsed",
  "lastRead", "scheduled", "enrolled", "lastSeen", "lastMeasurement"]);
const form = /^(-?)(\d{4,6})(-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})(\d{3})Z$/;

/** Parses JSON, with times as milliseconds. @throws {SyntaxError} */
export function parsed(text) {
  return JSON.parse(text,
    (key, value) => (fields.has(key) && form.test(value) ? milliseconds(value) : value));
}

function milliseconds(text) {
  const [, sign, year, rest, microseconds] = form.exec(text);
  // JavaScript parses years before 0 and after 9999 only with a sign and six digits.
  const isFar = sign || year.length > 4;
  const date = `${isFar ? `${sign || "+"}${year.padStart(6, "0")}` : year}${rest}Z`;
  return Date.parse(date) + Number(microseconds) / 1000;
}

/** Converts the value of a request's field: a time to text, anything else stays unchanged. */
export function sent(key, value) {
  // A larger number cannot be a time, because a Date cannot represent it.
  if (!fields.has(key) || typeof value !== "number" || !(Math.abs(value) <= 8.64e15)) return value;
  const microseconds = Math.round(value * 1000);
  const whole = Math.floor(microseconds / 1000);
  const rest = String(microseconds - whole * 1000).padStart(3, "0");
  return new Date(whole).toISOString().replace("Z", `${rest}Z`);
}
