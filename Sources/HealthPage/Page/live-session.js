// The ongoing session: elapsed time, figures and time in zones since its start, and laps.

import { fill, h, notice, refill, say } from "./dom.js";
import { get, post } from "./api.js";
import { averageHeading, averageName, count, duration, number, stopwatch } from "./format.js";
import { digitsFor } from "./names.js";
import { serverNow } from "./server-clock.js";
import { isOngoing } from "./session-times.js";
import { zoneNames, zoneParameters } from "./zones.js";

export class LiveSession {
  #answer = null;
  #loading = null;

  /** @param {object|null} basis The limits of zones. */
  constructor(source, basis) {
    Object.assign(this, { source, basis });
    /** Whether there was a commit since the session was requested. */
    this.isBehind = true;
    this.isLive = false;
    const figure = (name) => {
      const term = h("dt", {}, name), value = h("dd");
      return { term, value, element: h("div", {}, term, value) };
    };
    [this.elapsed, this.lap, this.average, this.highest, this.lowest] =
      ["elapsed", "lap", averageName, "highest", "lowest"].map(figure);
    this.zones = h("div.zonetimes");
    this.laps = h("div");
    this.said = h("span.unseen", { role: "status" });
    this.button = h("button", { type: "button", onclick: () => this.#endLap() }, "Lap");
    this.element = h("section.since", { hidden: true, "aria-label": "Since the start of the session" },
      h("div.row.spread", {}, h("dl.figures", {},
        [this.elapsed, this.lap, this.average, this.highest, this.lowest].map(({ element }) => element)),
      this.button), this.said, this.zones, this.laps);
  }

  close() {
    this.#loading?.abort();
  }

  /** Requests the session if there was a commit since the last request and the strap is measuring. */
  async renewIfBehind() {
    if (!this.isBehind || !this.isLive) return;
    this.isBehind = false;
    this.#loading?.abort();
    const { signal } = this.#loading = new AbortController();
    try {
      const { source, basis } = this;
      this.#answer = await get("/api/worn/ongoing", { source, ...zoneParameters(basis) }, signal);
      this.#fill();
    } catch {
      // Keep the current figures. The next commit triggers another request.
      if (!signal.aborted) this.isBehind = true;
    }
  }

  /** Updates the elapsed times. @param {boolean} isLive Whether the strap is measuring. */
  tick(isLive) {
    const isNew = isLive && !this.isLive;
    this.isLive = isLive;
    if (isNew && !this.#answer?.session) this.renewIfBehind();
    const { session, laps = [] } = this.#answer ?? {};
    const now = serverNow();
    this.element.hidden = !session || !isOngoing(session);
    if (this.element.hidden) return;
    const end = isLive ? Math.max(now, session.end) : session.end;
    say(this.elapsed.value, stopwatch(end - session.start));
    this.lap.element.hidden = !laps.length;
    if (!laps.length) return;
    say(this.lap.term, `lap ${number(laps.length)}`);
    say(this.lap.value, stopwatch(end - laps.at(-1).start));
  }

  #fill() {
    const { session, unit, zones, laps } = this.#answer;
    this.tick(this.isLive);
    if (!session) return;
    const digits = digitsFor(unit, "heartRate");
    say(this.lowest.value, number(session.min, digits, true));
    say(this.average.value, number(session.average, digits, true));
    say(this.highest.value, number(session.max, digits, true));
    fill(this.zones, zones && zonesOf(zones));
    refill(this.laps, laps.length > 0 && lapsView(laps, digits));
  }

  async #endLap() {
    this.button.disabled = true;
    try {
      const laps = this.#answer?.laps.length || 1;
      await post("/api/worn/lap", { source: this.source, time: serverNow() });
      say(this.said, `Lap ${number(laps)} ended.`);
      this.isBehind = true;
      await this.renewIfBehind();
    } catch (error) {
      notice(error.message);
    } finally {
      this.button.disabled = false;
    }
  }
}

/** Time in zones as one bar and as text. */
function zonesOf({ zones, known }) {
  const some = zones.filter(({ seconds }) => seconds > 0);
  const part = (each) => {
    const bar = h(`i.zone-${Math.min(5, each.zone)}`);
    bar.style.width = `${(100 * each.seconds) / Math.max(1, known)}%`;
    return bar;
  };
  return [
    h("p.zoneline", { "aria-hidden": "true" }, some.map(part)),
    h("p.key", {}, some.map(({ zone, seconds }) => h("span", {},
      h(`i.zone-${Math.min(5, zone)}`, { "aria-hidden": "true" }),
      `${zone ? `Zone ${zone}, ${zoneNames[zone]}` : "Below"}: ${duration(seconds * 1000)}`))),
  ];
}

/**
 * The laps of a session as a table.
 * @param {(lap: object, i: number) => Node} [more] Returns the content of an additional cell for a lap.
 */
export function lapsTable(laps, digits, more = null) {
  const row = (lap, i) => h("tr", {}, h("th", { scope: "row" }, number(i + 1)),
    h("td.number", {}, stopwatch(lap.end - lap.start)), h("td.number", {}, number(lap.average, digits, true)),
    h("td.number", {}, number(lap.max, digits, true)), h("td.number", {}, number(lap.min, digits, true)),
    more && h("td", {}, more(lap, i)));
  return h("table.narrow", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Lap"),
      ["Duration", averageHeading, "Highest", "Lowest"].map((name) => h("th.number", { scope: "col" }, name)),
      more && h("th", {}, h("span.unseen", {}, "Change")))),
    h("tbody", {}, laps.map(row)));
}

function lapsView(laps, digits) {
  return h("details", {}, h("summary", {}, count(laps.length, "lap")),
    h("div.scroll", { tabindex: 0, role: "region", "aria-label": "Laps" }, lapsTable(laps, digits)));
}
