// Requests to the server of this page, and nothing beyond it.

import { h, notice } from "./dom.js";
import { parsed, sent } from "./times.js";

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
const damageListeners = new Set();
let damagedBlocks = 0;
let token = "";
let hasEnded = false;

/** Whose data is asked for; `null` for the store that the page was started for. */
export const shown = { person: null };

/** Calls `listener` once, when the session is over: nothing is asked for from then on. */
export function onEnd(listener) {
  listeners.add(listener);
}

/** Calls `listener` whenever the server has met damaged blocks of the store while it responded. */
export function onDamage(listener) {
  damageListeners.add(listener);
}

/** The page requests `/api/damage` itself: its response calls nobody. */
function hearDamage(url, response) {
  const count = Number(response.headers.get("X-HRGate-Damaged-Blocks") ?? damagedBlocks);
  const isNew = count !== damagedBlocks;
  damagedBlocks = count;
  if (isNew && !url.startsWith("/api/damage")) for (const listener of damageListeners) listener();
}

export function setToken(value) {
  token = value;
}

/** The address of a route with its parameters: null is left out, and a list stands there part by part. */
export function address(path, parameters = {}) {
  const query = new URLSearchParams();
  for (const [key, values] of Object.entries({ person: shown.person, ...parameters })) {
    for (const value of [values].flat()) {
      if (value !== null && value !== undefined && value !== "") query.append(key, String(sent(key, value)));
    }
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

/**
 * Asks for a route.
 * @throws {Refusal} With the server's own sentence.
 */
export function get(path, parameters, signal) {
  return answerOf(address(path, parameters), { signal });
}

/** Changes something. @throws {Refusal} */
export function post(path, body, parameters) {
  return answerOf(address(path, parameters), {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-HRGate-CSRF": token },
    body: JSON.stringify(body, sent),
  });
}

/**
 * Saves what a link leads to. The browser writes it where files go as it comes, shows how far it is, and can
 * end that: a year of heart rates is too much to be held here. Of a refusal it would say but that it failed;
 * so the page asks first, and listens no longer than until it is told whether.
 */
export async function save(event) {
  event.preventDefault();
  const { href } = event.currentTarget;
  const listening = new AbortController();
  try {
    await request(href, { signal: listening.signal });
  } catch (error) {
    return notice(error.message);
  } finally {
    listening.abort();
  }
  // What the server calls the file goes before this name.
  h("a", { href, download: new URL(href).pathname.split("/").at(-1) }).click();
}

async function answerOf(url, options) {
  const response = await request(url, options);
  const answer = await response.text().then(parsed).catch(() => null);
  if (answer) return answer;
  throw notUnderstood(response);
}

function notUnderstood({ status }) {
  return new Refusal("answer", `hrgate gave an answer that this page does not understand (${status}).`,
    status);
}

/** @returns {Promise<Response>} One that is no refusal. */
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
  if (response.ok) {
    hearDamage(url, response);
    return response;
  }
  if (response.status === 401) {
    hasEnded = true;
    for (const listener of listeners) listener(ended);
    throw new Refusal("session", ended, 401);
  }
  const answer = await response.json().catch(() => null);
  if (!answer?.message) throw notUnderstood(response);
  throw new Refusal(answer.error ?? "answer", answer.message, response.status);
}
