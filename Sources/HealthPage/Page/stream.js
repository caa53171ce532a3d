// What happens now, from one connection to the server for all windows of this browser that show the same
// person. HTTP/1.1 gives a browser six connections to a server: a seventh tab with a stream of its own would
// wait for ever. So the tab that has the lock holds the stream and tells the others. A tab that nobody sees
// neither holds nor hears it.

import { address, get, shown } from "./api.js";
import { hearServerClock, serverNow } from "./server-clock.js";
import { parsed } from "./times.js";

const kinds = ["hello", "monitors", "commit", "latest", "pending", "store"];
const remembered = ["monitors", "latest", "pending", "store"];
const pollEvery = 10_000;
/** Commits come in groups: what is asked for at the first would miss the others. */
const leastPause = 1000;

export class LiveStream extends EventTarget {
  #channel = null;
  #source = null;
  #release = null;
  #waiting = null;
  #last = new Map();
  #poll = 0;
  #state = "waiting";

  constructor() {
    super();
    document.addEventListener("visibilitychange", () => (document.hidden ? this.stop() : this.start()));
  }

  /** `live`, `waiting` (for the server), or `polling` (it has too many streams already). */
  get state() { return this.#state; }

  /** The newest of a kind, or undefined. */
  last(kind) { return this.#last.get(kind); }

  start() {
    if (this.#channel || document.hidden) return;
    const name = `hrgate-events-${shown.person ?? ""}`;
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }) => this.#hear(data);
    // Whoever holds the stream answers with what it knows; the lock says whether there is anybody.
    this.#channel.postMessage({ kind: "ask" });
    this.#waiting = new AbortController();
    navigator.locks.request(name, { signal: this.#waiting.signal }, () => this.#hold()).catch(() => {});
  }

  stop() {
    this.#waiting?.abort();
    this.#waiting = null;
    this.#release?.();
    this.#release = null;
    this.#source?.close();
    this.#source = null;
    clearTimeout(this.#poll);
    this.#channel?.close();
    this.#channel = null;
  }

  /** Begins anew, for another person. */
  restart() {
    this.stop();
    this.#last.clear();
    this.start();
  }

  #hold() {
    this.#connect();
    return new Promise((resolve) => { this.#release = resolve; });
  }

  #connect() {
    clearTimeout(this.#poll);
    this.#source?.close();
    const source = this.#source = new EventSource(address("/api/events"));
    for (const kind of kinds) {
      source.addEventListener(kind, (event) => {
        let data;
        try { data = parsed(event.data); } catch { return; }
        this.#tell({ kind, data });
        this.#channel?.postMessage({ kind, data });
      });
    }
    source.onopen = () => this.#turn("live");
    source.onerror = () => {
      // CLOSED: the answer was no stream (the session is over, or there are too many); else it retries by
      // itself.
      if (source.readyState !== EventSource.CLOSED) return this.#turn("waiting");
      this.#turn("polling");
      // Where the session is over, this says so, and nothing is asked any more.
      get("/api/session").catch(() => {});
      this.#tell({ kind: "commit", data: { time: serverNow() } });
      this.#poll = setTimeout(() => this.#source === source && this.#connect(), pollEvery);
    };
  }

  #hear(message) {
    if (message.kind === "ask") {
      if (!this.#source) return;
      for (const kind of remembered) {
        if (this.#last.has(kind)) this.#channel.postMessage({ kind, data: this.#last.get(kind) });
      }
      this.#channel.postMessage({ kind: "state", data: this.#state });
    } else if (message.kind === "state") {
      if (!this.#source) this.#turn(message.data);
    } else {
      this.#tell(message);
    }
  }

  #turn(state) {
    if (this.#source) this.#channel?.postMessage({ kind: "state", data: state });
    if (state === this.#state) return;
    this.#state = state;
    this.dispatchEvent(new CustomEvent("state", { detail: state }));
  }

  #tell({ kind, data }) {
    if (kind === "hello") hearServerClock(data.time);
    this.#last.set(kind, data);
    this.dispatchEvent(new CustomEvent(kind, { detail: data }));
  }
}

/**
 * Has what is shown asked for anew when something was committed: one renewal at a time, no sooner than
 * `every` milliseconds after the last, and none while the tab is hidden or a question is open, which is about
 * what is seen.
 * @param {LiveStream} stream
 * @param {(signal: AbortSignal) => Promise<void>} renew Is over when all has come. Where it fails, it is
 *   called again with the next commit. When the signal comes, nothing of it is shown any more.
 * @param {() => number} [every] As long as what is shown then can wait.
 * @returns {() => void} What ends it.
 */
export function afterCommits(stream, renew, every = () => 5000) {
  let isBehind = false;
  let isUnderWay = false;
  const end = new AbortController();
  let last = Date.now();
  let timer = 0;

  function plan() {
    if (!isBehind || isUnderWay || end.signal.aborted) return;
    timer ||= setTimeout(turn, Math.max(leastPause, last + every() - Date.now()));
  }

  async function turn() {
    timer = 0;
    if (document.hidden) return;
    if (document.querySelector("dialog[open]")) return plan();
    isBehind = false;
    isUnderWay = true;
    const hasFailed = await Promise.resolve(end.signal).then(renew).then(() => false, () => true);
    isUnderWay = false;
    last = Date.now();
    if (hasFailed) isBehind = true;
    else plan();
  }

  const onCommit = () => { isBehind = true; plan(); };
  // A hidden tab hears nothing: what it has missed is not known.
  const onSight = () => { if (!document.hidden) onCommit(); };
  stream.addEventListener("commit", onCommit);
  document.addEventListener("visibilitychange", onSight);
  return () => {
    end.abort();
    clearTimeout(timer);
    stream.removeEventListener("commit", onCommit);
    document.removeEventListener("visibilitychange", onSight);
  };
}
