// Requests to the server of this page, and nothing beyond it.

/** A refusal by the server. `message` is a sentence to be shown as it is. */
export class Refusal extends Error {
  constructor(word, message, status) {
    super(message);
    this.word = word;
    this.status = status;
  }
}

const ended = "This session has ended. Run hrgate page for a new address.";
const away = "hrgate does not answer. Is hrgate page still running?";
const listeners = new Set();
let token = "";
let hasEnded = false;

/** Whose data is asked for; `null` for the store that the page was started for. */
export const shown = { person: null };

/** Calls `listener` once, when the session is over: nothing is asked for from then on. */
export function onEnd(listener) {
  listeners.add(listener);
}

export function setToken(value) {
  token = value;
}

/** The address of a route with its parameters; what is null is left out. */
export function address(path, parameters = {}) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries({ person: shown.person, ...parameters })) {
    if (value !== null && value !== undefined && value !== "") query.set(key, String(value));
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

/**
 * Asks for a route.
 * @throws {Refusal} With the server's own sentence.
 */
export function get(path, parameters, signal) {
  return request(address(path, parameters), { signal });
}

/** Changes something. @throws {Refusal} */
export function post(path, body) {
  return request(address(path), {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-HRGate-CSRF": token },
    body: JSON.stringify(body),
  });
}

let intervalsAsked = null;

/** Whether the server exports RR intervals: what it has not is not on the page. */
export function exportsIntervals() {
  intervalsAsked ??= fetch(address("/api/export.rr", { from: 0, to: 1 })).then(({ ok }) => ok, () => false);
  return intervalsAsked;
}

async function request(url, options, attempt = 0) {
  if (hasEnded) throw new Refusal("session", ended, 401);
  let response;
  try {
    response = await fetch(url, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal("away", away, 0);
  }
  // The server is asked by all tabs together and says so when that is too much: a second later it is not.
  if (response.status === 429 && attempt < 3) {
    await new Promise((resolve) => setTimeout(resolve, 1000 * (attempt + 1) + Math.random() * 400));
    return request(url, options, attempt + 1);
  }
  const answer = await response.json().catch(() => null);
  if (response.ok && answer) return answer;
  if (response.status === 401) {
    hasEnded = true;
    for (const listener of listeners) listener(ended);
    throw new Refusal("session", ended, 401);
  }
  throw new Refusal(answer?.error ?? "answer",
    answer?.message ?? `hrgate gave an answer that this page does not understand (${response.status}).`,
    response.status);
}
