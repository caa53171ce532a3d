// Server-sent events over one connection for all tabs of this browser that show the same person. A browser
// opens at most six HTTP/1.1 connections to a server, so with a stream per tab a seventh tab would never
// load. The tab that holds a lock has the stream and forwards its events to the others. A hidden tab neither
// holds the lock nor receives events.

import { address, get, shown } from "./api.js";
import { hearServerClock, serverNow } from "./server-clock.js";
import { parsed } from "./times.js";

const kinds = ["hello", "monitors", "commit", "latest", "pending", "store"];
const remembered = ["monitors", "latest", "pending", "store"];
const pollEvery = 10_000;
/** Milliseconds. Commits come in groups, and a request after the first one would miss the others. */
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

  /** `live`, `waiting` (for the server), or `polling` (the server has too many streams). */
  get state() { return this.#state; }

  /** The newest event of a kind, or undefined. */
  last(kind) { return this.#last.get(kind); }

  start() {
    if (this.#channel || document.hidden) return;
    const name = `hrgate-events-${shown.person ?? ""}`;
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }) => this.#hear(data);
    // The tab with the stream answers with its newest events. If no tab has it, the lock is free.
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

  /** Restarts the stream for another person. */
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
        this.#emit({ kind, data });
        this.#channel?.postMessage({ kind, data });
      });
    }
    source.onopen = () => this.#turn("live");
    source.onerror = () => {
      // CLOSED means that the response was not a stream: the session has ended, or there are too many
      // streams. Otherwise the browser reconnects.
      if (source.readyState !== EventSource.CLOSED) return this.#turn("waiting");
      this.#turn("polling");
      // If the session has ended, the response to this request says so, and all further requests stop.
      get("/api/session").catch(() => {});
      this.#emit({ kind: "commit", data: { time: serverNow() } });
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
      this.#emit(message);
    }
  }

  #turn(state) {
    if (this.#source) this.#channel?.postMessage({ kind: "state", data: state });
    if (state === this.#state) return;
    this.#state = state;
    this.dispatchEvent(new CustomEvent("state", { detail: state }));
  }

  #emit({ kind, data }) {
    if (kind === "hello") hearServerClock(data.time);
    this.#last.set(kind, data);
    this.dispatchEvent(new CustomEvent(kind, { detail: data }));
  }
}

/**
 * Calls `renew` after commits: one call at a time, at least `every` milliseconds apart, and not while the tab
 * is hidden or a dialog is open, which refers to what is visible.
 * @param {LiveStream} stream
 * @param {(signal: AbortSignal) => Promise<void>} renew Resolves when everything is updated. If it fails, it
 *   is called again after the next commit. After the signal it must not show anything.
 * @param {() => number} [every] Milliseconds between calls.
 * @returns {() => void} Stops it.
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
  // A hidden tab receives no events, so it may have missed some.
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
