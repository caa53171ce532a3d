// Requests to the page's server. The page makes no other requests.

import { h, notice } from "./dom.js";
import { withTypeNames } from "./names.js";
import { parsed, sent } from "./times.js";

/** An error response of the server. `message` is a sentence that can be shown as it is. */
export class Refusal extends Error {
  constructor(word, message, status, field = null) {
    super(withTypeNames(message));
    this.word = word;
    this.status = status;
    /** The name of the invalid field of the request; null if the error does not concern a single field. */
    this.field = field;
  }
}

const ended = "This session has ended. Run hrgate page for a new address.";
const away = "hrgate does not respond. Is hrgate page still running?";
const listeners = new Set();
const damageListeners = new Set();
const lockListeners = new Set();
let damagedBlocks = 0;
let token = "";
let hasEnded = false;

/** The person whose data is requested; `null` for the store that the page was started for. */
export const shown = { person: null };

/** Calls `listener` once when the session has ended. No request is sent after that. */
export function onEnd(listener) {
  listeners.add(listener);
}

/** Calls `listener` when a response reports that the server has found more damaged segments of the store. */
export function onDamage(listener) {
  damageListeners.add(listener);
}

/** Calls `listener` when a request fails because the store is locked. */
export function onLocked(listener) {
  lockListeners.add(listener);
}

/**
 * Calls the damage listeners if the number of damaged segments has changed. A response of `/api/damage` is
 * ignored, because the listeners request it.
 */
function hearDamage(url, response) {
  const count = Number(response.headers.get("X-HRGate-Damaged-Blocks") ?? damagedBlocks);
  const isNew = count !== damagedBlocks;
  damagedBlocks = count;
  if (isNew && !url.startsWith("/api/damage")) for (const listener of damageListeners) listener();
}

export function setToken(value) {
  token = value;
}

/**
 * The address of a route with its parameters. Null is left out, and an array becomes a repeated parameter.
 */
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

/** Requests a route. @throws {Refusal} With the server's message. */
export function get(path, parameters, signal) {
  return answerOf(address(path, parameters), { signal });
}

/** Sends a change. @throws {Refusal} */
export function post(path, body, parameters, options = {}) {
  return answerOf(address(path, parameters), {
    method: "POST",
    ...options,
    headers: { "Content-Type": "application/json", "X-HRGate-CSRF": token },
    body: JSON.stringify(body, sent),
  });
}

/**
 * Sends a file.
 * @param {(sent: number) => void} progress Gets the number of bytes that were sent.
 * @throws {Refusal}
 * @throws {DOMException} An `AbortError` if the signal was aborted, also before this call.
 */
export function upload(path, file, progress, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) return stop();
    const request = new XMLHttpRequest();
    request.open("POST", address(path));
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("X-HRGate-CSRF", token);
    request.upload.onprogress = ({ loaded }) => progress(loaded);
    request.onerror = () => reject(new Refusal("away", away, 0));
    request.onabort = stop;
    request.onload = () => {
      let answer = null;
      try { answer = parsed(request.responseText); } catch { /* not an answer of this server */ }
      if (request.status === 200 && answer) return resolve(answer);
      if (!answer?.message) return reject(notUnderstood(request));
      return reject(new Refusal(answer.error, answer.message, request.status, answer.field));
    };
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

/**
 * Saves the target of a link. The browser downloads it and shows the progress, because a year of heart rates
 * is too much to hold in memory. For an error response the browser would only say that the download failed.
 * So the page requests the file first, and cancels that request when the response begins.
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
  // The file name in the response takes precedence over this one.
  h("a", { href, download: new URL(href).pathname.split("/").at(-1) }).click();
}

async function answerOf(url, options) {
  const response = await request(url, options);
  const answer = await response.text().then(parsed).catch(() => null);
  if (answer) return answer;
  throw notUnderstood(response);
}

function notUnderstood({ status }) {
  return new Refusal("answer", `hrgate sent a response that this page does not understand (${status}).`,
    status);
}

/** @returns {Promise<Response>} A response that is not an error. */
async function request(url, options, attempt = 0) {
  if (hasEnded) throw new Refusal("session", ended, 401);
  let response;
  try {
    response = await fetch(url, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal("away", away, 0);
  }
  // All tabs share the server's limit of simultaneous requests, so a retry a second later usually succeeds.
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
  if (answer.error === "locked") for (const listener of lockListeners) listener();
  throw new Refusal(answer.error ?? "answer", answer.message, response.status, answer.field);
}
